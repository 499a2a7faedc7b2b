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

// Of each request; nothing where it does not count.
std::vector<double> tokens_of(const Measured& measured, bool RequestShare::* counts) {
  std::vector<double> tokens;
  tokens.reserve(measured.requests.size());
  for (const RequestShare& request : measured.requests) {
    tokens.push_back(request.*counts ? static_cast<double>(request.output_tokens.value_or(0)) : 0);
  }
  return tokens;
}

// Each request's share of the window: in a closed loop the next one waits for a slot, so the window
// is as long as the slots are held; in an open one the arrivals set its length.
std::vector<double> time_shares(const Measured& measured, const SuitePlatform& platform,
                                const Suite& suite) {
  std::vector<double> shares;
  shares.reserve(measured.requests.size());
  for (const RequestShare& request : measured.requests) {
    const base::Nanos held = request.timed_out ? platform.target.request_timeout : request.held;
    shares.push_back(suite.workload.shape.closed_loop ? base::to_seconds(held) : 1);
  }
  return shares;
}

// Throughput over the sum of the blocks: between them other platforms were measured.
void take_window(PlatformResult& result, const Measured& measured, const SuitePlatform& platform,
                 const Suite& suite) {
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
  const std::vector<double> shares = time_shares(measured, platform, suite);
  const double a_share = seconds / std::accumulate(shares.begin(), shares.end(), 0.0);
  if (const auto rate = measure::ratio_interval(tokens_of(measured, &RequestShare::completed),
                                                shares, suite.workload.dataset.seed);
      rate && rate->low && rate->high) {
    result.throughput_low = *rate->low / a_share;
    result.throughput_high = *rate->high / a_share;
  }
}

// What the platform would bill: failed requests too, as far as their usage is known.
price::Usage usage_of(std::span<const RequestShare> requests, base::Nanos window) {
  price::Usage usage;
  usage.window = window;
  for (const RequestShare& request : requests) {
    usage.input_tokens += request.input_tokens.value_or(0);
    usage.output_tokens += request.output_tokens.value_or(0);
    usage.requests += request.completed ? 1 : 0;
  }
  return usage;
}

// What each request adds to the total, in any one unit.
std::vector<double> cost_shares(const Measured& measured, const SuitePlatform& platform,
                                const Suite& suite) {
  if (std::holds_alternative<price::PerTime>(platform.offer.scheme)) {
    return time_shares(measured, platform, suite);
  }
  std::vector<double> shares;
  shares.reserve(measured.requests.size());
  for (const RequestShare& request : measured.requests) {
    shares.push_back(price::cost_of(platform.offer, usage_of({&request, 1}, 0)).total.amount());
  }
  return shares;
}

bool tokens_known(const Measured& measured) {
  return std::ranges::all_of(measured.requests, [](const RequestShare& request) {
    return !request.completed || (request.input_tokens && request.output_tokens);
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
std::optional<Reason> why_no_cost(const Measured& measured, const SuitePlatform& platform) {
  const bool by_token = std::holds_alternative<price::PerToken>(platform.offer.scheme);
  if (by_token && !tokens_known(measured)) {
    return Reason{"the server gives no token counts, so a price by token has no cost",
                  "服务端未给出 Token 数，按 Token 计价无法算出成本"};
  }
  if (!by_token && measured.window == 0) {
    return Reason{"nothing was ever answered, so no time can be billed",
                  "从未收到任何应答，没有可计费的时长"};
  }
  return std::nullopt;
}

CostResult cost_of(const PlatformResult& result, const Measured& measured, CostResult cost,
                   const SuitePlatform& platform, const Suite& suite) {
  const quantity::Money total = cost.total;
  const auto amount = [](const std::optional<price::PerMillionTokens>& price) {
    return price ? std::optional(price->amount) : std::nullopt;
  };
  cost.per_million_output_tokens =
      amount(price::cptls_of_window(total, result.summary.output_tokens.value_or(0)));
  cost.cptls = amount(price::cptls_of_window(total, result.verdict.attainment.good_output_tokens));
  if (const auto interval = price::cptls_interval(total, cost_shares(measured, platform, suite),
                                                  tokens_of(measured, &RequestShare::met),
                                                  suite.workload.dataset.seed)) {
    cost.cptls_low = interval->low.amount;
    cost.cptls_high = amount(interval->high);
  }
  cost.published_index = published_index(result, platform, suite);
  return cost;
}

// The cost, or a reason why there is none.
void take_cost(PlatformResult& result, const Measured& measured, const SuitePlatform& platform,
               const Suite& suite) {
  if (measured.requests.empty()) {
    return;
  }
  if (auto why = why_no_cost(measured, platform)) {
    result.reasons.push_back(std::move(*why));
    return;
  }
  price::CostBill bill =
      price::cost_of(platform.offer, usage_of(measured.requests, measured.window));
  const auto total = converted(bill.total, suite);
  if (!total) {
    const std::string text = bill.total.to_text();
    result.reasons.push_back({text + " cannot be converted to " + suite.currency,
                              text + " 无法换算为 " + suite.currency});
    return;
  }
  result.cost =
      cost_of(result, measured, {std::move(bill), *total, {}, {}, {}, {}, {}}, platform, suite);
}

// Whether it can be chosen, and why not where the SLA is no reason.
void decide(PlatformResult& result, const std::optional<base::Error>& gave_up, bool interrupted) {
  const bool good_tokens = result.verdict.attainment.good_output_tokens > 0;
  result.feasible = result.verdict.met && result.cost && result.cost->cptls && !gave_up;
  if (gave_up) {
    const std::string line = base::to_line(*gave_up);
    result.reasons = {{"could not be measured: " + line, "无法测量：" + line}};
  } else if (result.summary.due == 0 && interrupted) {
    result.reasons = {{"not measured before the interruption", "中断前尚未测量"}};
  } else if (result.verdict.met && result.cost && !good_tokens) {
    result.reasons.push_back({"the server gives no token counts, so no cost a token is known",
                              "服务端未给出 Token 数，无法得知单位 Token 成本"});
  }
}

}  // namespace

void Measured::keep_share(const measure::RequestLog& log, const measure::Limits& limits) {
  requests.push_back({log.outcome == Outcome::kCompleted, log.outcome == Outcome::kTimeout,
                      measure::meets(log, limits), log.input_tokens, log.output_tokens,
                      log.end_at.value_or(log.sent_at) - log.sent_at});
}

PlatformResult conclude(const Suite& suite, const SuitePlatform& platform, Measured measured,
                        const std::optional<measure::SelfTest>& self_test) {
  PlatformResult result;
  result.name = platform.name;
  result.emulated = measured.emulated;
  result.window = measured.window;
  result.summary = measured.figures.run.summary();
  take_window(result, measured, platform, suite);
  result.verdict = measured.figures.sla.verdict(result.summary);
  result.reasons = result.verdict.reasons;
  result.certificate = measure::certify(measured.health, self_test);
  take_cost(result, measured, platform, suite);
  decide(result, measured.gave_up, measured.interrupted);
  result.failure_examples = std::move(measured.figures.failure_examples);
  result.figures = std::move(measured.figures.run);
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
