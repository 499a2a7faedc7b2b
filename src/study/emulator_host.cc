#include "study/emulator_host.h"

#include <boost/asio/io_context.hpp>
#include <thread>

#include "emulate/platform_server.h"

namespace steelyard::study {

struct EmulatorHost::State {
  boost::asio::io_context loop{1};
  std::unique_ptr<emulate::PlatformServer> server;
  std::string url;
  std::thread thread;
};

EmulatorHost::EmulatorHost() : state_(std::make_unique<State>()) {}

base::Result<std::unique_ptr<EmulatorHost>> EmulatorHost::start(const emulate::Profile& profile) {
  std::unique_ptr<EmulatorHost> host(new EmulatorHost());
  State& state = *host->state_;
  auto server = emulate::PlatformServer::start(state.loop, profile, {});
  if (!server) {
    return tl::unexpected(server.error());
  }
  state.server = std::move(*server);
  state.url = state.server->url();
  state.thread = std::thread([&state] { state.loop.run(); });
  return host;
}

EmulatorHost::~EmulatorHost() {
  state_->loop.stop();
  if (state_->thread.joinable()) {
    state_->thread.join();
  }
  if (state_->server) {
    state_->server->stop();
  }
}

const std::string& EmulatorHost::url() const { return state_->url; }

}  // namespace steelyard::study
