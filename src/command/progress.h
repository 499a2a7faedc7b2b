// The one line that says how a run goes: rewritten in place on a terminal, a plain line now and
// then where stderr is none.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "study/endpoint_run.h"
#include "study/load_study.h"

namespace steelyard::command {

// "12 s left · sent 40/100 · ok 31 · missed 1 · TTFT P50 95 P99 210 ms · send lag P99 0.1 ms"
[[nodiscard]] std::string describe(const study::Progress& progress, base::Nanos now);

// "step 4, 12 req/s · 0.02 USD · 12 s left · sent 40 · ..."
[[nodiscard]] std::string describe(const study::LoadStudy::Where& where, base::Nanos now);

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const std::string& text);

 private:
  void wipe();
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  base::Nanos last_ = 0;
};

}  // namespace steelyard::command
