#include <array>
#include <utility>

#include "base/text.h"
#include "platform/credentials.h"
#include "platform/key_sources.h"

namespace steelyard::platform {
namespace {

using base::IniFile;

constexpr std::string_view kRight =
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; `aws configure export-credentials --format "
    "env` prints them for any login";

const KeyNames& in_environment() {
  static const KeyNames names{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", {"AWS_SESSION_TOKEN"}};
  return names;
}
const KeyNames& in_files() {
  static const KeyNames names{"aws_access_key_id", "aws_secret_access_key", {"aws_session_token"}};
  return names;
}

std::string first_set(const wire::Environment& environment, std::initializer_list<const char*> of) {
  for (const char* name : of) {
    if (std::string value(base::trim(environment(name))); !value.empty()) {
      return value;
    }
  }
  return {};
}

// One of the two files, and the profile in it.
struct Source {
  std::string path;
  std::optional<IniFile> file;
  const IniFile::Section* profile = nullptr;
};

class Search {
 public:
  explicit Search(const wire::Environment& environment)
      : environment_(environment),
        named_(first_set(environment, {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"})) {}

  base::Result<AwsLogin> run();

 private:
  [[nodiscard]] std::string profile() const { return named_.empty() ? "default" : named_; }
  base::Status open(Source& source, const char* variable, const std::string& usual, bool is_config);
  // Of a profile that gets its keys by a way we have not.
  [[nodiscard]] base::Status refuse_other_ways(const Source& source) const;
  base::Result<AwsLogin> in(const Source& source);
  [[nodiscard]] std::string region() const;

  const wire::Environment& environment_;
  std::string named_;
  Source keys_file_;
  Source config_;
  Looked looked_;
};

base::Status Search::open(Source& source, const char* variable, const std::string& usual,
                          bool is_config) {
  source.path = first_set(environment_, {variable});
  if (source.path.empty()) {
    source.path = under_home(environment_, usual);
  }
  auto file = ini_if_any(source.path);
  if (!file) {
    return tl::unexpected(file.error());
  }
  source.file = std::move(*file);
  if (source.file) {
    const std::string name = profile();
    source.profile = source.file->section(is_config ? "profile " + name : name);
    if (source.profile == nullptr && is_config && name == "default") {
      source.profile = source.file->section(name);
    }
  }
  return {};
}

base::Status Search::refuse_other_ways(const Source& source) const {
  constexpr std::array<std::string_view, 6> kOthers = {"credential_process",      "sso_session",
                                                       "sso_start_url",           "role_arn",
                                                       "web_identity_token_file", "login_session"};
  for (const std::string_view key : kOthers) {
    if (const auto found = source.profile->find(key); found != source.profile->end()) {
      return base::bad_input(source.file->place(found->second.line),
                             std::string(key) + " is a way to get keys that is not supported here",
                             std::string(kRight));
    }
  }
  return {};
}

std::string Search::region() const {
  std::string named = first_set(environment_, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (!named.empty()) {
    return named;
  }
  for (const Source* source : {&config_, &keys_file_}) {
    if (source->profile != nullptr && source->profile->contains("region")) {
      return source->profile->at("region").value;
    }
  }
  return {};
}

AwsLogin login(KeySet keys, std::string region) {
  return {{std::move(keys.id), std::move(keys.secret), std::move(keys.token)},
          std::move(region),
          std::move(keys.from)};
}

base::Result<AwsLogin> Search::run() {
  auto from_environment = keys_of_environment(environment_, in_environment());
  if (!from_environment) {
    return tl::unexpected(from_environment.error());
  }
  if (base::Status opened =
          open(keys_file_, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials", false).and_then([&] {
            return open(config_, "AWS_CONFIG_FILE", ".aws/config", true);
          });
      !opened) {
    return tl::unexpected(opened.error());
  }
  if (*from_environment) {
    return login(std::move(**from_environment), region());
  }
  looked_.at("AWS_ACCESS_KEY_ID is not set");
  for (const Source* source : {&keys_file_, &config_}) {
    auto found = in(*source);
    if (!found || !found->credentials.access_key_id.empty()) {
      return found;
    }
  }
  return looked_.found_none("keys of AWS", std::string(kRight));
}

// A login without an id where there is none.
base::Result<AwsLogin> Search::in(const Source& source) {
  if (source.path.empty()) {
    looked_.at("HOME is not set");
    return AwsLogin{};
  }
  if (!source.file) {
    looked_.at(source.path + " is not there");
    return AwsLogin{};
  }
  if (source.profile == nullptr) {
    looked_.at(source.path + " has no profile " + profile());
    return AwsLogin{};
  }
  auto keys = keys_of_section(*source.file, *source.profile, in_files());
  if (!keys) {
    return tl::unexpected(keys.error());
  }
  if (*keys) {
    return login(std::move(**keys), region());
  }
  if (base::Status refused = refuse_other_ways(source); !refused) {
    return tl::unexpected(refused.error());
  }
  looked_.at("the profile " + profile() + " of " + source.path + " has no keys");
  return AwsLogin{};
}

}  // namespace

base::Result<AwsLogin> aws_login(const wire::Environment& environment) {
  return Search(environment).run();
}

}  // namespace steelyard::platform
