// One connection and the request on it, one after the other. It stamps, parses and logs; when and
// what to send is the engine's.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "load/plan.h"
#include "load/ready_queue.h"
#include "load/stream_log.h"
#include "measure/certificate.h"
#include "measure/event_log.h"
#include "platform/openai_dialect.h"
#include "wire/connection.h"
#include "wire/http_reader.h"
#include "wire/sse.h"

namespace steelyard::load {

// What all lanes of an engine share.
struct LaneContext {
  boost::asio::io_context& loop;
  const Target& target;
  const wire::Resolved& address;
  bool stream;
  bool keep_answers;
  std::vector<base::Secret> secrets;  // what no failure text may repeat
  platform::OpenAiReader reader;
  measure::ClientHealth health;
  std::string emulated_by;  // what the server named itself in X-Steelyard-Emulated
};

class Lane : public wire::Connection::Handler {
 public:
  // Calls back into the engine; never from within `connect` or `send`.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_connected(Lane& lane) = 0;
    // Connecting failed, or an idle connection closed.
    virtual void on_lost(Lane& lane, const std::string& why) = 0;
    virtual void on_sent(Lane& lane) = 0;
    virtual void on_finished(Lane& lane, measure::RequestLog& log) = 0;
  };

  Lane(LaneContext& context, Owner& owner);
  ~Lane() override;

  // Opens the connection ahead of any request.
  void connect();
  // Sends when the connection is open, connecting first where it is not. Takes the message and
  // gives that of the request before, whose memory may be used again. From `could_send_at` on only
  // the client itself delays the send.
  void send(Outgoing& request, base::Nanos due_at, base::Nanos could_send_at);
  // Drops the request and the connection; nothing is called.
  void abort();

  [[nodiscard]] bool open() const { return connection_ && connection_->open(); }
  [[nodiscard]] bool busy() const { return unsent_ || sent_; }
  // Of the request that ended; empty unless answers are kept and it completed.
  [[nodiscard]] std::string_view answer() const { return answer_; }
  [[nodiscard]] std::size_t index() const { return index_; }

  void on_open() override;
  void on_bytes(std::string_view bytes, wire::ReadStamp stamp) override;
  void on_closed(const std::string& why) override;

 private:
  void begin_answer();
  void write();
  void settle_send(bool last_chance);
  void note_connect();
  void take_body(std::string_view piece, wire::ReadStamp stamp);
  void take_events(std::string_view piece, wire::ReadStamp stamp);
  platform::OpenAiEvent read_event(const wire::SseEvent& event);
  [[nodiscard]] bool is_stream();
  bool send_again();
  void finish_answer();
  void finish_refused();
  void finish_body();
  void fail(measure::Outcome outcome, const std::string& why);
  void hand_over();
  void set_timer(base::Nanos after, void (Lane::*then)());
  void timed_out();

  LaneContext& context_;
  Owner& owner_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<wire::Connection> connection_;
  wire::HttpReader http_{wire::HttpReader::Side::kResponses};
  wire::SseParser sse_;
  platform::EventPattern pattern_;
  StreamLog stream_;
  std::string body_;  // of an answer that is no stream
  measure::RequestLog log_;
  std::size_t index_ = 0;
  std::string message_;
  std::string answer_;  // the text, where it is kept
  base::Nanos due_at_ = 0;
  std::int64_t input_tokens_ = 0;   // as planned
  std::int64_t output_tokens_ = 0;  // asked for
  base::Nanos could_send_at_ = 0;
  std::optional<bool> is_stream_;  // once the head of the answer is known
  std::uint64_t generation_ = 0;   // of the request: a timer of an older one is void
  bool unsent_ = false;            // a message waits for its connection
  bool may_send_again_ = false;    // it went out on a used connection, which may have been dead
  bool waited_to_connect_ = false;
  bool fresh_ = false;   // the open connection has carried nothing yet
  bool resent_ = false;  // the send to come is the second of this request
  bool sent_ = false;
  bool send_settled_ = false;   // `log_.sent_at` is final
  bool token_in_read_ = false;  // these bytes have brought one already
  bool lingering_ = false;      // [DONE] came; only the end of the message is missing
};

}  // namespace steelyard::load
