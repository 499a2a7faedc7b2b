#include "report/runs_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "report/figures.h"
#include "report/table.h"

namespace steelyard::report {
namespace {

using base::Align;

constexpr std::size_t kWidestName = 48;

std::string duration(const store::RunRecord& run) {
  return run.ended_at ? fmt::format("{:.1f} s", base::to_seconds(*run.ended_at - run.started_at))
                      : "-";
}

// Names are a user's, and a terminal must show them as what they are.
std::string name_text(const std::string& name) {
  std::string text = base::valid_utf8(name);
  if (base::has_control(text)) {
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  }
  return text;
}

base::Json time_json(const std::optional<base::Nanos>& wall) {
  return wall ? base::Json(base::iso8601_utc(*wall)) : base::Json();
}

}  // namespace

std::string runs_text(std::span<const ListedRun> runs) {
  if (runs.empty()) {
    return "no runs\n";
  }
  Table table({{"run", Align::kLeft},
               {"kind", Align::kLeft},
               {"status", Align::kLeft},
               {"started (UTC)", Align::kLeft},
               {"took"},
               {"requests"},
               {"completed"},
               {"name", Align::kLeft}});
  for (const ListedRun& listed : runs) {
    std::int64_t requests = 0;
    std::int64_t completed = 0;
    for (const store::PlatformRecord& platform : listed.platforms) {
      requests += platform.requests;
      completed += platform.completed;
    }
    const store::RunRecord& run = listed.run;
    table.add({run.id, run.kind, std::string(store::name_of(run.status)),
               base::iso8601_utc(run.started_at), duration(run), fmt::format("{}", requests),
               fmt::format("{}", completed), base::shorten(name_text(run.name), kWidestName)});
  }
  return table.to_text();
}

std::string runs_json(std::span<const ListedRun> runs) {
  base::Json all = base::Json::array();
  for (const ListedRun& listed : runs) {
    base::Json platforms = base::Json::array();
    for (const store::PlatformRecord& platform : listed.platforms) {
      platforms.push_back({{"platform", platform.platform},
                           {"requests", platform.requests},
                           {"completed", platform.completed}});
    }
    const store::RunRecord& run = listed.run;
    all.push_back({{"id", run.id},
                   {"kind", run.kind},
                   {"name", run.name},
                   {"status", store::name_of(run.status)},
                   {"started_at", time_json(run.started_at)},
                   {"ended_at", time_json(run.ended_at)},
                   {"platforms", std::move(platforms)}});
  }
  return base::dump_json({{"schema_version", 1}, {"runs", std::move(all)}}, 2) + "\n";
}

std::string run_record_text(const store::RunRecord& run,
                            std::span<const PlatformFigures> platforms) {
  const std::string text =
      fmt::format("run      {}\nkind     {}\nname     {}\nstatus   {}\nstarted  {}\ntook     {}\n",
                  run.id, run.kind, name_text(run.name), store::name_of(run.status),
                  base::iso8601_utc(run.started_at), duration(run));
  Table table({{"platform", Align::kLeft},
               {"n"},
               {"failed"},
               {"TTFT P50"},
               {"P99"},
               {"TPOT P50"},
               {"E2E P50"},
               {"P99 ms"},
               {"tok/s"}});
  for (const auto& [platform, summary] : platforms) {
    table.add({name_text(platform), fmt::format("{}", summary.completed),
               fmt::format("{}", summary.failed), percentile_text(summary.ttft_ms.p50),
               percentile_text(summary.ttft_ms.p99), percentile_text(summary.tpot_ms.p50),
               percentile_text(summary.e2e_ms.p50), percentile_text(summary.e2e_ms.p99),
               number(summary.output_throughput)});
  }
  return platforms.empty() ? text + "no requests\n" : text + "\n" + table.to_text();
}

}  // namespace steelyard::report
