// One way to the endpoint and the request on it, one after the other. It stamps, parses and logs;
// when and what to send is the engine's.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "load/plan.h"
#include "load/ready_queue.h"
#include "load/stream_log.h"
#include "measure/certificate.h"
#include "measure/event_log.h"
#include "platform/authorizer.h"
#include "platform/dialect.h"
#include "wire/deframer.h"
#include "wire/exchange.h"

namespace steelyard::load {

// What all lanes of an engine share.
struct LaneContext {
  boost::asio::io_context& loop;
  const Target& target;
  const platform::Dialect& dialect;
  bool stream;
  bool keep_answers;
  platform::Authorizer& authorizer;
  std::vector<base::Secret> secrets;  // what no failure text may repeat, beside its secrets
  std::unique_ptr<platform::EventReader> reader;
  measure::ClientHealth health;
  std::string emulated_by;  // what the server named itself in X-Steelyard-Emulated
};

// Gives a new lane its ways.
class WayMaker {
 public:
  virtual ~WayMaker() = default;
  // To the target.
  virtual std::unique_ptr<wire::Exchange> make(wire::Exchange::Handler& handler) = 0;
  // To another host that the platform sent us to. Blocks where a name is looked up for the first
  // time; the error is an environment error.
  virtual base::Result<std::unique_ptr<wire::Exchange>> make_to(
      const wire::Url& url, wire::Exchange::Handler& handler) = 0;
};

class Lane : private wire::Exchange::Handler {
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

  Lane(LaneContext& context, Owner& owner, WayMaker& ways, std::unique_ptr<platform::Call> call);

  // Opens the way ahead of any request.
  void connect();
  // Sends when the way is open, connecting first where it is not. Takes the message and gives that
  // of the request before, whose memory may be used again. From `could_send_at` on only the client
  // itself delays the send.
  void send(Outgoing& request, base::Nanos due_at, base::Nanos could_send_at);
  // Drops the request and the way; nothing is called.
  void abort();

  [[nodiscard]] bool busy() const { return unsent_ || sent_; }
  // Of the request that ended; empty unless answers are kept and it completed.
  [[nodiscard]] std::string_view answer() const { return answer_; }
  [[nodiscard]] std::size_t index() const { return index_; }

 private:
  void on_open(const wire::Exchange::Opening& opening) override;
  void on_read(wire::ReadStamp stamp) override;
  void on_body(std::string_view piece) override;
  void on_read_end() override;
  void on_lost(const wire::Exchange::Loss& loss) override;

  void begin_answer();
  void write_when_open();
  void write();
  void settle_send(bool last_chance);
  void note_connect();
  void take_event(const wire::SseEvent& event);
  platform::AnswerEvent read_event(const wire::SseEvent& event);
  void answer_ended();
  void take_step(const platform::CallStep& step);
  void note_told(const platform::CallStep& step);
  void follow(const platform::FollowUp& next);
  void open_follow_up();
  void write_follow_up();
  void lose_follow_up(const wire::Exchange::Loss& loss);
  void finish_call();
  [[nodiscard]] bool is_stream();
  [[nodiscard]] bool taken() const;
  bool send_again(bool untaken);
  void lose_answer(const std::string& words);
  void finish_answer();
  void finish_refused();
  void finish_body();
  void fail(measure::Outcome outcome, const std::string& why);
  void hand_over();
  void set_timer(base::Nanos after, void (Lane::*then)());
  void timed_out();

  // A way to another host than the target, for the rest of a call.
  struct Elsewhere : wire::Exchange::Handler {
    explicit Elsewhere(Lane& of) : lane(of) {}
    void on_open(const wire::Exchange::Opening& opening) override;
    void on_read(wire::ReadStamp stamp) override { lane.on_read(stamp); }
    void on_body(std::string_view piece) override { lane.on_body(piece); }
    void on_read_end() override { lane.on_read_end(); }
    void on_lost(const wire::Exchange::Loss& loss) override;

    Lane& lane;
    wire::Url url;
    std::unique_ptr<wire::Exchange> way;
  };

  LaneContext& context_;
  Owner& owner_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer pause_;
  WayMaker& ways_;
  std::unique_ptr<wire::Exchange> main_;
  Elsewhere elsewhere_;
  wire::Exchange* exchange_;  // the one at hand
  std::unique_ptr<platform::Call> call_;
  wire::Deframer deframer_;
  platform::StreamMemory memory_;
  StreamLog stream_;
  std::string body_;  // of an answer that is no stream
  measure::RequestLog log_;
  std::size_t index_ = 0;
  std::string message_;
  std::string answer_;       // the text, where it is kept
  base::Nanos read_at_ = 0;  // when the bytes at hand reached this machine
  base::Nanos due_at_ = 0;
  std::int64_t input_tokens_ = 0;   // as planned
  std::int64_t output_tokens_ = 0;  // asked for
  base::Nanos could_send_at_ = 0;
  std::optional<wire::Framing> framing_;  // once the head of the answer is known
  bool following_ = false;                // the message at hand is a call's second or later
  bool aside_ = false;                    // and only asks for the platform's own account
  bool call_streamed_ = false;            // some answer of the call was a stream
  std::uint64_t generation_ = 0;          // of the request: a timer of an older one is void
  bool unsent_ = false;                   // a message waits for its way to open
  bool was_used_ = false;  // it went out on a used connection, which may have been dead
  bool waited_to_connect_ = false;
  bool resent_ = false;  // it was sent once before
  bool sent_ = false;
  bool send_settled_ = false;   // `log_.sent_at` is final
  bool token_in_read_ = false;  // these bytes have brought one already
  bool lingering_ = false;      // [DONE] came; only the end of the message is missing
};

}  // namespace steelyard::load
