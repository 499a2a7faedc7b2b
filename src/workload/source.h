// Requests as they are wanted: a run of a million needs memory for those that are out, not for all.
// A session's next turn is not known before its last answer, so a source is told of every end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/request.h"

namespace steelyard::workload {

// What a result must say about the requests beside their number.
struct SourceFacts {
  bool paced = true;              // false: nothing says when; as slots are free
  bool repeats = false;           // prompts are sent more than once: a cache may have served them
  std::int64_t rows_dropped = 0;  // of a trace, without an answer
  std::int64_t sessions = 0;      // conversations begun
  std::int64_t sessions_broken = 0;  // and ended by a turn that failed
};

// Used by one thread.
class Source {
 public:
  virtual ~Source() = default;
  // When `next` is due, after the start; ascending, but for a turn that an answer called forth.
  // Absent: nothing is known now; more may come once a request that is out has ended.
  [[nodiscard]] virtual std::optional<base::Nanos> next_due() = 0;
  // Only where `next_due` has a value. Requests are numbered from 0 in the order they are taken.
  [[nodiscard]] virtual Request next() = 0;
  // Nothing will come any more, whatever is answered.
  [[nodiscard]] virtual bool over() const = 0;
  // How many there will be in all, where that is known.
  [[nodiscard]] virtual std::optional<std::int64_t> planned() const = 0;

  [[nodiscard]] virtual SourceFacts facts() const { return {}; }

  // Sessions: whether `ended` needs the answer's text, which is else not kept.
  [[nodiscard]] virtual bool wants_answers() const { return false; }
  // Request `index` ended `at` after the start; `answer` is empty unless it completed and
  // `wants_answers`.
  virtual void ended(std::size_t /*index*/, base::Nanos /*at*/, bool /*completed*/,
                     std::string_view /*answer*/) {}
};

// Requests that were made beforehand, ascending in `due`.
class ListSource : public Source {
 public:
  explicit ListSource(std::vector<Request> requests) : requests_(std::move(requests)) {}
  std::optional<base::Nanos> next_due() override {
    return over() ? std::nullopt : std::optional(requests_[next_].due);
  }
  Request next() override { return std::move(requests_[next_++]); }
  [[nodiscard]] bool over() const override { return next_ == requests_.size(); }
  [[nodiscard]] std::optional<std::int64_t> planned() const override {
    return static_cast<std::int64_t>(requests_.size());
  }

 private:
  std::vector<Request> requests_;
  std::size_t next_ = 0;
};

// What follows the first `skip` requests of another source: the rest of a run that was cut off. It
// begins with the first of them, whatever the time it was due.
class RestSource : public Source {
 public:
  RestSource(std::unique_ptr<Source> whole, std::int64_t skip) : whole_(std::move(whole)) {
    for (std::int64_t i = 0; i < skip && whole_->next_due(); ++i) {
      (void)whole_->next();
      ++skipped_;
    }
    begins_at_ = whole_->next_due().value_or(0);
  }
  std::optional<base::Nanos> next_due() override {
    const auto due = whole_->next_due();
    return due ? std::optional(*due - begins_at_) : std::nullopt;
  }
  Request next() override {
    Request request = whole_->next();
    request.due -= begins_at_;
    return request;
  }
  [[nodiscard]] bool over() const override { return whole_->over(); }
  [[nodiscard]] std::optional<std::int64_t> planned() const override {
    const auto all = whole_->planned();
    return all ? std::optional(*all - skipped_) : std::nullopt;
  }
  [[nodiscard]] SourceFacts facts() const override { return whole_->facts(); }

 private:
  std::unique_ptr<Source> whole_;
  std::int64_t skipped_ = 0;
  base::Nanos begins_at_ = 0;
};

}  // namespace steelyard::workload
