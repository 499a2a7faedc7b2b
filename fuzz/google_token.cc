// Any bytes are Google's credentials or one complaint with its place; any answer a token or a
// complaint; and what was parsed can be asked with, or its key is refused.
#include <cstdint>
#include <cstdlib>

#include "platform/google_token.h"

namespace platform = steelyard::platform;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto credentials = platform::parse_google_credentials("f", text);
  if (!credentials && !credentials.error().where.starts_with("f")) {
    std::abort();
  }
  if (credentials) {
    (void)platform::google_token_request(*credentials, 0);
  }
  platform::GoogleCredentials any;
  any.token_uri = "https://host/token";
  const auto token = platform::parse_google_token(any, 200, text, 0);
  if (token && (token->value.empty() || token->expires_at < 0)) {
    std::abort();
  }
  return 0;
}
