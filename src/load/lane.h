// One connection and the request on it, one after the other. It stamps, parses and logs; when and
// what to send is the engine's.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "load/plan.h"
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
    virtual void on_finished(Lane& lane, measure::RequestLog&& log) = 0;
  };

  Lane(LaneContext& context, Owner& owner);
  ~Lane() override;

  // Opens the connection ahead of any request.
  void connect();
  // Sends when the connection is open, connecting first where it is not. `message` must live until
  // the request has been sent. From `could_send_at` on only the client itself delays the send.
  void send(std::size_t index, const std::string& message, base::Nanos due_at,
            base::Nanos could_send_at);
  // Drops the request and the connection; nothing is called.
  void abort();

  [[nodiscard]] bool open() const { return connection_ && connection_->open(); }
  [[nodiscard]] bool busy() const { return message_ != nullptr || sent_; }
  [[nodiscard]] std::size_t index() const { return index_; }

  void on_open() override;
  void on_bytes(std::string_view bytes, wire::ReadStamp stamp) override;
  void on_closed(const std::string& why) override;

 private:
  void begin_log(base::Nanos due_at);
  void write();
  void take_body(std::string_view piece, wire::ReadStamp stamp);
  void take_events(std::string_view piece, wire::ReadStamp stamp);
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
  StreamLog stream_;
  std::string body_;  // of an answer that is no stream
  measure::RequestLog log_;
  std::size_t index_ = 0;
  const std::string* message_ = nullptr;  // not yet sent
  const std::string* again_ = nullptr;    // sent on a used connection: sent anew when that was dead
  base::Nanos could_send_at_ = 0;
  base::Nanos connect_began_ = 0;
  std::optional<bool> is_stream_;  // once the head of the answer is known
  std::uint64_t generation_ = 0;   // of the request: a timer of an older one is void
  bool waited_to_connect_ = false;
  bool fresh_ = false;   // the open connection has carried nothing yet
  bool resent_ = false;  // the send to come is the second of this request
  bool sent_ = false;
  bool lingering_ = false;  // [DONE] came; only the end of the message is missing
};

}  // namespace steelyard::load
