// Decimals as people write them, exactly: 0.1 has no binary double, and money must not lose it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steelyard::quantity {

// GCC and clang have it; -Wpedantic wants to be told that we know it is no standard type.
__extension__ typedef __int128 Int128;

inline constexpr int kDecimalPlaces = 12;

// "12", "0.79": digits with at most one point, digits on both sides of it, at most 12 of them on
// each. In units of 1e-12; absent for anything else, signs and exponents too.
[[nodiscard]] std::optional<Int128> read_decimal(std::string_view text);

}  // namespace steelyard::quantity
