#include "study/platform_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "measure/bootstrap.h"
#include "price/cptls.h"

namespace steelyard::study {
namespace {

using measure::Outcome;
using measure::RequestLog;

std::vector<double> tokens_of(const std::vector<RequestLog>& logs, const measure::Limits* limits) {
  std::vector<double> tokens;
  for (const RequestLog& log : logs) {
    const bool counts =
        limits == nullptr ? log.outcome == Outcome::kCompleted : measure::meets(log, *limits);
    tokens.push_back(counts ? static_cast<double>(log.output_tokens.value_or(0)) : 0);
  }
  return tokens;
}

// How long a request held its slot, or as near as can be known.
double occupied_s(const RequestLog& log, const load::Target& target) {
  const bool waited = log.outcome == Outcome::kTimeout;
  return base::to_seconds(waited ? target.request_timeout
                                 : log.end_at.value_or(log.sent_at) - log.sent_at);
}

// Each request's share of the window: in a closed loop the next one waits for a slot, so the window
// is as long as the slots are held; in an open one the arrivals set its length.
std::vector<double> time_shares(const std::vector<RequestLog>& logs, const SuitePlatform& platform,
                                const Suite& suite) {
  std::vector<double> shares;
  shares.reserve(logs.size());
  for (const RequestLog& log : logs) {
    shares.push_back(suite.workload.shape.closed_loop ? occupied_s(log, platform.target) : 1);
  }
  return shares;
}

// Throughput over the sum of the blocks: between them other platforms were measured.
void take_window(PlatformResult& result, const SuitePlatform& platform, const Suite& suite) {
  measure::Summary& summary = result.summary;
  const double seconds = base::to_seconds(result.window);
  if (seconds <= 0) {
    summary.duration_s.reset();
    return;
  }
  summary.duration_s = seconds;
  summary.request_throughput = static_cast<double>(summary.completed) / seconds;
  if (!summary.output_tokens) {
    return;
  }
  summary.output_throughput = static_cast<double>(*summary.output_tokens) / seconds;
  const std::vector<double> shares = time_shares(result.logs, platform, suite);
  const double a_share = seconds / std::accumulate(shares.begin(), shares.end(), 0.0);
  if (const auto rate = measure::ratio_interval(tokens_of(result.logs, nullptr), shares,
                                                suite.workload.dataset.seed);
      rate && rate->low && rate->high) {
    result.throughput_low = *rate->low / a_share;
    result.throughput_high = *rate->high / a_share;
  }
}

// What the platform would bill: failed requests too, as far as their usage is known.
price::Usage usage_of(std::span<const RequestLog> logs, base::Nanos window) {
  price::Usage usage;
  usage.window = window;
  for (const RequestLog& log : logs) {
    usage.input_tokens += log.input_tokens.value_or(0);
    usage.output_tokens += log.output_tokens.value_or(0);
    usage.requests += log.outcome == Outcome::kCompleted ? 1 : 0;
  }
  return usage;
}

// What each request adds to the total, in any one unit.
std::vector<double> cost_shares(const std::vector<RequestLog>& logs, const SuitePlatform& platform,
                                const Suite& suite) {
  if (std::holds_alternative<price::PerTime>(platform.offer.scheme)) {
    return time_shares(logs, platform, suite);
  }
  std::vector<double> shares;
  shares.reserve(logs.size());
  for (const RequestLog& log : logs) {
    shares.push_back(price::cost_of(platform.offer, usage_of({&log, 1}, 0)).total.amount());
  }
  return shares;
}

bool tokens_known(const PlatformResult& result) {
  return std::ranges::all_of(result.logs, [](const RequestLog& log) {
    return log.outcome != Outcome::kCompleted || (log.input_tokens && log.output_tokens);
  });
}

// In the ranking's currency; absent where no rate leads there, or the amount is beyond it.
std::optional<quantity::Money> converted(const quantity::Money& money, const Suite& suite) {
  if (money.currency() == suite.currency) {
    return money;
  }
  const auto result = suite.rates ? suite.rates->convert(money, suite.currency)
                                  : base::bad_input(money.to_text(), "no exchange rates");
  return result ? std::optional(*result) : std::nullopt;
}

std::optional<double> published_index(const PlatformResult& result, const SuitePlatform& platform,
                                      const Suite& suite) {
  const auto* scheme = std::get_if<price::PerTime>(&platform.offer.scheme);
  const measure::Summary& summary = result.summary;
  const auto attainment = result.verdict.attainment.requests();
  if (scheme == nullptr || !summary.e2e_ms.mean || !summary.output_throughput || !attainment) {
    return std::nullopt;
  }
  const auto hourly =
      converted(scheme->price.of_time(3600 * base::kSecond).scaled(scheme->count, 1), suite);
  if (!hourly) {
    return std::nullopt;
  }
  const auto index = price::cptls_as_published(hourly->amount(), *summary.e2e_ms.mean / 1e3,
                                               *summary.output_throughput, *attainment);
  return index ? std::optional(index->amount) : std::nullopt;
}

// Why a platform's cost cannot be known, or nothing.
std::optional<Reason> why_no_cost(const PlatformResult& result, const SuitePlatform& platform) {
  const bool by_token = std::holds_alternative<price::PerToken>(platform.offer.scheme);
  if (by_token && !tokens_known(result)) {
    return Reason{"the server gives no token counts, so a price by token has no cost",
                  "服务端未给出 Token 数，按 Token 计价无法算出成本"};
  }
  if (!by_token && result.window == 0) {
    return Reason{"nothing was ever answered, so no time can be billed",
                  "从未收到任何应答，没有可计费的时长"};
  }
  return std::nullopt;
}

CostResult cost_of(const PlatformResult& result, price::CostBill bill, const quantity::Money& total,
                   const SuitePlatform& platform, const Suite& suite) {
  CostResult cost{std::move(bill), total, {}, {}, {}, {}, {}};
  const auto amount = [](const std::optional<price::PerMillionTokens>& price) {
    return price ? std::optional(price->amount) : std::nullopt;
  };
  cost.per_million_output_tokens =
      amount(price::cptls_of_window(total, result.summary.output_tokens.value_or(0)));
  cost.cptls = amount(price::cptls_of_window(total, result.verdict.attainment.good_output_tokens));
  const measure::Limits limits = limits_of(suite.sla);
  if (const auto interval =
          price::cptls_interval(total, cost_shares(result.logs, platform, suite),
                                tokens_of(result.logs, &limits), suite.workload.dataset.seed)) {
    cost.cptls_low = interval->low.amount;
    cost.cptls_high = amount(interval->high);
  }
  cost.published_index = published_index(result, platform, suite);
  return cost;
}

// The cost, or a reason why there is none.
void take_cost(PlatformResult& result, const SuitePlatform& platform, const Suite& suite) {
  if (result.logs.empty()) {
    return;
  }
  if (auto why = why_no_cost(result, platform)) {
    result.reasons.push_back(std::move(*why));
    return;
  }
  price::CostBill bill = price::cost_of(platform.offer, usage_of(result.logs, result.window));
  const auto total = converted(bill.total, suite);
  if (!total) {
    const std::string text = bill.total.to_text();
    result.reasons.push_back({text + " cannot be converted to " + suite.currency,
                              text + " 无法换算为 " + suite.currency});
    return;
  }
  result.cost = cost_of(result, std::move(bill), *total, platform, suite);
}

void take_failures(PlatformResult& result) {
  for (const RequestLog& log : result.logs) {
    if (log.outcome != Outcome::kCompleted) {
      result.failure_examples.try_emplace(log.outcome, log.failure);
    }
  }
}

// Whether it can be chosen, and why not where the SLA is no reason.
void decide(PlatformResult& result, const std::optional<base::Error>& gave_up, bool interrupted) {
  const bool good_tokens = result.verdict.attainment.good_output_tokens > 0;
  result.feasible = result.verdict.met && result.cost && result.cost->cptls && !gave_up;
  if (gave_up) {
    const std::string line = base::to_line(*gave_up);
    result.reasons = {{"could not be measured: " + line, "无法测量：" + line}};
  } else if (result.logs.empty() && interrupted) {
    result.reasons = {{"not measured before the interruption", "中断前尚未测量"}};
  } else if (result.verdict.met && result.cost && !good_tokens) {
    result.reasons.push_back({"the server gives no token counts, so no cost a token is known",
                              "服务端未给出 Token 数，无法得知单位 Token 成本"});
  }
}

}  // namespace

PlatformResult conclude(const Suite& suite, const SuitePlatform& platform, Measured measured) {
  PlatformResult result;
  result.name = platform.name;
  result.emulated = measured.emulated;
  result.logs = std::move(measured.logs);
  result.window = measured.window;
  result.summary = measure::summarise(result.logs);
  take_window(result, platform, suite);
  result.verdict = judge(suite.sla, result.logs, result.summary);
  result.reasons = result.verdict.reasons;
  result.certificate = measure::certify(measured.health);
  take_cost(result, platform, suite);
  take_failures(result);
  decide(result, measured.gave_up, measured.interrupted);
  return result;
}

void rank(std::vector<PlatformResult>& platforms) {
  const auto key = [](const PlatformResult& result) {
    const double price = result.cost && result.cost->cptls
                             ? *result.cost->cptls
                             : std::numeric_limits<double>::infinity();
    return std::pair(!result.feasible, price);
  };
  std::ranges::stable_sort(platforms, {}, key);
  std::int64_t next = 1;
  for (PlatformResult& result : platforms) {
    if (result.feasible) {
      result.rank = next++;
    }
  }
}

}  // namespace steelyard::study
