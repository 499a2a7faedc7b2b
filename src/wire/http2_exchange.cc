#include "wire/http2_exchange.h"

#include <algorithm>

namespace steelyard::wire {

std::shared_ptr<Http2Connection> Http2Pool::join(Http2Connection::Member& member) {
  std::erase_if(connections_, [](const auto& connection) { return connection->gone(); });
  const auto roomy = std::ranges::find_if(
      connections_, [](const auto& connection) { return connection->has_room(); });
  if (roomy != connections_.end()) {
    (*roomy)->join(member);
    return *roomy;
  }
  auto fresh = std::make_shared<Http2Connection>(route_, most_streams_);
  connections_.push_back(fresh);
  fresh->join(member);
  fresh->start();
  return fresh;
}

void Http2Exchange::connect() {
  close();
  connection_ = pool_.join(*this);
}

std::optional<base::Nanos> Http2Exchange::sent_at() {
  return connection_ ? connection_->sent_at(*this) : std::nullopt;
}

void Http2Exchange::end(bool keep) {
  if (!connection_) {
    return;
  }
  connection_->cancel(*this);
  if (!keep) {
    close();
  }
}

void Http2Exchange::close() {
  if (const auto connection = std::exchange(connection_, nullptr)) {
    connection->leave(*this);
  }
}

void Http2Exchange::on_no_room(std::uint32_t room) {
  pool_.allow(room);
  connection_.reset();
  connect();
  if (open()) {
    handler().on_open(std::nullopt);
  }
}

void Http2Exchange::on_read_end() {
  if (!done() && reset) {
    handler().on_lost(
        {"the server reset the stream (" + http2_error_name(*reset) + ")", http2_untaken(*reset)});
  } else {
    handler().on_read_end();
  }
}

void Http2Exchange::on_gone(const std::string& why) {
  connection_.reset();
  handler().on_lost({why});
}

}  // namespace steelyard::wire
