#include "load/lane.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/secret.h"
#include "base/text.h"
#include "load/message.h"
#include "platform/emulated.h"

namespace steelyard::load {
namespace {

using measure::Outcome;

constexpr std::size_t kLongestError = 64U << 10U;
constexpr std::size_t kLongestWhole = 64U << 20U;
constexpr std::size_t kShownWords = 400;
constexpr int kOk = 200;
constexpr int kTooManyRequests = 429;
// Of chunks, beside one a token asked for: role, finish, usage. More than the most grow by
// doubling.
constexpr std::size_t kOtherChunks = 8;
constexpr std::size_t kMostReserved = 4'096;
// After [DONE] a server has this long to end its message.
constexpr base::Nanos kLinger = base::kSecond;
// A request to a connection that the server had already closed comes back within a round trip.
constexpr base::Nanos kStale = base::kSecond;

// The words of an error body: the dialect's own, else what came.
std::string words_of(platform::EventReader& reader, const std::string& body) {
  const platform::AnswerEvent event = reader.read_whole(body);
  const bool told = event.kind == platform::AnswerEvent::Kind::kError;
  return std::string(base::trim(told ? event.error : std::string_view(body)));
}

// What a server said, fit for a terminal and a report: one line without control characters (an
// escape sequence would write over what stands there), not too long, and no secret, which is taken
// out before the words are cut: a part of a key is a secret too.
std::string presentable(std::string words, const LaneContext& context) {
  words = base::valid_utf8(words);
  for (const auto& secrets : {context.secrets, context.authorizer.secrets()}) {
    for (const base::Secret& secret : secrets) {
      words = base::redact(std::move(words), secret);
    }
  }
  std::replace_if(
      words.begin(), words.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return base::shorten(words, kShownWords);
}

}  // namespace

Lane::Lane(LaneContext& context, Owner& owner, WayMaker& ways, std::unique_ptr<platform::Call> call)
    : context_(context),
      owner_(owner),
      timer_(context.loop),
      pause_(context.loop),
      ways_(ways),
      main_(ways.make(*this)),
      elsewhere_(*this),
      exchange_(main_.get()),
      call_(std::move(call)) {}

void Lane::connect() {
  abort();
  exchange_->connect();
  if (exchange_->open()) {
    owner_.on_connected(*this);
  }
}

void Lane::abort() {
  ++generation_;
  unsent_ = false;
  sent_ = false;
  following_ = false;
  timer_.cancel();
  pause_.cancel();
  if (elsewhere_.way) {
    elsewhere_.way->close();
  }
  exchange_ = main_.get();
  exchange_->close();
}

void Lane::send(Outgoing& request, base::Nanos due_at, base::Nanos could_send_at) {
  index_ = request.index;
  input_tokens_ = request.input_tokens;
  output_tokens_ = request.output_tokens;
  message_.swap(request.message);
  due_at_ = due_at;
  could_send_at_ = could_send_at;
  resent_ = false;
  write_when_open();
}

void Lane::write_when_open() {
  ++generation_;
  begin_answer();
  unsent_ = true;
  waited_to_connect_ = false;
  if (!exchange_->open()) {
    exchange_->connect();
    waited_to_connect_ = !exchange_->open();
  }
  if (!waited_to_connect_) {
    write();
  }
}

// Memory is kept from request to request, so that no token allocates.
void Lane::begin_answer() {
  std::vector<measure::ChunkEvent> chunks = std::move(log_.chunks);
  chunks.clear();
  chunks.reserve(std::min(kMostReserved, static_cast<std::size_t>(output_tokens_) + kOtherChunks));
  log_ = measure::RequestLog{};
  log_.chunks = std::move(chunks);
  log_.index = static_cast<std::int64_t>(index_);
  log_.due_at = due_at_;
  log_.asked_input_tokens = input_tokens_;
  log_.asked_output_tokens = output_tokens_;
  lingering_ = false;
  following_ = false;
  aside_ = false;
  call_streamed_ = false;
  exchange_ = main_.get();
  if (call_) {
    call_->reset();
  }
  framing_.reset();
  stream_ = StreamLog(context_.dialect.end);
  memory_.reset();
  body_.clear();
  answer_.clear();
}

void Lane::on_open(const wire::Exchange::Opening& opening) {
  if (following_) {
    if (exchange_ == main_.get()) {
      write_follow_up();
    }
    return;
  }
  if (opening) {
    measure::Connects& connects = context_.health.connects;
    connects.all.record(opening->tcp + opening->tls.value_or(0));
    connects.tcp.record(opening->tcp);
    if (opening->tls) {
      connects.tls.record(*opening->tls);
    }
  }
  if (unsent_) {
    note_connect();
    write();
  } else {
    owner_.on_connected(*this);
  }
}

void Lane::note_connect() {
  const wire::ConnectTimes& took = exchange_->times();
  log_.connect = took.tcp + took.tls.value_or(0);
  log_.tls_handshake = took.tls;
}

void Lane::write() {
  was_used_ = !waited_to_connect_ && exchange_->used();
  if (context_.target.reuse == Reuse::kPerRequest) {
    note_connect();  // its own, also where it was opened before the start
  }
  unsent_ = false;
  sent_ = true;
  log_.written_at = exchange_->send(message_);
  log_.sent_at = log_.written_at;
  ++context_.health.sends;
  send_settled_ = false;
  settle_send(false);
  set_timer(context_.target.request_timeout, &Lane::timed_out);
  if (!resent_) {
    owner_.on_sent(*this);
  }
}

// The kernel tells when the request left with the send itself, or at the latest before the answer.
void Lane::settle_send(bool last_chance) {
  if (send_settled_) {
    return;
  }
  const auto left_at = exchange_->sent_at();
  if (!left_at && !last_chance) {
    return;
  }
  send_settled_ = true;
  log_.sent_at = std::max(log_.sent_at, left_at.value_or(0));
  context_.health.unstamped_sends += left_at ? 0 : 1;
  const bool late = log_.sent_at - could_send_at_ > measure::ClientHealth::kLateSend;
  context_.health.late_sends += late && !waited_to_connect_ ? 1 : 0;
}

// Servers close idle connections, and some every one after a stream. A request that went out on a
// connection which ended without a byte of an answer was never taken (RFC 9112, section 9.3.1), nor
// was one of which the server says so (RFC 9113, section 8.7): it is sent once more. That is no
// retry of an answer, and it is counted. A connection that ends later did hold the request, and a
// platform gave up on it.
bool Lane::send_again(bool untaken) {
  const bool stale = was_used_ && base::monotonic_now() - log_.sent_at <= kStale;
  if (resent_ || exchange_->begun() || !(stale || untaken)) {
    return false;
  }
  ++context_.health.stale_connections;
  --context_.health.sends;
  resent_ = true;
  write_when_open();
  return true;
}

void Lane::set_timer(base::Nanos after, void (Lane::*then)()) {
  timer_.expires_after(std::chrono::nanoseconds(after));
  timer_.async_wait([this, then, mine = generation_](const boost::system::error_code& cancelled) {
    if (!cancelled && mine == generation_) {
      (this->*then)();
    }
  });
}

void Lane::on_read(wire::ReadStamp stamp) {
  settle_send(true);
  context_.health.read_delay.record(stamp.user - stamp.kernel);
  token_in_read_ = false;
  read_at_ = stamp.kernel;
  if (!log_.first_byte_at) {
    log_.first_byte_at = read_at_;
  }
  if (!lingering_ && !aside_) {
    log_.end_at = read_at_;
  }
}

void Lane::on_read_end() {
  if (!exchange_->error().empty()) {
    fail(Outcome::kProtocol, std::string(exchange_->error()));
  } else if (!deframer_.error().empty()) {
    fail(Outcome::kProtocol, std::string(deframer_.error()));
  } else if (exchange_->done()) {
    answer_ended();
  } else if (stream_.done() && !lingering_ && !call_) {
    lingering_ = true;
    set_timer(kLinger, &Lane::finish_answer);
  }
}

bool Lane::is_stream() {
  if (!framing_) {
    framing_ = wire::framing_of(exchange_->head().field("content-type"));
    deframer_.begin(*framing_);
  }
  return *framing_ != wire::Framing::kNone;
}

bool Lane::taken() const {
  const int status = exchange_->head().status;
  return call_ ? call_->takes(status) : status == kOk;
}

void Lane::on_body(std::string_view piece) {
  if (taken() && is_stream()) {
    deframer_.feed(piece, [&](const wire::SseEvent& event) { take_event(event); });
    return;
  }
  const std::size_t limit = taken() ? kLongestWhole : kLongestError;
  body_ += piece.substr(0, limit - std::min(limit, body_.size()));
}

void Lane::take_event(const wire::SseEvent& event) {
  if (stream_.take(read_event(event), read_at_, log_)) {
    ++context_.health.token_events;
    context_.health.coalesced_events += std::exchange(token_in_read_, true) ? 1 : 0;
  }
}

platform::AnswerEvent Lane::read_event(const wire::SseEvent& event) {
  const platform::AnswerEvent read =
      context_.reader->read(event.type, event.data, memory_, context_.keep_answers);
  if (context_.keep_answers) {
    answer_ += read.content;
  }
  return read;
}

void Lane::answer_ended() {
  if (!call_) {
    finish_answer();
  } else if (!taken()) {
    aside_ ? finish_call() : finish_answer();
  } else if (is_stream()) {
    call_streamed_ = true;
    deframer_.finish([&](const wire::SseEvent& event) {
      stream_.take_rest(read_event(event), *log_.end_at, log_);
    });
    take_step(call_->stream_ended());
  } else {
    take_step(call_->take(exchange_->head(), body_));
  }
}

void Lane::take_step(const platform::CallStep& step) {
  note_told(step);
  for (const std::string& event : step.events) {
    call_streamed_ = true;
    take_event({{}, event});
  }
  switch (step.kind) {
    case platform::CallStep::Kind::kAnswer:
      finish_answer();
      break;
    case platform::CallStep::Kind::kFollow:
      follow(step.next);
      break;
    case platform::CallStep::Kind::kEnd:
      finish_call();
      break;
    case platform::CallStep::Kind::kFail:
      fail(Outcome::kErrorInBand, step.words);
      break;
  }
}

// What the platform tells of the request beside its answer.
void Lane::note_told(const platform::CallStep& step) {
  const auto keep = [](auto& to, const auto& from) { to = from ? from : to; };
  keep(log_.server.queue, step.times.queue);
  keep(log_.server.load, step.times.load);
  keep(log_.server.prefill, step.times.prefill);
  keep(log_.server.decode, step.times.decode);
  keep(log_.server.execute, step.times.execute);
  if (step.usage) {
    stream_.take_usage(*step.usage);
  }
}

void Lane::follow(const platform::FollowUp& next) {
  auto follow = message_of(context_.target, context_.authorizer, next);
  if (!follow) {
    fail(Outcome::kProtocol, base::to_line(follow.error()));
    return;
  }
  message_.swap(follow->message);
  exchange_->end(context_.target.reuse == Reuse::kKeep);
  if (!follow->same_host &&
      (!elsewhere_.way || elsewhere_.url.authority() != follow->url.authority())) {
    auto way = ways_.make_to(follow->url, elsewhere_);
    if (!way) {
      fail(Outcome::kConnection, base::to_line(way.error()));
      return;
    }
    elsewhere_.url = follow->url;
    elsewhere_.way = std::move(*way);
  }
  exchange_ = follow->same_host ? main_.get() : elsewhere_.way.get();
  following_ = true;
  aside_ = next.aside;
  sent_ = false;
  framing_.reset();
  body_.clear();
  if (next.after == 0) {
    open_follow_up();
    return;
  }
  pause_.expires_after(std::chrono::nanoseconds(next.after));
  pause_.async_wait([this, mine = generation_](const boost::system::error_code& cancelled) {
    if (!cancelled && mine == generation_) {
      open_follow_up();
    }
  });
}

void Lane::open_follow_up() {
  if (!exchange_->open()) {
    exchange_->connect();
  }
  if (exchange_->open()) {
    write_follow_up();
  }
}

void Lane::write_follow_up() {
  sent_ = true;
  exchange_->send(message_);
}

// All that the call asked for has come; a stream's end is judged as any other's.
void Lane::finish_call() {
  log_.http_status = kOk;
  stream_.finish(log_);
  log_.streamed = call_streamed_;
  hand_over();
}

void Lane::Elsewhere::on_open(const wire::Exchange::Opening& /*opening*/) {
  if (lane.following_ && lane.exchange_ == way.get()) {
    lane.write_follow_up();
  }
}

void Lane::Elsewhere::on_lost(const wire::Exchange::Loss& loss) {
  if (lane.following_ && lane.exchange_ == way.get()) {
    lane.lose_follow_up(loss);
  }
}

void Lane::lose_follow_up(const wire::Exchange::Loss& loss) {
  if (aside_) {
    finish_call();
  } else {
    lose_answer(loss.why.empty() ? "the server closed the connection" : loss.why);
  }
}

void Lane::finish_answer() {
  log_.http_status = exchange_->head().status;
  if (context_.emulated_by.empty()) {
    context_.emulated_by = base::valid_utf8(exchange_->head().field(platform::kEmulatedField));
  }
  if (taken()) {
    finish_body();
  } else {
    finish_refused();
  }
  hand_over();
}

void Lane::finish_refused() {
  const wire::HttpHead& head = exchange_->head();
  const std::string words = words_of(*context_.reader, body_);
  const bool limited = head.status == kTooManyRequests;
  const std::string_view retry_after = limited ? head.field("retry-after") : "";
  log_.outcome = limited ? Outcome::kRateLimited : Outcome::kRefused;
  log_.failure = fmt::format("HTTP {} {}{}{}{}{}", head.status, head.reason,
                             retry_after.empty() ? "" : ", Retry-After: ", retry_after,
                             words.empty() ? "" : ": ", words);
}

void Lane::finish_body() {
  const std::string_view coding = exchange_->head().field("content-encoding");
  if (!coding.empty() && coding != "identity") {
    log_.outcome = Outcome::kNotStreamed;
    log_.failure = fmt::format("the answer is compressed ({}), which was not asked for", coding);
    return;
  }
  if (is_stream()) {
    deframer_.finish([&](const wire::SseEvent& event) {
      stream_.take_rest(read_event(event), *log_.end_at, log_);
    });
    stream_.finish(log_);
    return;
  }
  const platform::AnswerEvent event = context_.reader->read_whole(body_);
  take_whole(event, log_);
  if (context_.keep_answers) {
    answer_ = event.content;
  }
  if (context_.stream && log_.outcome == Outcome::kProtocol) {
    log_.outcome = Outcome::kNotStreamed;
    log_.failure = fmt::format("a stream was asked for, and the answer is of type '{}'",
                               exchange_->head().field("content-type"));
  }
}

void Lane::on_lost(const wire::Exchange::Loss& loss) {
  if (following_) {
    if (exchange_ == main_.get()) {
      lose_follow_up(loss);
    }
  } else if (unsent_) {  // never connected
    log_.sent_at = log_.written_at = base::monotonic_now();
    fail(Outcome::kConnection, loss.why);
  } else if (!sent_) {
    owner_.on_lost(*this, loss.why);
  } else if (!send_again(loss.untaken)) {
    lose_answer(loss.why.empty() ? "the server closed the connection" : loss.why);
  }
}

void Lane::lose_answer(const std::string& words) {
  if (!exchange_->head_complete()) {
    fail(Outcome::kConnection,
         words + (exchange_->begun() ? " within the head of its answer" : " before it answered"));
    return;
  }
  log_.http_status = exchange_->head().status;
  if (!taken()) {  // a refusal all the same
    finish_refused();
    hand_over();
    return;
  }
  if (is_stream()) {
    stream_.finish(log_);
    const bool told = log_.outcome == Outcome::kErrorInBand;
    // [DONE] came, and only the end of the message did not: nothing of the answer is missing.
    if (stream_.done() && log_.outcome == Outcome::kCompleted) {
      hand_over();
      return;
    }
    fail(told ? Outcome::kErrorInBand : Outcome::kTruncated,
         told ? log_.failure : words + " within the stream");
    return;
  }
  fail(Outcome::kTruncated, words + " within its answer");
}

void Lane::timed_out() {
  if (aside_) {
    finish_call();
    return;
  }
  fail(Outcome::kTimeout,
       fmt::format("no end within {:g} s", base::to_seconds(context_.target.request_timeout)));
}

// What goes wrong leaves the answer unfinished, and so ends the way too where it carries one alone.
void Lane::fail(Outcome outcome, const std::string& why) {
  if (log_.chunks.empty() || log_.outcome == Outcome::kCompleted) {
    stream_.finish(log_);  // the partial counts, kept apart from every latency
  }
  const bool told = sent_ && exchange_->head_complete() && exchange_->error().empty();
  log_.streamed = !told || is_stream();
  log_.outcome = outcome;
  log_.failure = why;
  hand_over();
}

void Lane::hand_over() {
  ++generation_;
  timer_.cancel();
  pause_.cancel();
  if (sent_ && !following_) {
    settle_send(true);
  }
  unsent_ = false;
  sent_ = false;
  exchange_->end(context_.target.reuse == Reuse::kKeep);
  following_ = false;
  log_.failure = presentable(std::move(log_.failure), context_);
  if (log_.outcome != Outcome::kCompleted) {
    answer_.clear();
  }
  owner_.on_finished(*this, log_);
}

}  // namespace steelyard::load
