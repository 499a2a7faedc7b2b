// What a run keeps of its requests, however many they are.
#pragma once

#include <map>
#include <string>

#include "measure/realised.h"
#include "measure/run_figures.h"
#include "study/sla_gate.h"

namespace steelyard::study {

struct EndpointFigures {
  measure::RunFigures run;
  SlaTally sla;
  measure::RealisedLengths lengths;
  std::map<measure::Outcome, std::string> failure_examples;  // the words of the first of each

  explicit EndpointFigures(const Sla& terms = {}) : sla(terms) {}

  // `metrics` are those of `log`.
  void add(const measure::RequestLog& log, const measure::RequestMetrics& metrics) {
    run.add(log, metrics);
    sla.add(log, metrics);
    lengths.add(log);
    if (log.outcome != measure::Outcome::kCompleted) {
      failure_examples.try_emplace(log.outcome, log.failure);
    }
  }
  void add(const measure::RequestLog& log) { add(log, measure::metrics_of(log)); }
  // Of a run under the same SLA.
  void merge(const EndpointFigures& other) {
    run.merge(other.run);
    sla.merge(other.sla);
    lengths.merge(other.lengths);
    failure_examples.insert(other.failure_examples.begin(), other.failure_examples.end());
  }
};

}  // namespace steelyard::study
