// ranking.json: an evaluation for programs and for the page (docs/schema/ranking.schema.json).
#pragma once

#include <string>

#include "study/evaluation.h"

namespace steelyard::report {

// One JSON object, indented by two. What does not exist is null, never 0.
[[nodiscard]] std::string evaluation_json(const study::Evaluation& evaluation);

}  // namespace steelyard::report
