// Bytes as text: hexadecimal, base64 (RFC 4648) and percent-encoding (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steelyard::base {

// Lower case.
[[nodiscard]] std::string hex(std::string_view bytes);

// Padded; with "+" and "/".
[[nodiscard]] std::string base64(std::string_view bytes);
// Not padded; with "-" and "_", as JSON Web Tokens have it.
[[nodiscard]] std::string base64url(std::string_view bytes);
// Of `base64`; absent where the text is none.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
// The same into `bytes`, whose memory is kept; false where the text is none.
[[nodiscard]] bool from_base64(std::string_view text, std::string& bytes);

// Each byte but A-Z a-z 0-9 "-" "." "_" "~" and those of `kept` as "%" and two upper-case digits.
[[nodiscard]] std::string percent_encode(std::string_view bytes, std::string_view kept = {});
// A "%" without two digits after it stays as it is.
[[nodiscard]] std::string percent_decode(std::string_view text);

}  // namespace steelyard::base
