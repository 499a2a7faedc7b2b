// What went wrong, where, and what would be right: the one shape of every failure that reaches a
// person. `Result<T>` carries it; only command/main.cc turns it into a line and an exit code.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace steelyard::base {

enum class ErrorCode {
  kBadInput,     // the user's file, flag or data is wrong: exit code 2
  kEnvironment,  // network, disk, permissions, a peer that does not answer: exit code 3
};

struct Error {
  ErrorCode code = ErrorCode::kBadInput;
  std::string where;  // "--request-rate", "suite.yaml:12:5", "http://host:8000"; may be empty
  std::string what;   // what is wrong
  std::string hint;   // what would be right; may be empty
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

[[nodiscard]] inline tl::unexpected<Error> bad_input(std::string where, std::string what,
                                                     std::string hint = {}) {
  return tl::unexpected<Error>(
      Error{ErrorCode::kBadInput, std::move(where), std::move(what), std::move(hint)});
}
[[nodiscard]] inline tl::unexpected<Error> environment_error(std::string where, std::string what,
                                                             std::string hint = {}) {
  return tl::unexpected<Error>(
      Error{ErrorCode::kEnvironment, std::move(where), std::move(what), std::move(hint)});
}

// One line: "where: what (hint)". Line breaks and other control characters become spaces.
[[nodiscard]] std::string to_line(const Error& error);

// 2 for bad input, 3 for the environment.
[[nodiscard]] int exit_code(ErrorCode code);

}  // namespace steelyard::base
