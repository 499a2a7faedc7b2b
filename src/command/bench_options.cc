#include "command/bench_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "command/definitions.h"

namespace steelyard::command {
namespace {

constexpr double kLongestReadyS = 30 * 86'400.0;

base::Result<std::map<std::string, std::string>> metadata_of(
    const std::vector<std::string>& given) {
  std::map<std::string, std::string> metadata;
  for (const std::string& pair : given) {
    const std::size_t at = pair.find('=');
    if (at == std::string::npos || at == 0) {
      return base::bad_input("--metadata", "'" + pair + "' is no KEY=VALUE", "--metadata gpu=H100");
    }
    metadata[pair.substr(0, at)] = pair.substr(at + 1);
  }
  return metadata;
}

// vLLM's form, "50,95,99.9".
base::Result<std::vector<double>> percents_of(const std::string& given) {
  std::vector<double> percents;
  for (const std::string_view part : base::split(given, ',')) {
    const std::string_view text = base::trim(part);
    double percent = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (failed != std::errc{} || end != text.data() + text.size() || !(percent > 0) ||
        percent > 100) {
      return base::bad_input("--metric-percentiles", fmt::format("'{}' is no percentile", text),
                             "numbers above 0 and up to 100, such as 50,95,99.9");
    }
    percents.push_back(percent);
  }
  return percents;
}

// "5%" of the percentile to either side of it.
base::Result<std::optional<double>> p99_within_of(const std::string& given) {
  if (given.empty()) {
    return std::nullopt;
  }
  const auto share = quantity::parse_share("--stop-when-p99-within", given);
  if (!share) {
    return tl::unexpected(share.error());
  }
  if (*share >= 1) {
    return base::bad_input("--stop-when-p99-within", given, "less than 100%, such as 5%");
  }
  return *share;
}

// What the run's source is like. It is made again for the run itself.
base::Status look_at_source(Bench& bench) {
  return workload::make_source(bench.dataset, bench.arrivals)
      .map([&](const std::unique_ptr<workload::Source>& source) {
        bench.planned = source->planned();
        bench.facts = source->facts();
        bench.shape.closed_loop = !bench.facts.paced && bench.shape.max_concurrency.has_value();
      });
}

}  // namespace

std::unique_ptr<workload::Source> source_of(const Bench& bench) {
  auto source = workload::make_source(bench.dataset, bench.arrivals);
  return source ? std::move(*source)
                : std::make_unique<workload::ListSource>(std::vector<workload::Request>{});
}

base::Result<Bench> prepare(const BenchOptions& options) {
  if (const double wait = options.ready_check_timeout_s; !(wait >= 0) || wait > kLongestReadyS) {
    return base::bad_input("--ready-check-timeout-sec", fmt::format("{} s", wait),
                           fmt::format("from 0 to {:.0f}", kLongestReadyS));
  }
  Bench bench;
  base::Status ok;
  std::vector<const measure::ToolDefinition*> tools;
  const EndpointFlags& flags = options.endpoint;
  if (take(target_of(flags), bench.target, ok) && take(options_of(flags), bench.options, ok) &&
      take(arrivals_of(flags), bench.arrivals, ok) && take(shape_of(flags), bench.shape, ok) &&
      take(dataset_of(flags, bench.arrivals.paced()), bench.dataset, ok) &&
      take(sla_of(flags), bench.sla, ok) &&
      take(metadata_of(options.metadata), bench.metadata, ok) &&
      take(percents_of(options.metric_percentiles), bench.percents, ok) &&
      take(p99_within_of(options.stop_when_p99_within), bench.p99_within, ok)) {
    ok = look_at_source(bench);
  }
  if (ok) {
    take(workload::warmup_requests(bench.dataset, flags.num_warmups), bench.warmups, ok);
  }
  if (!ok) {
    return tl::unexpected(ok.error());
  }
  if (!take(tools_of(options.definitions), tools, ok)) {
    return tl::unexpected(ok.error());
  }
  for (const measure::ToolDefinition* tool : tools) {
    bench.by_definition.emplace_back(*tool,
                                     bench.sla ? study::limits_of(*bench.sla) : measure::Limits{});
  }
  bench.run_id = fmt::format("{:x}", static_cast<std::uint64_t>(base::wall_now()));
  return bench;
}

}  // namespace steelyard::command
