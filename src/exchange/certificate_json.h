// Whether the client can vouch for its numbers, as every result says it.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "measure/certificate.h"

namespace steelyard::exchange {

// The object "certificate" of docs/schema/bench.schema.json and ranking.schema.json.
[[nodiscard]] base::Json certificate_json(const measure::Certificate& certificate);

}  // namespace steelyard::exchange
