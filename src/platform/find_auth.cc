#include "platform/find_auth.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "platform/credentials.h"
#include "platform/token_keeper.h"

namespace steelyard::platform {
namespace {

class Search {
 public:
  Search(const Platform& platform, const AuthWish& wish, const wire::Environment& environment)
      : platform_(platform), wish_(wish), environment_(environment) {}

  base::Result<Auth> run() {
    if (base::has_control(wish_.key.reveal())) {
      return base::bad_input(wish_.key_where,
                             "it has a line break or another control character in it");
    }
    return scheme().and_then([&](const SchemeText& text) { return of(text); });
  }

 private:
  [[nodiscard]] const PlatformAuth& row() const { return platform_.auth; }

  base::Result<SchemeText> scheme() const {
    if (!wish_.scheme.empty()) {
      return parse_scheme(wish_.where, wish_.scheme)
          .and_then([&](SchemeText text) -> base::Result<SchemeText> {
            if (text.scheme == Scheme::kNone ||
                std::ranges::find(row().schemes, text.scheme) != row().schemes.end()) {
              return text;
            }
            return base::bad_input(
                wish_.where,
                fmt::format("{} does not take {}", platform_.title, name_of(text.scheme)),
                scheme_names(row().schemes) + ", none");
          });
    }
    const auto takes = std::ranges::find_if(row().schemes, [&](Scheme scheme) {
      return takes_key(scheme) && scheme != Scheme::kHeader;
    });
    const bool by_key = !wish_.key.empty() && takes != row().schemes.end();
    return SchemeText{by_key ? *takes : row().schemes.front(), ""};
  }

  base::Result<Auth> of(const SchemeText& text) {
    if (takes_key(text.scheme)) {
      return by_key(text);
    }
    if (!wish_.key.empty() && text.scheme != Scheme::kNone) {
      return base::bad_input(wish_.key_where,
                             fmt::format("{} takes no such key", name_of(text.scheme)),
                             "leave it out, or name another scheme");
    }
    switch (text.scheme) {
      case Scheme::kSdkHmac:
        return huawei_credentials(environment_).map([](HuaweiCredentials keys) {
          return Auth(std::move(keys));
        });
      case Scheme::kSigV4:
        return by_aws(text.detail);
      case Scheme::kTc3:
        return by_tencent(text.detail);
      case Scheme::kGoogle:
        return google_credentials(environment_)
            .and_then([&](GoogleCredentials credentials) {
              return TokenKeeper::make(std::move(credentials), environment_);
            })
            .map([](std::shared_ptr<TokenKeeper> keeper) { return Auth(std::move(keeper)); });
      default:
        return Auth();
    }
  }

  // Of the first variable that is set.
  base::Result<base::Secret> key() const {
    if (!wish_.key.empty()) {
      return wish_.key;
    }
    for (const std::string_view name : row().variables) {
      const std::string value = environment_(std::string(name));
      if (value.empty()) {
        continue;
      }
      if (base::has_control(value)) {
        return base::bad_input(std::string(name),
                               "the key in it holds a control character, such as a line break");
      }
      return base::Secret(value);
    }
    return base::Secret();
  }

  base::Result<Auth> by_key(const SchemeText& text) const {
    auto found = key();
    if (!found) {
      return tl::unexpected(found.error());
    }
    if (found->empty()) {
      const bool asked = !wish_.scheme.empty();
      if (wish_.has_field || (row().optional && !asked)) {
        return Auth();
      }
      const std::string names = variables();
      return base::bad_input(
          "", fmt::format("no key for {}{}{}", platform_.title, names.empty() ? "" : ": ", names),
          wish_.key_hint);
    }
    switch (text.scheme) {
      case Scheme::kBearer:
        return bearer(std::move(*found));
      case Scheme::kHeader:
        return Auth(KeyField{text.detail, "", std::move(*found)});
      case Scheme::kApiKey:
        return Auth(KeyField{"api-key", "", std::move(*found)});
      case Scheme::kAppCode:
        return Auth(KeyField{"X-Apig-AppCode", "", std::move(*found)});
      case Scheme::kIamToken:
        return Auth(KeyField{"X-Auth-Token", "", std::move(*found)});
      case Scheme::kEasHmac:
        return Auth(EasToken{std::move(*found)});
      default:
        return Auth(KeyField{"Authorization", "", std::move(*found)});
    }
  }

  // "A and B are not set"
  [[nodiscard]] std::string variables() const {
    std::vector<std::string> names(row().variables.begin(), row().variables.end());
    if (names.empty()) {
      return {};
    }
    return base::join(names, " and ") + (names.size() > 1 ? " are not set" : " is not set");
  }

  base::Result<Auth> by_aws(const std::string& detail) const {
    const std::size_t slash = detail.find('/');
    AwsScope scope;
    scope.region = detail.substr(0, slash);
    scope.service =
        slash == std::string::npos ? std::string(row().service) : detail.substr(slash + 1);
    auto login = aws_login(environment_);
    if (!login) {
      return tl::unexpected(login.error());
    }
    if (scope.region.empty()) {
      scope.region = region_of_host().value_or(login->region);
    }
    if (scope.region.empty() || scope.service.empty()) {
      const bool no_region = scope.region.empty();
      return base::bad_input(
          wish_.where,
          no_region ? "AWS signs for a region, and neither the host nor AWS_REGION names one"
                    : "AWS signs for a service, and this platform names none",
          no_region ? "sigv4:us-east-1" : "sigv4:us-east-1/sagemaker");
    }
    return Auth(AwsAuth{std::move(login->credentials), std::move(scope)});
  }

  // "us-east-1" of runtime.sagemaker.us-east-1.amazonaws.com; private addresses have one label
  // more.
  [[nodiscard]] std::optional<std::string> region_of_host() const {
    const std::vector<std::string_view> labels = base::split(wish_.url.host, '.');
    const auto amazon = std::ranges::find(labels, std::string_view("amazonaws"));
    if (amazon == labels.end()) {
      return std::nullopt;
    }
    for (auto label = amazon; label != labels.begin();) {
      --label;
      if (label->find('-') != std::string_view::npos && !label->starts_with("vpce")) {
        return std::string(*label);
      }
    }
    return std::nullopt;
  }

  base::Result<Auth> by_tencent(const std::string& detail) const {
    std::string service = detail.empty() ? std::string(row().service) : detail;
    if (service.empty()) {  // the host's first name: tione.tencentcloudapi.com
      service = wish_.url.host.substr(0, wish_.url.host.find('.'));
    }
    return tencent_credentials(environment_).map([&](TencentCredentials keys) {
      return Auth(TencentAuth{std::move(keys), service});
    });
  }

  const Platform& platform_;
  const AuthWish& wish_;
  const wire::Environment& environment_;
};

}  // namespace

base::Result<Auth> find_auth(const Platform& platform, const AuthWish& wish,
                             const wire::Environment& environment) {
  return Search(platform, wish, environment).run();
}

}  // namespace steelyard::platform
