// Any request's signature can be checked, and none that was not made with the key is right.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "platform/check_signature.h"

using namespace steelyard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  wire::HttpReader reader(wire::HttpReader::Side::kRequests);
  std::string body;
  reader.feed(bytes, [&](std::string_view piece) { body += piece; });
  const base::Secret secret("k");
  platform::AwsSigner aws({"id", secret, {}}, {"r", "s"});
  platform::TencentSigner tencent({"id", secret, {}}, "s");
  platform::HuaweiSigner huawei({"id", secret, {}});
  const base::Nanos wall = 1'767'323'045 * base::kSecond;
  const bool all = platform::signature_fault(aws, reader.head(), body, wall) &&
                   platform::signature_fault(tencent, reader.head(), body, wall) &&
                   platform::signature_fault(huawei, reader.head(), body, wall);
  if (!all) {
    std::abort();
  }
  return 0;
}
