// What a platform asks for, and the bill of a use of it, line by line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "quantity/money.h"
#include "quantity/price.h"

namespace steelyard::price {

// Rented by time: the window is paid whether it was busy or not, and whatever failed in it.
struct PerTime {
  quantity::Price price;
  std::int64_t count = 1;       // GPUs where the price is for one GPU, else machines
  base::Nanos granularity = 0;  // time is billed in whole steps of this; 0: to the nanosecond
  base::Nanos minimum = 0;      // and for at least this long
};

// Paid by token, as the platform counts them; a failed request costs what its usage says.
struct PerToken {
  quantity::Price input;
  quantity::Price output;
  std::optional<quantity::Price> cached_input;  // absent: cached input costs what other input does
  std::optional<quantity::Money> per_request;
};

struct Offer {
  std::variant<PerTime, PerToken> scheme;
  std::string source;
  std::string date;
  std::string note;
};

// What can be billed: each price of the right kind, one currency, counts and times that make sense.
// `where` stands in the error.
[[nodiscard]] base::Status check(const std::string& where, const Offer& offer);

struct Usage {
  base::Nanos window = 0;                // rented time; 0: nothing was rented
  std::int64_t input_tokens = 0;         // the cached ones too
  std::int64_t cached_input_tokens = 0;  // more than there was input count as all of it
  std::int64_t output_tokens = 0;        // reasoning included
  std::int64_t requests = 0;             // that the platform charges for
};

struct BillLine {
  std::string_view name_en;
  std::string_view name_zh;
  double quantity;  // for display: of `unit`
  std::string_view unit;
  quantity::Money amount;
};
struct CostBill {
  quantity::Money total;  // the sum of the lines, exactly
  std::vector<BillLine> lines;
};

// The time that a rent of `window` is billed for.
[[nodiscard]] base::Nanos billed_time(const PerTime& scheme, base::Nanos window);

// Each line is rounded half to even at 1e-12. The offer has passed `check`, and no quantity is
// negative.
[[nodiscard]] CostBill cost_of(const Offer& offer, const Usage& usage);

}  // namespace steelyard::price
