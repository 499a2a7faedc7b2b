// An evaluation for people: a terminal, and Markdown. English or Chinese.
#pragma once

#include <string>

#include "report/language.h"
#include "study/evaluation.h"

namespace steelyard::report {

[[nodiscard]] std::string evaluation_text(const study::Evaluation& evaluation, Language language);
[[nodiscard]] std::string evaluation_markdown(const study::Evaluation& evaluation,
                                              Language language);

}  // namespace steelyard::report
