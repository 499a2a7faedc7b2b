// Who takes what the engine measured. Called on the engine's thread.
#pragma once

#include <cstddef>

#include "measure/event_log.h"

namespace steelyard::load {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void on_sent(std::size_t /*index*/) {}
  // The log is the sink's to move from; what is left of it is used for the next request. False
  // stops the run: nothing more is sent, and what is out is dropped.
  [[nodiscard]] virtual bool on_finished(std::size_t index, measure::RequestLog& log) = 0;
};

}  // namespace steelyard::load
