#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "platform/credentials.h"
#include "platform/key_sources.h"

namespace steelyard::platform {
namespace {

constexpr const char* kVariable = "GOOGLE_APPLICATION_CREDENTIALS";

base::Result<GoogleCredentials> read(const std::string& path) {
  return base::read_file(path).and_then(
      [&](const std::string& text) { return parse_google_credentials(path, text); });
}

}  // namespace

base::Result<GoogleCredentials> google_credentials(const wire::Environment& environment) {
  if (const std::string named(base::trim(environment(kVariable))); !named.empty()) {
    return read(named).map_error([](base::Error error) {
      error.where = std::string(kVariable) + ": " + error.where;
      return error;
    });
  }
  const std::string folder(base::trim(environment("CLOUDSDK_CONFIG")));
  const std::string usual = "application_default_credentials.json";
  const std::string path =
      folder.empty() ? under_home(environment, ".config/gcloud/" + usual) : folder + "/" + usual;
  std::error_code failed;
  if (!path.empty() && std::filesystem::exists(path, failed)) {
    return read(path);
  }
  Looked looked;
  looked.at(std::string(kVariable) + " is not set");
  looked.at(path.empty() ? "HOME is not set" : path + " is not there");
  return looked.found_none(
      "credentials of Google Cloud",
      "name a service account's key file by GOOGLE_APPLICATION_CREDENTIALS, or "
      "run `gcloud auth application-default login`");
}

}  // namespace steelyard::platform
