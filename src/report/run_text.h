// One benchmark run, for a terminal.
#pragma once

#include <span>
#include <string>

#include "measure/certificate.h"
#include "measure/realised.h"
#include "measure/steady_state.h"
#include "measure/summary.h"
#include "measure/tool_definitions.h"
#include "study/sla_gate.h"
#include "workload/source.h"

namespace steelyard::report {

struct RunText {
  std::string endpoint;  // "http://127.0.0.1:8000/v1/chat/completions"
  std::string model;
  std::string emulated_by;  // empty for a real server
  const measure::Summary& summary;
  const measure::Certificate& certificate;
  std::string first_failure;                   // the words of one, where any failed
  const study::SlaVerdict* verdict = nullptr;  // null when no SLA was given
  const measure::RealisedLengths& lengths;
  workload::SourceFacts facts;
  const measure::SteadyState& steady;
  std::string ended;  // why, where that is worth a line
  std::span<const measure::ToolFigures> by_definition;
};

// A "!" marks a percentile whose interval is open: n is too small for it. "-" is a missing value.
[[nodiscard]] std::string run_text(const RunText& run);

}  // namespace steelyard::report
