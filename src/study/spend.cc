#include "study/spend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace steelyard::study {
namespace {

using price::PerTime;
using price::PerToken;

std::string currency_of(const price::Offer& offer) {
  if (const auto* by_time = std::get_if<PerTime>(&offer.scheme)) {
    return by_time->price.amount.currency();
  }
  return std::get<PerToken>(offer.scheme).input.amount.currency();
}

bool by_token(const Budget& budget) {
  return budget.offer && std::holds_alternative<PerToken>(budget.offer->scheme);
}

class PaidSource : public workload::Source {
 public:
  PaidSource(std::unique_ptr<workload::Source> source, Spend& spend)
      : source_(std::move(source)), spend_(spend) {}

  std::optional<base::Nanos> next_due() override {
    if (!next_ && !refused_ && source_->next_due()) {
      workload::Request request = source_->next();
      refused_ = !spend_.hold(index_, request.input_tokens, request.output_tokens);
      if (!refused_) {
        ++index_;
        next_ = std::move(request);
      }
    }
    return next_ ? std::optional(next_->due) : std::nullopt;
  }
  workload::Request next() override {
    workload::Request request = std::move(*next_);
    next_.reset();
    return request;
  }
  [[nodiscard]] bool over() const override { return !next_ && (refused_ || source_->over()); }
  [[nodiscard]] std::optional<std::int64_t> planned() const override { return source_->planned(); }
  [[nodiscard]] workload::SourceFacts facts() const override { return source_->facts(); }
  [[nodiscard]] bool wants_answers() const override { return source_->wants_answers(); }
  void ended(std::size_t index, base::Nanos at, bool completed, std::string_view answer) override {
    source_->ended(index, at, completed, answer);
  }

 private:
  std::unique_ptr<workload::Source> source_;
  Spend& spend_;
  std::optional<workload::Request> next_;
  std::int64_t index_ = 0;
  bool refused_ = false;
};

}  // namespace

base::Status check(const std::string& where, const Budget& budget) {
  if (!budget.most) {
    return {};
  }
  if (!budget.offer) {
    return base::bad_input(where, "a bound in money, and no price",
                           "--price \"1.2 USD/h\", or --price-input and --price-output");
  }
  if (const std::string currency = currency_of(*budget.offer);
      currency != budget.most->currency()) {
    return base::bad_input(where,
                           fmt::format("{} is not in the price's currency", budget.most->to_text()),
                           "an amount in " + currency);
  }
  return {};
}

std::unique_ptr<workload::Source> within(std::unique_ptr<workload::Source> source, Spend& spend) {
  return std::make_unique<PaidSource>(std::move(source), spend);
}

// The longest time that costs no more than the bound, found exactly: cost never falls with time.
std::optional<base::Nanos> Spend::money_time() const {
  if (!budget_.most || by_token(budget_)) {
    return std::nullopt;
  }
  const auto within_bound = [&](base::Nanos time) {
    price::Usage usage;
    usage.window = time;
    return !price::cost_of(*budget_.offer, usage).total.exceeds(*budget_.most);
  };
  constexpr base::Nanos kLongest = 366LL * 86'400 * base::kSecond;
  if (within_bound(kLongest)) {
    return std::nullopt;
  }
  base::Nanos low = 0;
  base::Nanos high = kLongest;
  while (high - low > 1) {
    const base::Nanos middle = low + (high - low) / 2;
    (within_bound(middle) ? low : high) = middle;
  }
  return low;
}

std::optional<base::Nanos> Spend::deadline() const {
  const auto money = money_time();
  if (!money && !budget_.time) {
    return std::nullopt;
  }
  constexpr base::Nanos kNever = std::numeric_limits<base::Nanos>::max();
  return began_ + std::min(money.value_or(kNever), budget_.time.value_or(kNever));
}

bool Spend::money_ends_first() const {
  const auto money = money_time();
  return money && (!budget_.time || *money < *budget_.time);
}

std::optional<quantity::Money> Spend::spent(base::Nanos now) const {
  if (!budget_.offer) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  price::Usage total = usage();
  total.window = by_token(budget_) ? 0 : std::max<base::Nanos>(now - began_, 0);
  return price::cost_of(*budget_.offer, total).total;
}

bool Spend::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

price::Usage Spend::usage() const {
  constexpr double kGuess = 2;
  price::Usage usage = used_;
  const double input =
      static_cast<double>(all_held_.input_tokens) * tokens_a_planned_one_.value_or(kGuess);
  usage.input_tokens += static_cast<std::int64_t>(std::ceil(input * (1 - 1e-12)));
  usage.output_tokens += all_held_.output_tokens;
  usage.requests += static_cast<std::int64_t>(held_.size());
  return usage;
}

bool Spend::hold(std::int64_t index, std::int64_t input_tokens, std::int64_t output_tokens) {
  if (!by_token(budget_)) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  held_[index] = {input_tokens, output_tokens};
  all_held_.input_tokens += input_tokens;
  all_held_.output_tokens += output_tokens;
  if (!budget_.most || !price::cost_of(*budget_.offer, usage()).total.exceeds(*budget_.most)) {
    return true;
  }
  release(held_.find(index));
  refused_ = true;
  return false;
}

Spend::Held Spend::release(std::map<std::int64_t, Held>::iterator which) {
  const Held held = which->second;
  all_held_.input_tokens -= held.input_tokens;
  all_held_.output_tokens -= held.output_tokens;
  held_.erase(which);
  return held;
}

void Spend::take(std::int64_t input_tokens, std::int64_t output_tokens) {
  used_.input_tokens += input_tokens;
  used_.output_tokens += output_tokens;
  used_.requests += 1;
}

void Spend::ended(const measure::RequestLog& log) {
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(log.index);
  if (held == held_.end()) {
    return;
  }
  const Held planned = release(held);
  if (log.input_tokens && log.output_tokens) {
    const auto asked = static_cast<double>(std::max<std::int64_t>(planned.input_tokens, 1));
    tokens_a_planned_one_ =
        std::max(tokens_a_planned_one_.value_or(0), static_cast<double>(*log.input_tokens) / asked);
    take(*log.input_tokens, *log.output_tokens);
    return;
  }
  // An answer other than 200 is not charged; anything else may have been, in full.
  if (log.http_status == 0 || log.http_status == 200) {
    take(planned.input_tokens, planned.output_tokens);
  }
}

void Spend::step_over(std::int64_t sent) {
  const std::lock_guard lock(mutex_);
  for (const auto& [index, held] : held_) {
    if (index < sent) {
      take(held.input_tokens, held.output_tokens);
    }
  }
  refused_ = false;
  held_.clear();
  all_held_ = {0, 0};
}

}  // namespace steelyard::study
