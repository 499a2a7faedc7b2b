// What measuring costs, and where it must end so as not to pass a bound. A price by time counts
// every second from the beginning on, for the machine is rented between steps too; a price by token
// counts each request before it is sent, with all the output it may ask for, until the server's own
// usage says what it was.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "measure/event_log.h"
#include "price/offer.h"
#include "workload/source.h"

namespace steelyard::study {

struct Budget {
  std::optional<price::Offer> offer;    // has passed price::check
  std::optional<quantity::Money> most;  // in the offer's currency
  std::optional<base::Nanos> time;
};
// A bound without a price, or in another currency. `where` names the bound.
[[nodiscard]] base::Status check(const std::string& where, const Budget& budget);

class Spend {
 public:
  explicit Spend(Budget budget) : budget_(std::move(budget)) {}

  void begin(base::Nanos now) { began_ = now; }
  // When the time or the money for it is over; absent: never.
  [[nodiscard]] std::optional<base::Nanos> deadline() const;
  // Whether it is the money that ends it then.
  [[nodiscard]] bool money_ends_first() const;
  // Never too little: what is out counts with all it may cost. Absent without a price.
  [[nodiscard]] std::optional<quantity::Money> spent(base::Nanos now) const;
  // A request of this step would have passed the bound and was not sent.
  [[nodiscard]] bool refused() const;

  // From any thread. Holds the most a request may cost; false: the bound does not allow it.
  [[nodiscard]] bool hold(std::int64_t index, std::int64_t input_tokens,
                          std::int64_t output_tokens);
  // It ended: what it cost takes the place of what was held.
  void ended(const measure::RequestLog& log);
  // The step is over, of whose requests so many were sent. What was sent and never ended counts
  // with all that was held for it.
  void step_over(std::int64_t sent);

 private:
  struct Held {
    std::int64_t input_tokens;
    std::int64_t output_tokens;
  };
  [[nodiscard]] std::optional<base::Nanos> money_time() const;
  [[nodiscard]] price::Usage usage() const;
  Held release(std::map<std::int64_t, Held>::iterator which);
  void take(std::int64_t input_tokens, std::int64_t output_tokens);

  Budget budget_;
  base::Nanos began_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  price::Usage used_;
  std::map<std::int64_t, Held> held_;
  Held all_held_{0, 0};
  // The most that the server counted for a planned input token; before it has counted any, a guess
  // on the safe side.
  std::optional<double> tokens_a_planned_one_;
  bool refused_ = false;
};

// The requests of a source as long as they may be paid. `spend` outlives it.
[[nodiscard]] std::unique_ptr<workload::Source> within(std::unique_ptr<workload::Source> source,
                                                       Spend& spend);

}  // namespace steelyard::study
