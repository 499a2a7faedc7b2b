#include "platform/sign_eas.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/text.h"
#include "wire/http_date.h"

namespace steelyard::platform {

wire::Fields eas_signature(const base::Secret& token, const SignedParts& parts, base::Nanos wall) {
  const std::string md5 = base::hex(base::md5(parts.body));
  const std::string date = wire::http_date(wall);
  std::string_view content_type;
  for (const auto& [name, value] : parts.fields) {
    if (base::lower(name) == "content-type") {
      content_type = value;
    }
  }
  const std::string to_sign = fmt::format("{}\n{}\n{}\n{}\n{}", parts.method, md5, content_type,
                                          date, split_target(parts.target).path);
  return {{"Content-MD5", md5},
          {"Date", date},
          {"Authorization", "EAS " + base::base64(base::hmac_sha1(token.reveal(), to_sign))}};
}

}  // namespace steelyard::platform
