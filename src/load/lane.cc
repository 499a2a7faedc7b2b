#include "load/lane.h"

#include <fmt/format.h>

#include "base/secret.h"
#include "base/text.h"
#include "platform/emulated.h"

namespace steelyard::load {
namespace {

using measure::Outcome;

constexpr std::size_t kLongestError = 64U << 10U;
constexpr std::size_t kLongestWhole = 64U << 20U;
constexpr std::size_t kShownWords = 400;
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
std::string words_of(platform::OpenAiReader& reader, const std::string& body) {
  const platform::OpenAiEvent event = reader.read("", body);
  const bool told = event.kind == platform::OpenAiEvent::Kind::kError;
  return std::string(base::trim(told ? event.error : std::string_view(body)));
}

// What a server said, fit for a terminal and a report: one line without control characters (an
// escape sequence would write over what stands there), not too long, and no secret, which is taken
// out before the words are cut: a part of a key is a secret too.
std::string presentable(std::string words, const std::vector<base::Secret>& secrets) {
  words = base::valid_utf8(words);
  for (const base::Secret& secret : secrets) {
    words = base::redact(std::move(words), secret);
  }
  std::replace_if(
      words.begin(), words.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return base::shorten(words, kShownWords);
}

}  // namespace

Lane::Lane(LaneContext& context, Owner& owner)
    : context_(context), owner_(owner), timer_(context.loop) {}

// The loop no longer runs: nothing is to be stopped, and nothing may call here.
Lane::~Lane() {
  if (connection_) {
    connection_->set_handler(nullptr);
  }
}

void Lane::connect() {
  abort();
  connection_ = std::make_shared<wire::Connection>(context_.loop, context_.target.tls);
  connection_->set_handler(this);
  const Target& to = context_.target;
  connection_->connect(context_.address, to.url.host, to.connect_timeout,
                       wire::tunnel_request(to.url, to.proxy));
}

void Lane::abort() {
  ++generation_;
  unsent_ = false;
  sent_ = false;
  timer_.cancel();
  if (connection_) {
    connection_->set_handler(nullptr);
    connection_->close();
    connection_.reset();
  }
}

void Lane::send(Outgoing& request, base::Nanos due_at, base::Nanos could_send_at) {
  const bool ready = open();
  if (!ready) {
    connect();
  }
  ++generation_;
  index_ = request.index;
  input_tokens_ = request.input_tokens;
  output_tokens_ = request.output_tokens;
  message_.swap(request.message);
  unsent_ = true;
  due_at_ = due_at;
  could_send_at_ = could_send_at;
  waited_to_connect_ = !ready;
  begin_answer();
  if (ready) {
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
  http_.reset();
  is_stream_.reset();
  sse_.reset();
  stream_ = StreamLog{};
  pattern_.reset();
  body_.clear();
  answer_.clear();
}

void Lane::on_open() {
  const wire::ConnectTimes& took = connection_->times();
  measure::Connects& connects = context_.health.connects;
  connects.all.record(took.tcp + took.tls.value_or(0));
  connects.tcp.record(took.tcp);
  if (took.tls) {
    connects.tls.record(*took.tls);
  }
  if (unsent_) {
    note_connect();
    write();
  } else {
    fresh_ = true;
    owner_.on_connected(*this);
  }
}

void Lane::note_connect() {
  const wire::ConnectTimes& took = connection_->times();
  log_.connect = took.tcp + took.tls.value_or(0);
  log_.tls_handshake = took.tls;
}

void Lane::write() {
  may_send_again_ = !waited_to_connect_ && !fresh_;
  if (context_.target.reuse == Reuse::kPerRequest) {
    note_connect();  // its own, also where it was opened before the start
  }
  fresh_ = false;
  unsent_ = false;
  sent_ = true;
  log_.written_at = connection_->send(message_, true);
  log_.sent_at = log_.written_at;
  ++context_.health.sends;
  send_settled_ = false;
  settle_send(false);
  set_timer(context_.target.request_timeout, &Lane::timed_out);
  if (!std::exchange(resent_, false)) {
    owner_.on_sent(*this);
  }
}

// The kernel tells when the request left with the send itself, or at the latest before the answer.
void Lane::settle_send(bool last_chance) {
  if (send_settled_) {
    return;
  }
  const auto left_at = connection_->sent_at();
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
// connection which ended without a byte of an answer was never taken (RFC 9112, section 9.3.1): it
// is sent once more on a new one. That is no retry of an answer, and it is counted. A connection
// that ends later did hold the request, and a platform gave up on it.
bool Lane::send_again() {
  if (!may_send_again_ || http_.begun() || base::monotonic_now() - log_.sent_at > kStale) {
    return false;
  }
  may_send_again_ = false;
  ++context_.health.stale_connections;
  --context_.health.sends;
  connect();
  begin_answer();
  unsent_ = true;
  waited_to_connect_ = true;
  resent_ = true;
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

void Lane::on_bytes(std::string_view bytes, wire::ReadStamp stamp) {
  if (!sent_) {
    // Nothing was asked: the peer says something of its own, and is not to be trusted further.
    connection_->close();
    owner_.on_lost(*this, "the server spoke unasked");
    return;
  }
  settle_send(true);
  context_.health.read_delay.record(stamp.user - stamp.kernel);
  token_in_read_ = false;
  if (!log_.first_byte_at) {
    log_.first_byte_at = stamp.kernel;
  }
  if (!lingering_) {
    log_.end_at = stamp.kernel;
  }
  const std::size_t taken =
      http_.feed(bytes, [&](std::string_view piece) { take_body(piece, stamp); });
  if (!http_.error().empty()) {
    fail(Outcome::kProtocol, std::string(http_.error()));
  } else if (sse_.overflowed()) {
    fail(Outcome::kProtocol, "an event within the stream is longer than 64 MiB");
  } else if (http_.done()) {
    if (taken < bytes.size()) {
      connection_->close();
    }
    finish_answer();
  } else if (stream_.done() && !lingering_) {
    lingering_ = true;
    set_timer(kLinger, &Lane::finish_answer);
  }
}

bool Lane::is_stream() {
  if (!is_stream_) {
    is_stream_ = base::lower(http_.head().field("content-type")).starts_with("text/event-stream");
  }
  return *is_stream_;
}

void Lane::take_body(std::string_view piece, wire::ReadStamp stamp) {
  if (http_.head().status == 200 && is_stream()) {
    take_events(piece, stamp);
    return;
  }
  const std::size_t limit = http_.head().status == 200 ? kLongestWhole : kLongestError;
  body_ += piece.substr(0, limit - std::min(limit, body_.size()));
}

void Lane::take_events(std::string_view piece, wire::ReadStamp stamp) {
  sse_.feed(piece, [&](const wire::SseEvent& event) {
    if (stream_.take(read_event(event), stamp.kernel, log_)) {
      ++context_.health.token_events;
      context_.health.coalesced_events += std::exchange(token_in_read_, true) ? 1 : 0;
    }
  });
}

platform::OpenAiEvent Lane::read_event(const wire::SseEvent& event) {
  const platform::OpenAiEvent read =
      context_.reader.read(event.type, event.data, pattern_, context_.keep_answers);
  if (context_.keep_answers) {
    answer_ += read.content;
  }
  return read;
}

void Lane::finish_answer() {
  log_.http_status = http_.head().status;
  if (context_.emulated_by.empty()) {
    context_.emulated_by = base::valid_utf8(http_.head().field(platform::kEmulatedField));
  }
  if (lingering_ && !http_.done()) {
    connection_->close();
  }
  if (log_.http_status != 200) {
    finish_refused();
  } else {
    finish_body();
  }
  hand_over();
}

void Lane::finish_refused() {
  const wire::HttpHead& head = http_.head();
  const std::string words = words_of(context_.reader, body_);
  const bool limited = head.status == kTooManyRequests;
  const std::string_view retry_after = limited ? head.field("retry-after") : "";
  log_.outcome = limited ? Outcome::kRateLimited : Outcome::kRefused;
  log_.failure = fmt::format("HTTP {} {}{}{}{}{}", head.status, head.reason,
                             retry_after.empty() ? "" : ", Retry-After: ", retry_after,
                             words.empty() ? "" : ": ", words);
}

void Lane::finish_body() {
  const std::string_view coding = http_.head().field("content-encoding");
  if (!coding.empty() && coding != "identity") {
    log_.outcome = Outcome::kNotStreamed;
    log_.failure = fmt::format("the answer is compressed ({}), which was not asked for", coding);
    return;
  }
  if (is_stream()) {
    sse_.finish([&](const wire::SseEvent& event) {
      stream_.take_rest(read_event(event), *log_.end_at, log_);
    });
    stream_.finish(log_);
    return;
  }
  const platform::OpenAiEvent event = context_.reader.read("", body_);
  take_whole(event, log_);
  if (context_.keep_answers) {
    answer_ = event.content;
  }
  if (context_.stream && log_.outcome == Outcome::kProtocol) {
    log_.outcome = Outcome::kNotStreamed;
    log_.failure = fmt::format("a stream was asked for, and the answer is of type '{}'",
                               http_.head().field("content-type"));
  }
}

void Lane::on_closed(const std::string& why) {
  if (unsent_) {  // never connected
    log_.sent_at = log_.written_at = base::monotonic_now();
    fail(Outcome::kConnection, why);
    return;
  }
  if (!sent_) {
    owner_.on_lost(*this, why);
    return;
  }
  if (why.empty() && http_.finish()) {
    finish_answer();
    return;
  }
  if (send_again()) {
    return;
  }
  const std::string words = why.empty() ? "the server closed the connection" : why;
  if (!http_.head_complete()) {
    fail(Outcome::kConnection,
         words + (http_.begun() ? " within the head of its answer" : " before it answered"));
    return;
  }
  log_.http_status = http_.head().status;
  if (log_.http_status != 200) {  // a refusal all the same
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
  fail(Outcome::kTimeout,
       fmt::format("no end within {:g} s", base::to_seconds(context_.target.request_timeout)));
}

// Nothing more is wanted of a connection on which something went wrong.
void Lane::fail(Outcome outcome, const std::string& why) {
  if (log_.chunks.empty() || log_.outcome == Outcome::kCompleted) {
    stream_.finish(log_);  // the partial counts, kept apart from every latency
  }
  const bool told = http_.head_complete() && http_.error().empty();
  log_.streamed = !told || is_stream();
  log_.outcome = outcome;
  log_.failure = why;
  if (connection_) {
    connection_->close();
  }
  hand_over();
}

void Lane::hand_over() {
  ++generation_;
  timer_.cancel();
  if (sent_) {
    settle_send(true);
  }
  unsent_ = false;
  sent_ = false;
  const bool kept = context_.target.reuse == Reuse::kKeep && http_.head().keeps_alive();
  if (connection_ && (!kept || !http_.done())) {
    connection_->close();
  }
  log_.failure = presentable(std::move(log_.failure), context_.secrets);
  if (log_.outcome != Outcome::kCompleted) {
    answer_.clear();
  }
  owner_.on_finished(*this, log_);
}

}  // namespace steelyard::load
