#include "base/secret.h"

namespace steelyard::base {

std::string redact(std::string text, const Secret& secret) {
  const std::string& value = secret.reveal();
  if (value.empty()) {
    return text;
  }
  constexpr std::size_t kMaskLength = 3;
  for (std::size_t at = text.find(value); at != std::string::npos;
       at = text.find(value, at + kMaskLength)) {
    text.replace(at, value.size(), "***");
  }
  return text;
}

}  // namespace steelyard::base
