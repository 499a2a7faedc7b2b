#include "report/evaluation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/definitions.h"
#include "report/figures.h"
#include "report/self_test_text.h"
#include "report/table.h"

namespace steelyard::report {
namespace {

using base::Align;
using study::Evaluation;
using study::PlatformResult;

constexpr std::size_t kNameColumns = 48;
constexpr std::size_t kNamedPeers = 3;

// The one place where a text stands in both languages; `pick` gives the right one.
struct Pick {
  Language language;
  const char* operator()(const char* en, const char* zh) const {
    return language == Language::kEnglish ? en : zh;
  }
};

// Rounding turns no share into another verdict: what is short of all, or of the target, stays so.
std::string percent(const std::optional<double>& share, double target = 1) {
  if (!share) {
    return "-";
  }
  const double tenths = 1000 * *share;
  const auto crosses = [&](double edge) {
    return *share < edge * (1 - 1e-12) && std::round(tenths) >= 1000 * edge;
  };
  const bool down = crosses(1) || crosses(target);
  return fmt::format("{:.1f} %", (down ? std::floor(tenths) : std::round(tenths)) / 10);
}

std::string price(const std::optional<double>& amount) {
  return amount ? fmt::format("{:.3g}", *amount) : "-";
}

std::string interval(const PlatformResult& result) {
  if (!result.cost || !result.cost->cptls_low) {
    return "-";
  }
  return fmt::format("[{}, {}]", price(result.cost->cptls_low),
                     result.cost->cptls_high ? price(result.cost->cptls_high) : "…");
}

std::string shown_name(const PlatformResult& result) {
  return base::shorten(result.name, kNameColumns) + (result.emulated ? " *" : "");
}

// What the requests are worth in independent ones, for the least sure of the percentiles shown.
std::optional<double> least_worth(const measure::Summary& summary) {
  std::optional<double> least;
  for (const auto* p :
       {&summary.ttft_ms.p50, &summary.ttft_ms.p99, &summary.e2e_ms.p50, &summary.e2e_ms.p99}) {
    if (*p && (*p)->n_effective) {
      least = std::min(least.value_or(*(*p)->n_effective), *(*p)->n_effective);
    }
  }
  return least;
}

Table ranking_table(const Evaluation& evaluation, const Pick& pick) {
  const std::string& currency = evaluation.suite.currency;
  Table table({{"#"},
               {pick("platform", "平台"), Align::kLeft},
               {fmt::format("CPTLS {}/M", currency)},
               {pick("95 % interval", "95 % 区间")},
               {fmt::format("{} {}/M", pick("cost", "成本"), currency)},
               {pick("SLA met", "达标率")},
               {pick("by token", "按 Token")},
               {"TTFT P50"},
               {"P99"},
               {"E2E P50"},
               {"P99 ms"},
               {pick("tok/s", "Token/s")},
               {"n"},
               {pick("n eff.", "有效 n")},
               {pick("failed", "失败")}});
  for (const PlatformResult& r : evaluation.platforms) {
    const measure::Summary& s = r.summary;
    const bool costed = r.cost.has_value();
    table.add({r.rank ? fmt::format("{}", *r.rank) : "–", shown_name(r),
               costed ? price(r.cost->cptls) : "-", interval(r),
               costed ? price(r.cost->per_million_output_tokens) : "-",
               percent(r.verdict.attainment.requests(), evaluation.suite.sla.target),
               percent(r.verdict.attainment.tokens()), percentile_text(s.ttft_ms.p50),
               percentile_text(s.ttft_ms.p99), percentile_text(s.e2e_ms.p50),
               percentile_text(s.e2e_ms.p99), number(s.output_throughput), fmt::format("{}", s.due),
               number(least_worth(s)), fmt::format("{}", s.failed)});
  }
  return table;
}

// The published formula's figure beside ours, never in one column with it.
Table index_table(const Evaluation& evaluation, const Pick& pick) {
  Table table({{pick("platform", "平台"), Align::kLeft},
               {fmt::format("cptls_as_published, {}*s/token", evaluation.suite.currency)},
               {pick("offer", "报价"), Align::kLeft},
               {pick("date", "日期"), Align::kLeft},
               {pick("source", "来源"), Align::kLeft}});
  for (const PlatformResult& r : evaluation.platforms) {
    const study::SuitePlatform& asked = evaluation.suite.platform(r.name);
    table.add(
        {shown_name(r),
         r.cost && r.cost->published_index ? fmt::format("{:.3g}", *r.cost->published_index) : "-",
         asked.offer_text, asked.offer.date, asked.offer.source});
  }
  return table;
}

std::string workload_line(const Evaluation& evaluation, const Pick& pick) {
  std::int64_t input = 0;
  std::int64_t output = 0;
  for (const workload::Request& request : evaluation.suite.requests) {
    input += request.input_tokens;
    output += request.output_tokens;
  }
  const auto n = static_cast<std::int64_t>(evaluation.suite.requests.size());
  const auto slots = evaluation.suite.workload.shape.max_concurrency;
  return fmt::format(
      fmt::runtime(pick("{} requests a platform in {} rounds, mean {} input and {} output tokens{}",
                        "每平台 {} 个请求，分 {} 轮，平均输入 {} Token、输出 {} Token{}")),
      n, evaluation.suite.workload.rounds, input / n, output / n,
      slots ? fmt::format(fmt::runtime(pick(", {} at once", "，并发 {}")), *slots) : "");
}

std::string sla_line(const study::Sla& sla, const Pick& pick) {
  std::string text;
  for (const quantity::SlaTerm& term : sla.terms) {
    text += (text.empty() ? "" : ", ") + to_text(term);
  }
  return fmt::format(fmt::runtime(pick("SLA {}; target {:.4g} %", "SLA：{}；目标 {:.4g} %")), text,
                     100 * sla.target);
}

// Whether the dearer one may as well be the cheaper: an interval that is open or absent rules
// nothing out.
bool may_be_cheaper(const PlatformResult& dear, const PlatformResult& cheap) {
  const auto& high = cheap.cost->cptls_high;
  const auto& low = dear.cost->cptls_low;
  return !high || !low || *high >= *low;
}

// "A, B": the feasible ones that cannot be told apart from the first; of many, the nearest.
std::string peers_of_first(const std::vector<PlatformResult>& all, const Pick& pick) {
  std::vector<std::string> names;
  for (const PlatformResult& other : std::span(all).subspan(1)) {
    if (other.rank && may_be_cheaper(other, all.front())) {
      names.push_back(other.name);
    }
  }
  if (names.size() <= kNamedPeers + 1) {
    return base::join(names, ", ");
  }
  return fmt::format(fmt::runtime(pick("{} and {} more", "{} 等 {} 个平台")),
                     base::join(std::span(names).first(kNamedPeers), ", "),
                     names.size() - (pick.language == Language::kEnglish ? kNamedPeers : 0));
}

std::string verdict_line(const Evaluation& evaluation, const Pick& pick) {
  const auto& all = evaluation.platforms;
  if (all.empty() || !all.front().rank) {
    return pick("No platform meets the SLA.", "没有平台满足 SLA。");
  }
  const PlatformResult& best = all.front();
  const std::string amount =
      fmt::format("{} {}", price(best.cost->cptls), evaluation.suite.currency);
  std::string text = fmt::format(
      fmt::runtime(pick("Cheapest within the SLA: {}, {} per million good output tokens",
                        "满足 SLA 的最低成本：{}，每百万达标输出 Token {}")),
      best.name, amount);
  if (const std::string peers = peers_of_first(all, pick); !peers.empty()) {
    text += fmt::format(fmt::runtime(pick("; it cannot be told apart from {}", "；与 {} 无法区分")),
                        peers);
  }
  return text + pick(".", "。");
}

std::string legend(const Evaluation& evaluation, const Pick& pick) {
  std::string text;
  const auto any = [&](auto holds) { return std::ranges::any_of(evaluation.platforms, holds); };
  if (any([](const PlatformResult& r) { return r.emulated; })) {
    text += pick("* emulated: no real platform was measured\n", "* 仿真：未测量真实平台\n");
  }
  if (any([](const PlatformResult& r) {
        return (r.summary.ttft_ms.p99 && r.summary.ttft_ms.p99->n_too_small()) ||
               (r.summary.e2e_ms.p99 && r.summary.e2e_ms.p99->n_too_small());
      })) {
    text += pick("! n is too small: the 95 % interval of this percentile is open\n",
                 "! 样本过少：该分位数的 95 % 区间无上界\n");
  }
  return text;
}

std::string reasons(const Evaluation& evaluation, const Pick& pick) {
  std::string text;
  for (const PlatformResult& r : evaluation.platforms) {
    if (!r.feasible) {
      for (const study::Reason& reason : r.reasons) {
        text += fmt::format(fmt::runtime(pick("– {}: {}\n", "– {}：{}\n")), r.name,
                            in(reason, pick.language));
      }
    }
    using Verdict = measure::Certificate::Verdict;
    if (r.certificate.verdict != Verdict::kValid) {
      const char* doubt = r.certificate.verdict == Verdict::kDegraded
                              ? pick("client degraded", "客户端存疑")
                              : pick("client invalid", "客户端无效");
      for (const std::string& reason : r.certificate.reasons) {
        text += fmt::format(fmt::runtime(pick("  {} ({}): {}\n", "  {}（{}）：{}\n")), r.name,
                            doubt, reason);
      }
    }
  }
  if (!evaluation.platforms.empty()) {
    if (const auto& test = evaluation.platforms.front().certificate.self_test) {
      text +=
          pick("Client self-test: ", "客户端自检：") + self_test_text(*test, pick.language) + "\n";
    }
  }
  return text;
}

std::string rate_lines(const Evaluation& evaluation) {
  std::string text;
  std::vector<std::string> seen;
  for (const PlatformResult& r : evaluation.platforms) {
    if (!r.cost || !evaluation.suite.rates) {
      continue;
    }
    const std::string line =
        evaluation.suite.rates->describe(r.cost->bill.total.currency(), evaluation.suite.currency);
    if (!line.empty() && std::ranges::find(seen, line) == seen.end()) {
      seen.push_back(line);
      text += line + "\n";
    }
  }
  return text;
}

// What a reader must know, the interruption first.
std::string notes(const Evaluation& evaluation, Language language) {
  std::string text;
  if (evaluation.interrupted) {
    text += Pick{language}("- interrupted: fewer requests were measured than asked for\n",
                           "- 已中断：实测请求数少于要求\n");
  }
  for (const study::Reason& note : evaluation.notes) {
    text += "- " + in(note, language) + "\n";
  }
  return text;
}

// Each line as a line of its own, for Markdown would join them.
std::string markdown_lines(std::string_view lines) {
  std::string text;
  for (const std::string_view line : base::split(lines, '\n')) {
    text += line.empty() ? "" : markdown_text(line) + "  \n";
  }
  return text;
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation, Language language) {
  const Pick pick{language};
  return verdict_line(evaluation, pick) + "\n\n" + ranking_table(evaluation, pick).to_text() +
         legend(evaluation, pick) + reasons(evaluation, pick) + "\n" +
         index_table(evaluation, pick).to_text() + rate_lines(evaluation) + "\n" +
         workload_line(evaluation, pick) + "\n" + sla_line(evaluation.suite.sla, pick) + "\n" +
         notes(evaluation, language);
}

std::string evaluation_markdown(const Evaluation& evaluation, Language language) {
  const Pick pick{language};
  std::string text = fmt::format("# {}\n\n**{}**\n\n", markdown_text(evaluation.suite.name),
                                 markdown_text(verdict_line(evaluation, pick)));
  text += ranking_table(evaluation, pick).to_markdown() + "\n" +
          markdown_lines(legend(evaluation, pick) + reasons(evaluation, pick)) + "\n" +
          index_table(evaluation, pick).to_markdown() + "\n" +
          markdown_lines(fmt::format(
              "{}{}\n{}\n{} – {}\n", rate_lines(evaluation), workload_line(evaluation, pick),
              sla_line(evaluation.suite.sla, pick), base::iso8601_utc(evaluation.started_at),
              base::iso8601_utc(evaluation.ended_at))) +
          "\n";
  const std::string all_notes = notes(evaluation, language);
  for (const std::string_view line : base::split(all_notes, '\n')) {
    text += line.empty() ? "" : fmt::format("- {}\n", markdown_text(line.substr(2)));
  }
  text += "\n";
  for (const Definition& definition : kDefinitions) {
    text += fmt::format(
        "- **{}**: {}\n", markdown_text(name_of(definition, language)),
        markdown_text(language == Language::kEnglish ? definition.text_en : definition.text_zh));
  }
  return text;
}

}  // namespace steelyard::report
