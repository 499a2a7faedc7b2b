// The truth server: an OpenAI-compatible server without a model, built to measure load generators
// against. It paces each stream by an absolute schedule from the request's arrival, writes each
// token alone, and knows when it did; or it writes whole answers at once, to find a client's limit.
//
// One thread and epoll by hand: the pieces are few, and the cost of a token is then that of its
// system call. Routes: POST /v1/completions and /v1/chat/completions; GET /v1/models, /health,
// /truth, /truth/summary; DELETE /truth begins anew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "emulate/answer_bytes.h"
#include "emulate/pace_queue.h"
#include "emulate/quick_request.h"
#include "emulate/truth_connection.h"
#include "emulate/truth_options.h"
#include "emulate/truth_tally.h"

namespace steelyard::emulate {

class TruthServer {
 public:
  // Listens at once. A port in use or an address that is not ours is an environment error.
  [[nodiscard]] static base::Result<std::unique_ptr<TruthServer>> start(TruthOptions options);
  ~TruthServer();
  TruthServer(const TruthServer&) = delete;
  TruthServer& operator=(const TruthServer&) = delete;

  // "http://127.0.0.1:8000"
  [[nodiscard]] std::string url() const;
  // Serves until stop(), which any thread and any signal handler may call.
  void run();
  void stop() const;

 private:
  explicit TruthServer(TruthOptions options);
  base::Status listen();
  void accept_waiting();
  void wait_for_events();
  void on_event(std::uint64_t tag, std::uint32_t events);
  void on_readable(TruthConnection& connection);
  void on_writable(TruthConnection& connection);
  void take_requests(TruthConnection& connection);
  void route(TruthConnection& connection);
  void answer(TruthConnection& connection, const Answer& answer);
  void begin(TruthConnection& connection, bool chat);

  // Writes every part that is due, up to a batch.
  void write_due();
  // Writes the next part of the reply, or in instant mode as many as the socket takes.
  void advance(TruthConnection& connection);
  [[nodiscard]] bool write_part(TruthConnection& connection);
  [[nodiscard]] bool write_tokens(TruthConnection& connection, base::Nanos at);
  [[nodiscard]] bool write_piece(TruthConnection& connection, base::Nanos at);
  [[nodiscard]] bool write_whole(TruthConnection& connection);
  [[nodiscard]] std::int64_t parts_of(const TruthReply& reply) const;
  void schedule(TruthConnection& connection);
  void end_reply(TruthConnection& connection);
  void settle(TruthConnection& connection);
  void watch(TruthConnection& connection, bool writable) const;
  void close(TruthConnection& connection);
  [[nodiscard]] TruthConnection* find(std::uint32_t slot, std::uint32_t turn) const;

  TruthOptions options_;
  AnswerBytes chat_bytes_;
  AnswerBytes text_bytes_;
  QuickRequestReader requests_;
  TruthTally tally_;
  PaceQueue queue_;
  std::vector<std::unique_ptr<TruthConnection>> connections_;  // by slot
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> turns_;  // by slot, of its next connection
  std::string ending_;
  int listener_ = -1;
  int poll_ = -1;
  int stop_ = -1;
  bool running_ = true;
};

}  // namespace steelyard::emulate
