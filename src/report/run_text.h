// One benchmark run, for a terminal.
#pragma once

#include <string>

#include "measure/certificate.h"
#include "measure/summary.h"
#include "study/sla_gate.h"

namespace steelyard::report {

struct RunText {
  std::string endpoint;  // "http://127.0.0.1:8000/v1/chat/completions"
  std::string model;
  std::string emulated_by;  // empty for a real server
  const measure::Summary& summary;
  const measure::Certificate& certificate;
  std::string first_failure;        // the words of one, where any failed
  const study::Sla* sla = nullptr;  // null when none was given
  const study::SlaVerdict* verdict = nullptr;
};

// A "!" marks a percentile whose interval is open: n is too small for it. "-" is a missing value.
[[nodiscard]] std::string run_text(const RunText& run);

// "95.3", "2.80 k": three digits, "-" when absent.
[[nodiscard]] std::string number(const std::optional<double>& value);

}  // namespace steelyard::report
