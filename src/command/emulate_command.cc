#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "command/command.h"
#include "command/truth_command.h"
#include "emulate/platform_server.h"
#include "quantity/duration.h"

namespace steelyard::command {
namespace {

struct Options {
  std::string platform;
  std::string profile;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8000;
  std::string model;
  std::string ttft;
  std::string itl;
  std::optional<std::int64_t> slots;
  std::string api_key;
  std::string tls_certificate;
  std::string tls_key;
  TruthFlags truth;
};

base::Status override_spread(const std::string& flag, const std::string& given,
                             emulate::Spread& spread) {
  if (given.empty()) {
    return {};
  }
  return quantity::parse_duration(flag, given).map([&](base::Nanos duration) {
    spread = {duration, duration};
  });
}

base::Result<emulate::Profile> profile_of(const Options& options) {
  emulate::Profile profile;
  if (!options.profile.empty()) {
    auto loaded = emulate::load_profile(options.profile);
    if (!loaded) {
      return loaded;
    }
    profile = *loaded;
  }
  if (!options.model.empty()) {
    profile.model = options.model;
  }
  if (options.slots && *options.slots < 1) {
    return base::bad_input("--slots", fmt::format("{} is no capacity", *options.slots),
                           "1 or more");
  }
  profile.slots = options.slots.value_or(profile.slots);
  return override_spread("--ttft", options.ttft, profile.ttft)
      .and_then([&] { return override_spread("--itl", options.itl, profile.itl); })
      .map([&] { return profile; });
}

base::Result<emulate::ServeOptions> serve_options(const Options& options) {
  emulate::ServeOptions serve;
  serve.host = options.host;
  serve.port = options.port;
  serve.api_key = base::Secret(options.api_key);
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return base::bad_input("--tls-cert", "a certificate needs its key, and a key its certificate",
                           "--tls-cert FILE --tls-key FILE");
  }
  if (!options.tls_certificate.empty()) {
    auto context = wire::TlsContext::server(options.tls_certificate, options.tls_key);
    if (!context) {
      return tl::unexpected(context.error());
    }
    serve.tls = *context;
  }
  return serve;
}

base::Result<int> emulate_truth(const Options& options) {
  if (!options.profile.empty() || options.slots || !options.api_key.empty() ||
      !options.tls_certificate.empty() || !options.tls_key.empty()) {
    return base::bad_input("PLATFORM", "the truth server has no profile, slots, key or TLS",
                           "--host, --port, --model, --ttft, --itl and its own flags");
  }
  TruthFlags flags = options.truth;
  flags.host = options.host;
  flags.port = options.port;
  flags.model = options.model;
  flags.ttft = options.ttft;
  flags.itl = options.itl;
  return serve_truth(flags);
}

base::Result<int> emulate_platform(const Options& options) {
  if (options.platform == "truth") {
    return emulate_truth(options);
  }
  if (options.truth.any_of_its_own()) {
    return base::bad_input("PLATFORM", "--instant, --output-len, --cpu and --script are truth's",
                           "emulate truth");
  }
  auto profile = profile_of(options);
  if (!profile) {
    return tl::unexpected(profile.error());
  }
  profile->platform = options.platform;
  auto serve = serve_options(options);
  if (!serve) {
    return tl::unexpected(serve.error());
  }
  boost::asio::io_context loop(1);
  const auto server = emulate::PlatformServer::start(loop, *profile, *serve);
  if (!server) {
    return tl::unexpected(server.error());
  }
  boost::asio::signal_set signals(loop, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code&, int) {
    (*server)->stop();
    loop.stop();
  });
  print_out(fmt::format("listening {}\n", (*server)->url()));
  std::fflush(stdout);
  loop.run();
  return 0;
}

}  // namespace

void add_emulate(CLI::App& app, Run& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "emulate", "Serve a platform's protocol from a profile, and keep the truth (GET /truth)");
  command
      ->add_option("PLATFORM", options->platform,
                   fmt::format("{}; or truth: exact, to measure clients against",
                               emulate::kEmulatedPlatforms))
      ->required();
  command->add_option("--profile", options->profile,
                      "YAML with the timing, capacity and faults (docs/emulate.md)");
  command->add_option("--host", options->host, "IP address to listen on")->capture_default_str();
  command->add_option("--port", options->port, "port to listen on; 0: any free one")
      ->capture_default_str();
  command->add_option("--model", options->model,
                      "name of the one model served (default: emulated-model)");
  command->add_option("--ttft", options->ttft, "every TTFT, for example 95ms (default: 100ms)");
  command->add_option("--itl", options->itl, "every time between tokens (default: 20ms)");
  command->add_option("--slots", options->slots,
                      "requests served at once; the rest queue (default: 256)");
  command->add_option("--api-key", options->api_key, "refuse other keys with 401")
      ->envname("STEELYARD_EMULATE_API_KEY");
  command->add_option("--tls-cert", options->tls_certificate, "PEM certificate: serve HTTPS");
  command->add_option("--tls-key", options->tls_key, "PEM key of --tls-cert");
  add_truth_flags(*command, options->truth);
  command->callback([&run, options] { run = [options] { return emulate_platform(*options); }; });
}

}  // namespace steelyard::command
