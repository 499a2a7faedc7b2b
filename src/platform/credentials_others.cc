#include <utility>

#include "base/text.h"
#include "platform/credentials.h"
#include "platform/key_sources.h"

namespace steelyard::platform {
namespace {

// A cloud with one section of one file, which may lie at several places.
struct Places {
  std::string what;
  KeyNames variables;
  std::vector<std::string> files;  // "" for one that has no home to lie in
  std::string section;
  KeyNames keys;
};

base::Result<KeySet> find_keys(const wire::Environment& environment, const Places& places) {
  auto named = keys_of_environment(environment, places.variables);
  if (!named) {
    return tl::unexpected(named.error());
  }
  if (*named) {
    return std::move(**named);
  }
  Looked looked;
  looked.at(places.variables.id + " is not set");
  for (const std::string& path : places.files) {
    const auto file = ini_if_any(path);
    if (!file) {
      return tl::unexpected(file.error());
    }
    const auto* section = *file ? (*file)->section(places.section) : nullptr;
    if (section == nullptr) {
      looked.at(path.empty()
                    ? "HOME is not set"
                    : path + (*file ? " has no [" + places.section + "]" : " is not there"));
      continue;
    }
    auto keys = keys_of_section(**file, *section, places.keys);
    if (!keys) {
      return tl::unexpected(keys.error());
    }
    if (*keys) {
      return std::move(**keys);
    }
    looked.at("[" + places.section + "] of " + path + " has no keys");
  }
  return looked.found_none(places.what,
                           "set " + places.variables.id + " and " + places.variables.secret);
}

}  // namespace

base::Result<TencentCredentials> tencent_credentials(const wire::Environment& environment) {
  return find_keys(environment, {"keys of Tencent Cloud",
                                 {"TENCENTCLOUD_SECRET_ID",
                                  "TENCENTCLOUD_SECRET_KEY",
                                  {"TENCENTCLOUD_TOKEN", "TENCENTCLOUD_SECURITY_TOKEN"}},
                                 {under_home(environment, ".tencentcloud/credentials"),
                                  "/etc/tencentcloud/credentials"},
                                 "default",
                                 {"secret_id", "secret_key", {"token"}}})
      .map([](KeySet keys) {
        return TencentCredentials{std::move(keys.id), std::move(keys.secret),
                                  std::move(keys.token)};
      });
}

base::Result<HuaweiCredentials> huawei_credentials(const wire::Environment& environment) {
  const std::string named(base::trim(environment("HUAWEICLOUD_SDK_CREDENTIALS_FILE")));
  return find_keys(
             environment,
             {"keys of Huawei Cloud",
              {"HUAWEICLOUD_SDK_AK", "HUAWEICLOUD_SDK_SK", {"HUAWEICLOUD_SDK_SECURITY_TOKEN"}},
              {named.empty() ? under_home(environment, ".huaweicloud/credentials") : named},
              "basic",
              {"ak", "sk", {"security_token"}}})
      .map([](KeySet keys) {
        return HuaweiCredentials{std::move(keys.id), std::move(keys.secret), std::move(keys.token)};
      });
}

base::Result<base::Secret> eas_token(const wire::Environment& environment) {
  const std::string token(base::trim(environment("EAS_SERVICE_TOKEN")));
  if (token.empty()) {
    return base::bad_input("", "no token of a PAI-EAS service: EAS_SERVICE_TOKEN is not set",
                           "the service's page shows it under its invocation information");
  }
  return base::Secret(token);
}

}  // namespace steelyard::platform
