// Any fields and any body are a hint that is not negative, or none.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "platform/retry_hint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"retry-after", "retry-after-ms", "x-ratelimit-reset-requests", "body"}) {
    steelyard::wire::HttpHead head;
    head.fields = {{name, text}};
    const auto hint = steelyard::platform::retry_hint(head, text, steelyard::base::kSecond);
    if (hint && hint->after < 0) {
      std::abort();
    }
  }
  return 0;
}
