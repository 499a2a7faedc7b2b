#include "wire/alpn_probe.h"

namespace steelyard::wire {

AlpnProbe::AlpnProbe(const Route& route) : connection_(route.open(*this, kAlpnEither)) {}

AlpnProbe::~AlpnProbe() {
  connection_->set_handler(nullptr);
  connection_->close();
}

void AlpnProbe::on_open() {
  http2_ = connection_->protocol() == "h2";
  over_ = true;
}

void AlpnProbe::on_closed(const std::string& why) {
  failure_ = why.empty() ? "the server closed the connection" : why;
  over_ = true;
}

}  // namespace steelyard::wire
