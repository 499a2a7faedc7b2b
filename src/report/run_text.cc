#include "report/run_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/self_test_text.h"
#include "report/table.h"

namespace steelyard::report {
namespace {

using base::Align;
using measure::Distribution;
using measure::Percentile;

std::string interval(const std::optional<Percentile>& p) {
  if (!p) {
    return "-";
  }
  return fmt::format("[{}, {}]", p->low ? number(p->low) : "…", p->high ? number(p->high) : "…");
}

// The least of what the samples are worth for any of the percentiles that stand beside it.
template <typename Value>
std::optional<double> least_worth(const std::optional<Value>& p50, const std::optional<Value>& p90,
                                  const std::optional<Value>& p99) {
  std::optional<double> least;
  for (const std::optional<Value>* p : {&p50, &p90, &p99}) {
    if (*p && (*p)->n_effective) {
      least = std::min(least.value_or(*(*p)->n_effective), *(*p)->n_effective);
    }
  }
  return least;
}

void add_row(Table& table, const std::string& name, const Distribution& d) {
  const auto worth = least_worth(d.p50, d.p90, d.p99);
  table.add({name, fmt::format("{}", d.n), number(worth), number(d.mean), percentile_text(d.p50),
             interval(d.p50), percentile_text(d.p90), percentile_text(d.p99), interval(d.p99),
             number(d.max)});
}

std::string never_or(const std::optional<measure::WithFailures::Value>& value) {
  return !value ? "-" : value->value ? number(value->value) : "never";
}

void add_row(Table& table, const std::string& name, const measure::WithFailures& all) {
  const auto worth = least_worth(all.p50, all.p90, all.p99);
  table.add({name, fmt::format("{}", all.n), number(worth), "-", never_or(all.p50), "",
             never_or(all.p90), never_or(all.p99), "", "never"});
}

std::string latencies(const measure::Summary& summary) {
  Table table({{"ms", Align::kLeft},
               {"n"},
               {"n eff."},
               {"mean"},
               {"P50"},
               {"95 % interval"},
               {"P90"},
               {"P99"},
               {"95 % interval"},
               {"max"}});
  add_row(table, "TTFT", summary.ttft_ms);
  add_row(table, "TPOT", summary.tpot_ms);
  add_row(table, "ITL", summary.itl_ms);
  add_row(table, "E2E", summary.e2e_ms);
  add_row(table, "E2E from due", summary.response_e2e_ms);
  if (summary.failed > 0) {
    add_row(table, "TTFT, failures too", summary.ttft_with_failures_ms);
    add_row(table, "E2E, failures too", summary.e2e_with_failures_ms);
  }
  add_row(table, "send lag", summary.send_lag_ms);
  return table.to_text();
}

std::string count(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

std::string failures(const RunText& run) {
  if (run.summary.failed == 0) {
    return "";
  }
  std::string text;
  for (const auto& [outcome, n] : run.summary.failures) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, measure::name_of(outcome));
  }
  return fmt::format("failures     {}; for example: {}\n", text, run.first_failure);
}

// What came beside what was asked for, where it was not that.
std::string workload_lines(const RunText& run) {
  const measure::RealisedLengths& lengths = run.lengths;
  std::string text;
  if (lengths.osl_mismatch > 0) {
    text += fmt::format(
        "lengths      {} of {} answers not as long as asked for ({} shorter): {} output tokens on "
        "average, {} asked\n",
        lengths.osl_mismatch, lengths.output.n, lengths.shorter, number(lengths.output.mean()),
        number(lengths.asked_output.mean()));
  }
  if (run.facts.sessions > 0) {
    text += fmt::format("sessions     {} begun, {} broken off by a turn that failed\n",
                        run.facts.sessions, run.facts.sessions_broken);
  }
  if (run.facts.rows_dropped > 0) {
    text +=
        fmt::format("trace        {} rows without an answer left out\n", run.facts.rows_dropped);
  }
  if (run.facts.repeats) {
    text += "prompts      some are sent more than once: a cache may have served them\n";
  }
  return text;
}

std::string sla_lines(const RunText& run) {
  if (run.verdict == nullptr) {
    return "";
  }
  const measure::Attainment& reached = run.verdict->attainment;
  std::string text = fmt::format("SLA          {}, {} of {} requests within it",
                                 run.verdict->met ? "met" : "MISSED", reached.met, reached.due);
  if (const auto interval = measure::share_interval(reached.met, reached.due)) {
    text += fmt::format(" ({:.4g} %, 95 % interval [{:.4g}, {:.4g}])",
                        100 * reached.requests().value_or(0), 100 * interval->low,
                        100 * interval->high);
  }
  text += "\n";
  if (!run.verdict->met) {
    for (const study::Reason& reason : run.verdict->reasons) {
      text += fmt::format("             {}\n", reason.text_en);
    }
  }
  return text;
}

std::string steady_line(const measure::SteadyState& steady) {
  if (!steady.found) {
    return fmt::format("steady part  none found: {}\n", steady.reason);
  }
  return fmt::format(
      "steady part  {} to {} s, {} requests: {} output tokens/s, TTFT P50 {} P99 {}, E2E P99 {} "
      "ms\n",
      number(steady.from_s), number(steady.to_s), steady.requests, number(steady.output_throughput),
      percentile_text(steady.ttft_ms.p50), percentile_text(steady.ttft_ms.p99),
      percentile_text(steady.e2e_ms.p99));
}

std::string certificate_lines(const measure::Certificate& certificate) {
  std::string text = fmt::format("client       {}", measure::name_of(certificate.verdict));
  for (const std::string& reason : certificate.reasons) {
    text += "; " + reason;
  }
  text += "\n";
  if (const auto& test = certificate.self_test) {
    text += "self-test    " + self_test_text(*test) + "\n";
  }
  return text;
}

// The same stream by other tools' formulas.
std::string definitions_table(const RunText& run) {
  if (run.by_definition.empty()) {
    return "";
  }
  Table table({{"by the formulas of, ms", Align::kLeft},
               {"TTFT P50"},
               {"TTFT P99"},
               {"TPOT P50"},
               {"ITL n"},
               {"ITL P50"},
               {"ITL P99"},
               {"E2E P50"},
               {"tokens/s"},
               {"goodput"}});
  for (const measure::ToolFigures& tool : run.by_definition) {
    const Distribution ttft = measure::distribution_of(tool.ttft());
    const Distribution itl = measure::distribution_of(tool.itl());
    const auto value = [](const std::optional<Percentile>& p) {
      return number(p ? std::optional(p->value) : std::nullopt);
    };
    table.add({std::string(tool.tool().name), value(ttft.p50), value(ttft.p99),
               value(measure::distribution_of(tool.tpot()).p50), fmt::format("{}", itl.n),
               value(itl.p50), value(itl.p99), value(measure::distribution_of(tool.e2e()).p50),
               number(tool.output_throughput()), number(tool.goodput())});
  }
  return "\n" + table.to_text();
}

}  // namespace

std::string run_text(const RunText& run) {
  const measure::Summary& s = run.summary;
  std::string text = fmt::format("endpoint     {}\nmodel        {}\n", run.endpoint, run.model);
  if (!run.emulated_by.empty()) {
    text += fmt::format("EMULATED     by '{}': no platform was measured\n", run.emulated_by);
  }
  text +=
      fmt::format("requests     {} due, {} completed, {} failed\n", s.due, s.completed, s.failed);
  text += failures(run);
  text += fmt::format("tokens       {} input, {} output (counted by: {})\n", count(s.input_tokens),
                      count(s.output_tokens), measure::name_of(s.token_source));
  text += workload_lines(run);
  text +=
      fmt::format("throughput   {} output tokens/s, {} requests/s over {} s\n",
                  number(s.output_throughput), number(s.request_throughput), number(s.duration_s));
  text += steady_line(run.steady);
  text += run.ended.empty() ? "" : fmt::format("ended        {}\n", run.ended);
  text += sla_lines(run);
  text += certificate_lines(run.certificate);
  text += "\n" + latencies(s);
  const bool doubtful = s.ttft_ms.p99 && s.ttft_ms.p99->n_too_small();
  text += definitions_table(run);
  text += doubtful ? "! n is too small: the interval of this percentile is open\n" : "";
  return text;
}

}  // namespace steelyard::report
