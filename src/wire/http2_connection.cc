#include "wire/http2_connection.h"

#include <algorithm>

namespace steelyard::wire {

void Http2Connection::Member::on_answer() {
  if (joined_ != nullptr) {
    joined_->touch(*this);
    if (!std::exchange(read_, true)) {
      on_read(joined_->stamp_);
    }
  }
}

void Http2Connection::Member::on_reset() {
  if (joined_ != nullptr) {
    joined_->touch(*this);
  }
}

Http2Connection::Http2Connection(const Route& route, std::uint32_t most)
    : route_(route), timer_(route.loop), session_(route.tls != nullptr), most_(most) {}

// The loop no longer runs, or nobody is left: nothing may call here.
Http2Connection::~Http2Connection() {
  if (connection_) {
    connection_->set_handler(nullptr);
    connection_->close();
  }
}

void Http2Connection::start() {
  connection_ = route_.open(*this, kAlpnHttp2);
  timer_.expires_after(std::chrono::nanoseconds(route_.connect_timeout));
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
    const auto self = weak.lock();
    if (!cancelled && self && !self->session_.ready()) {
      self->fail("no HTTP/2 connection within the time limit");
    }
  });
}

void Http2Connection::join(Member& member) {
  member.joined_ = this;
  member.touched_ = false;
  members_.push_back(&member);
}

void Http2Connection::leave(Member& member) {
  if (member.joined_ != this) {
    return;
  }
  cancel(member);
  member.joined_ = nullptr;
  std::erase(members_, &member);
  if (members_.empty() && !gone_) {
    gone_ = true;
    timer_.cancel();
    connection_->set_handler(nullptr);
    connection_->close();
  }
}

std::uint32_t Http2Connection::most() const {
  return session_.ready() ? std::min(most_, session_.most_streams()) : most_;
}

bool Http2Connection::has_room() const {
  return !gone_ && !session_.leaving() && members_.size() < most();
}

bool Http2Connection::usable() const {
  return !gone_ && session_.ready() && !session_.leaving() &&
         session_.out() < session_.most_streams();
}

base::Nanos Http2Connection::send(std::string_view message, Member& member) {
  used_ = true;
  member.touched_ = false;
  stamped_ = &member;
  session_.request(message, member);
  return connection_->send(session_.output(), true);
}

std::optional<base::Nanos> Http2Connection::sent_at(const Member& member) {
  return stamped_ == &member ? connection_->sent_at() : std::nullopt;
}

void Http2Connection::cancel(Member& member) {
  session_.cancel(member);
  member.touched_ = false;
  flush();
}

void Http2Connection::on_open() {
  if (route_.tls && connection_->protocol() != "h2") {
    fail("the server does not offer HTTP/2 (ALPN)");
    return;
  }
  flush();
}

void Http2Connection::on_bytes(std::string_view bytes, ReadStamp stamp) {
  const auto self = shared_from_this();  // the members may all leave
  stamp_ = stamp;
  const bool was_ready = session_.ready();
  const base::Status taken = session_.take(bytes);
  flush();
  if (!taken) {
    tell_touched();
    fail(taken.error().what);
    return;
  }
  if (!was_ready && session_.ready()) {
    became_ready();
  }
  tell_touched();
  if (session_.over()) {
    fail(session_.why_over());
  }
}

void Http2Connection::on_closed(const std::string& why) {
  const bool silent = why.empty() && !session_.ready();
  fail(silent ? "the server closed the connection before it spoke HTTP/2" : why);
}

void Http2Connection::touch(Member& member) {
  if (!std::exchange(member.touched_, true)) {
    member.read_ = false;
    touched_.push_back(&member);
  }
}

void Http2Connection::became_ready() {
  timer_.cancel();
  const std::uint32_t room = most();
  if (room == 0) {
    fail("the server allows no streams at once (HTTP/2 settings)");
    return;
  }
  const std::vector<Member*> waiting = members_;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    Member& member = *waiting[i];
    if (member.joined_ != this) {
      continue;
    }
    if (i < room) {
      member.on_ready(i == 0 ? Exchange::Opening(times()) : std::nullopt);
    } else {
      leave(member);
      member.on_no_room(room);
    }
  }
}

// All at once after the bytes were taken: what a member does then may send, which must not happen
// from within the session.
void Http2Connection::tell_touched() {
  telling_.swap(touched_);
  for (Member* member : telling_) {
    if (member->joined_ == this && std::exchange(member->touched_, false)) {
      member->on_read_end();
    }
  }
  telling_.clear();
}

void Http2Connection::flush() {
  if (!gone_ && connection_->open()) {
    const std::string_view bytes = session_.output();
    if (!bytes.empty()) {
      connection_->send(bytes);
    }
  }
}

void Http2Connection::fail(const std::string& why) {
  if (std::exchange(gone_, true)) {
    return;
  }
  const auto self = shared_from_this();
  timer_.cancel();
  connection_->set_handler(nullptr);
  connection_->close();
  const std::vector<Member*> left = std::exchange(members_, {});
  for (Member* member : left) {
    if (member->joined_ == this) {
      session_.cancel(*member);
      member->joined_ = nullptr;
      member->on_gone(why);
    }
  }
}

}  // namespace steelyard::wire
