// A key or token. It has no formatter and no stream operator, so it cannot reach a log, a report or
// an error by accident; `reveal` is called where a request's header is written, and nowhere else.
#pragma once

#include <string>
#include <utility>

namespace steelyard::base {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  [[nodiscard]] bool empty() const { return value_.empty(); }
  [[nodiscard]] const std::string& reveal() const { return value_; }

 private:
  std::string value_;
};

// `text` with every occurrence of the secret replaced by "***": for what a server echoes back.
[[nodiscard]] std::string redact(std::string text, const Secret& secret);

}  // namespace steelyard::base
