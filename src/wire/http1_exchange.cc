#include "wire/http1_exchange.h"

namespace steelyard::wire {

Http1Exchange::Http1Exchange(const Route& route, Exchange::Handler& handler)
    : Exchange(handler), route_(route) {}

// The loop no longer runs: nothing is to be stopped, and nothing may call here.
Http1Exchange::~Http1Exchange() {
  if (connection_) {
    connection_->set_handler(nullptr);
  }
}

void Http1Exchange::connect() {
  close();
  used_ = false;
  connection_ = route_.open(*this);
}

void Http1Exchange::close() {
  asked_ = false;
  if (connection_) {
    connection_->set_handler(nullptr);
    connection_->close();
    connection_.reset();
  }
}

base::Nanos Http1Exchange::send(std::string_view message) {
  reader_.reset();
  asked_ = true;
  used_ = true;
  return connection_->send(message, true);
}

void Http1Exchange::end(bool keep) {
  asked_ = false;
  if (!keep || !reader_.done() || !reader_.head().keeps_alive()) {
    close();
  }
}

void Http1Exchange::on_open() { handler().on_open(connection_->times()); }

void Http1Exchange::on_bytes(std::string_view bytes, ReadStamp stamp) {
  if (!asked_) {
    // The peer says something of its own, and is not to be trusted further.
    close();
    handler().on_lost({"the server spoke unasked"});
    return;
  }
  handler().on_read(stamp);
  const std::size_t taken =
      reader_.feed(bytes, [this](std::string_view piece) { handler().on_body(piece); });
  if (taken < bytes.size()) {
    connection_->close();  // there is more than the answer
  }
  handler().on_read_end();
}

void Http1Exchange::on_closed(const std::string& why) {
  if (asked_ && why.empty() && reader_.finish()) {
    handler().on_read_end();
  } else {
    handler().on_lost({why});
  }
}

}  // namespace steelyard::wire
