// A sweep of loads, or the search for the largest that meets the SLA, for a terminal, as JSON and
// as a drawing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/json.h"
#include "report/language.h"
#include "study/load_study.h"

namespace steelyard::report {

struct Loads {
  std::string steelyard_version;
  std::string date;  // "20261201-080000"
  std::string base_url;
  std::string model;
  std::string label;
  const study::Sla& sla;                    // without a term: none was given
  std::optional<study::Load::Kind> sought;  // absent: a sweep
  double resolution = 0;                    // of a search
  const study::Budget& budget;
  const study::LoadStudyResult& result;
};

// A table of the steps and what came of them. "-" is a missing value, "!" marks a percentile of too
// few requests.
[[nodiscard]] std::string loads_text(const Loads& loads);

// docs/schema/loads.schema.json. `results`: of each step its result in vLLM's form.
[[nodiscard]] std::string loads_json(const Loads& loads, std::span<const base::Json> results);

// One SVG file: throughput against TTFT, TPOT and E2E, and of all users against one, with
// intervals, the SLA and the knee.
[[nodiscard]] std::string loads_svg(const Loads& loads, Language language);

}  // namespace steelyard::report
