// An emulated platform within this process, on a thread of its own.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "emulate/profile.h"

namespace steelyard::study {

class EmulatorHost {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<EmulatorHost>> start(
      const emulate::Profile& profile);
  ~EmulatorHost();
  EmulatorHost(const EmulatorHost&) = delete;
  EmulatorHost& operator=(const EmulatorHost&) = delete;
  // "http://127.0.0.1:40123"
  [[nodiscard]] const std::string& url() const;

 private:
  EmulatorHost();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steelyard::study
