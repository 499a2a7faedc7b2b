#include "emulate/generation.h"

namespace steelyard::emulate {
namespace {

std::chrono::steady_clock::time_point time_point(base::Nanos at) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at));
}

// A stream that breaks does so after a few tokens.
constexpr std::int64_t kTokensBeforeFault = 3;

}  // namespace

Generation::Generation(boost::asio::io_context& loop, std::shared_ptr<Session> session,
                       std::shared_ptr<const Voice> voice, GenerationRequest request,
                       std::string id, base::Nanos received, OnEnd on_end)
    : timer_(loop),
      session_(std::move(session)),
      request_(std::move(request)),
      id_(std::move(id)),
      on_end_(std::move(on_end)),
      voice_(std::move(voice)) {
  log_.due_at = received;
  log_.sent_at = received;
  log_.streamed = request_.stream;
  log_.input_tokens = request_.input_tokens;
}

void Generation::behave(const Profile& profile, base::Random random,
                        std::optional<FailureKind> fault) {
  profile_ = profile;
  random_ = random;
  fault_ = fault;
  if (request_.output_tokens == 0) {
    request_.output_tokens = profile.default_output_tokens;
  }
}

void Generation::start(base::Nanos begin) {
  started_ = true;
  log_.chunks.reserve(static_cast<std::size_t>(request_.output_tokens));
  next_at_ = begin + draw(profile_.ttft, random_);
  if (request_.stream) {
    events_ = voice_->stream(request_, id_);
    session_->begin_stream(voice_->stream_type());
    out_ = events_->opening();
    wait_until(next_at_, &Generation::send_chunk);
    return;
  }
  for (std::int64_t sent = profile_.tokens_per_chunk; sent < request_.output_tokens;
       sent += profile_.tokens_per_chunk) {
    next_at_ += draw(profile_.itl, random_);
  }
  wait_until(next_at_, &Generation::send_whole);
}

void Generation::wait_until(base::Nanos at, void (Generation::*then)()) {
  timer_.expires_at(time_point(at));
  timer_.async_wait([self = shared_from_this(), then](const boost::system::error_code& cancelled) {
    if (!cancelled && !self->ended_) {
      (self.get()->*then)();
    }
  });
}

void Generation::send_chunk() {
  if (fault_ == FailureKind::kNoToken) {
    request_.output_tokens = 0;
    end(measure::Outcome::kNoToken, session_->end_stream(out_ + events_->ending(0)));
    return;
  }
  if (fault_ && sent_ >= std::min(kTokensBeforeFault, request_.output_tokens)) {
    send_fault();
    return;
  }
  const std::int64_t count = std::min(profile_.tokens_per_chunk, tokens_left());
  events_->append_tokens(sent_, count, out_);
  sent_ += count;
  const bool last = tokens_left() == 0 && !fault_;
  if (last) {
    out_ += events_->ending(sent_);
  }
  const base::Nanos at = last ? session_->end_stream(out_) : session_->stream(out_);
  log_.chunks.push_back({at, measure::ChunkKind::kContent, static_cast<std::uint32_t>(count)});
  out_.clear();
  if (last) {
    end(measure::Outcome::kCompleted, at);
    return;
  }
  next_at_ += draw(profile_.itl, random_);
  wait_until(next_at_, &Generation::send_chunk);
}

void Generation::send_fault() {
  if (fault_ == FailureKind::kErrorInBand) {
    end(measure::Outcome::kErrorInBand,
        session_->end_stream(events_->error("the emulated engine failed")));
    return;
  }
  session_->cut();
  end(measure::Outcome::kTruncated, base::monotonic_now());
}

void Generation::send_whole() {
  if (fault_) {
    session_->cut();
    end(measure::Outcome::kTruncated, base::monotonic_now());
    return;
  }
  sent_ = request_.output_tokens;
  const base::Nanos at = base::monotonic_now();
  session_->answer(voice_->whole(request_, id_));
  end(measure::Outcome::kCompleted, at);
}

void Generation::abandon() {
  if (ended_) {
    return;
  }
  if (!started_) {
    ended_ = true;
    return;
  }
  end(measure::Outcome::kConnection, base::monotonic_now());
}

void Generation::end(measure::Outcome outcome, base::Nanos at) {
  ended_ = true;
  timer_.cancel();
  log_.outcome = outcome;
  log_.end_at = at;
  log_.output_tokens = sent_;
  log_.token_source = measure::TokenSource::kUsage;
  on_end_(shared_from_this());
}

}  // namespace steelyard::emulate
