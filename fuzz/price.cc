// Any bytes are a price that prints as what reads back the same, or an error.
#include "quantity/price.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto price = steelyard::quantity::parse_price("--price", bytes);
  if (!price) {
    return 0;
  }
  const auto again = steelyard::quantity::parse_price("", to_text(*price));
  if (!again || *again != *price) {
    std::abort();
  }
  const auto cost = price->by_time() ? price->of_time(1'234'567'891) : price->of_tokens(1'234'567);
  if (cost.currency() != price->amount.currency()) {
    std::abort();
  }
  return 0;
}
