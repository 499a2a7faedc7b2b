// What the client's test against the truth server said, on one line.
#pragma once

#include <string>

#include "measure/certificate.h"
#include "report/language.h"

namespace steelyard::report {

// "64 streams, 2959 tokens/s: TTFT P50 +0.00, P99 +0.01 ms, ITL P50 +0.00, P99 -0.00 ms off the
// truth"
[[nodiscard]] std::string self_test_text(const measure::SelfTest& test,
                                         Language language = Language::kEnglish);

}  // namespace steelyard::report
