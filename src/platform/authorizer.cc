#include "platform/authorizer.h"

#include "platform/sign_eas.h"
#include "platform/token_keeper.h"

namespace steelyard::platform {
namespace {

using Keeper = std::shared_ptr<TokenKeeper>;

template <typename... Each>
struct Either : Each... {
  using Each::operator()...;
};
template <typename... Each>
Either(Each...) -> Either<Each...>;

}  // namespace

Authorizer::Authorizer(const Auth& auth) : auth_(auth) {
  std::visit(
      Either{[&](const AwsAuth& aws) { signer_.emplace<AwsSigner>(aws.credentials, aws.scope); },
             [&](const TencentAuth& tencent) {
               signer_.emplace<TencentSigner>(tencent.credentials, tencent.service);
             },
             [&](const HuaweiCredentials& huawei) { signer_.emplace<HuaweiSigner>(huawei); },
             [](const auto&) {}},
      auth_);
}

base::Status Authorizer::begin(const std::atomic<bool>* stop) {
  const auto* keeper = std::get_if<Keeper>(&auth_);
  return keeper != nullptr ? (*keeper)->begin(stop) : base::Status();
}

bool Authorizer::each_request() const {
  return !std::holds_alternative<std::monostate>(auth_) && !std::holds_alternative<KeyField>(auth_);
}

std::uint64_t Authorizer::edition() const {
  const auto* keeper = std::get_if<Keeper>(&auth_);
  return keeper != nullptr ? (*keeper)->edition() : 0;
}

wire::Fields Authorizer::fields(const SignedParts& parts, base::Nanos wall) {
  if (const auto* key = std::get_if<KeyField>(&auth_)) {
    return {{key->name, key->prefix + key->key.reveal()}};
  }
  if (const auto* eas = std::get_if<EasToken>(&auth_)) {
    return eas_signature(eas->token, parts, wall);
  }
  if (const auto* keeper = std::get_if<Keeper>(&auth_)) {
    return {{"Authorization", "Bearer " + (*keeper)->token().reveal()}};
  }
  return std::visit(Either{[](std::monostate&) { return wire::Fields(); },
                           [&](auto& signer) { return signer.sign(parts, wall); }},
                    signer_);
}

std::vector<base::Secret> Authorizer::secrets() const {
  using Secrets = std::vector<base::Secret>;
  return std::visit(
      Either{[](std::monostate) { return Secrets(); },
             [](const KeyField& key) { return Secrets{key.key}; },
             [](const EasToken& eas) { return Secrets{eas.token}; },
             [](const AwsAuth& aws) {
               return Secrets{aws.credentials.secret_access_key, aws.credentials.session_token};
             },
             [](const TencentAuth& tencent) {
               return Secrets{tencent.credentials.secret_key, tencent.credentials.token};
             },
             [](const HuaweiCredentials& huawei) {
               return Secrets{huawei.secret_key, huawei.security_token};
             },
             [](const Keeper& keeper) { return keeper->secrets(); }},
      auth_);
}

}  // namespace steelyard::platform
