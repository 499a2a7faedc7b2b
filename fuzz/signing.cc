// Any request can be signed, and the order of its fields changes nothing.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "platform/sign_aws.h"
#include "platform/sign_eas.h"
#include "platform/sign_huawei.h"
#include "platform/sign_tencent.h"

namespace {

using namespace steelyard;
using platform::SignedParts;

constexpr std::size_t kHex = 64;

const std::string& authorization(const wire::Fields& fields) {
  for (const auto& [name, value] : fields) {
    if (name == "Authorization") {
      return value;
    }
  }
  std::abort();
}

template <typename Signer>
void sign(Signer signer, const SignedParts& parts, const SignedParts& turned) {
  const std::string one = authorization(signer.sign(parts, base::kSecond));
  const std::size_t at = one.rfind("Signature=");
  if (at == std::string::npos || one.size() - at - 10 != kHex ||
      one != authorization(signer.sign(turned, base::kSecond))) {
    std::abort();
  }
}

}  // namespace

// The first byte holds the switches; then, split by line feeds: method, target, body, and names and
// values.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  std::vector<std::string_view> pieces = base::split(text, '\n');
  pieces.resize(std::max<std::size_t>(pieces.size(), 3));
  wire::Fields fields;
  for (std::size_t i = 3; i + 1 < pieces.size(); i += 2) {
    fields.emplace_back(pieces[i], pieces[i + 1]);
  }
  wire::Fields turned = fields;
  std::ranges::stable_sort(turned, {}, [](const auto& field) { return base::lower(field.first); });
  const SignedParts parts{pieces[0], pieces[1], fields, pieces[2]};
  const SignedParts sorted{pieces[0], pieces[1], turned, pieces[2]};
  const platform::AwsScope scope{"r", "s", (data[0] & 1) != 0, (data[0] & 2) != 0,
                                 (data[0] & 4) != 0};
  const base::Secret secret("k");
  const base::Secret token((data[0] & 8) != 0 ? "t" : "");
  sign(platform::AwsSigner({"id", secret, token}, scope), parts, sorted);
  sign(platform::TencentSigner({"id", secret, token}, "s"), parts, sorted);
  sign(platform::HuaweiSigner({"id", secret, token}), parts, sorted);
  (void)platform::AwsSigner({"id", secret, token}, scope)
      .signed_query(parts, std::chrono::seconds(1), base::kSecond);
  (void)platform::eas_signature(secret, parts, base::kSecond);
  return 0;
}
