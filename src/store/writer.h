// Keeps the requests of one run as they end, on a thread of its own: at most a second of them is
// lost with the process, and whoever measures never waits for the disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"

namespace steelyard::store {

class Writer {
 public:
  // Uses the store alone until `finish`.
  Writer(Store& store, std::string run_id);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // From one other thread. What the store refuses, when another process holds it for long, is tried
  // again. False when so much waits that memory would run out: it is not taken.
  [[nodiscard]] bool take(const std::string& platform, std::int64_t round,
                          const measure::RequestLog& log);
  // Writes the rest; at most once. What the store said where it still lacks some of it.
  std::optional<base::Error> finish();

 private:
  struct Block {
    std::string platform;
    std::int64_t round;
    std::vector<measure::RequestLog> logs;
  };

  void work();
  void write(std::deque<Block>& blocks);

  Store& store_;
  std::string run_id_;
  std::mutex mutex_;  // guards what follows; held for a copy of one log, never for the disk
  std::condition_variable wake_;
  std::deque<Block> waiting_;
  std::size_t waiting_bytes_ = 0;  // of `waiting_` and of what is being written
  bool over_ = false;
  std::optional<base::Error> failure_;
  std::thread thread_;  // the last: it uses all the others
};

}  // namespace steelyard::store
