// What bench keeps in a store: its settings, and each request as it ends. A run that was cut off
// can be taken up again where it stopped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "measure/event_log.h"
#include "store/store.h"
#include "store/writer.h"

namespace steelyard::command {

class BenchRecord {
 public:
  // A new run of those settings. `endpoint` names whom the requests are sent to.
  [[nodiscard]] static base::Result<BenchRecord> begin(const std::string& path,
                                                       const base::Json& settings,
                                                       const std::string& endpoint);
  // An interrupted run goes on. One that does not exist, is over, or was made with other settings
  // is bad input.
  [[nodiscard]] static base::Result<BenchRecord> resume(const std::string& path,
                                                        const std::string& run_id,
                                                        const base::Json& settings,
                                                        const std::string& endpoint);

  [[nodiscard]] const std::string& run_id() const { return run_id_; }
  // What the earlier sittings measured. Their times are moved so that the last of it ends at `now`:
  // the break between is no part of the run.
  [[nodiscard]] std::vector<measure::RequestLog> earlier(base::Nanos now) const;
  // How many requests the earlier sittings took, those that were out at their end included.
  [[nodiscard]] std::int64_t taken() const { return taken_; }
  // Of them, those whose end nobody saw.
  [[nodiscard]] std::int64_t lost() const {
    return taken_ - static_cast<std::int64_t>(earlier_.size());
  }

  // On the engine's thread.
  [[nodiscard]] bool take(const measure::RequestLog& log);
  // Writes the rest, and how the run ended. What the store lacks is an environment error.
  [[nodiscard]] base::Status finish(bool interrupted, const std::optional<std::string>& json);

 private:
  BenchRecord(store::Store store, std::string run_id, std::string endpoint);

  std::unique_ptr<store::Store> store_;
  std::string run_id_;
  std::string endpoint_;
  std::vector<measure::RequestLog> earlier_;
  std::int64_t taken_ = 0;
  std::unique_ptr<store::Writer> writer_;
};

}  // namespace steelyard::command
