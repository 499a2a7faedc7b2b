// What a run sends, when and where to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "platform/auth.h"
#include "platform/dialect.h"
#include "wire/http_reader.h"
#include "wire/proxy.h"
#include "wire/tls.h"
#include "wire/url.h"
#include "workload/source.h"

namespace steelyard::load {

// When a connection is done.
enum class Reuse : std::uint8_t {
  kKeep,        // when the server ends it
  kPerRequest,  // after each request
};

// Names as --http-version has them.
enum class HttpVersion : std::uint8_t {
  k11,
  k2,     // over TLS by ALPN, else with prior knowledge (RFC 9113, section 3)
  kAuto,  // what ALPN settles on; 1.1 without TLS
};

struct Target {
  wire::Url url;
  std::string path;                       // "/v1/chat/completions"; put after the URL's own path
  wire::Fields fields;                    // extra header fields
  platform::Auth auth;                    // who asks
  std::shared_ptr<wire::TlsContext> tls;  // for https
  std::optional<wire::Proxy> proxy;
  Reuse reuse = Reuse::kKeep;
  HttpVersion http = HttpVersion::k11;
  std::uint32_t http2_streams = 100;  // at once on a connection, unless the server allows fewer
  base::Nanos connect_timeout = 10 * base::kSecond;
  base::Nanos request_timeout = 600 * base::kSecond;  // from the send to the last byte
};

struct Plan {
  workload::Source* requests = nullptr;  // outlives the run
  // Appends the JSON body of a request.
  std::function<void(const workload::Request& request, std::string& into)> write_body;
  const platform::Dialect* dialect = &platform::kOpenAiChat;  // of the bodies; never null
  // One for each lane, where the dialect's requests take more than one exchange.
  std::function<std::unique_ptr<platform::Call>()> make_call;
  bool stream = true;  // what the bodies ask for
  // Closed loop: the next one leaves when a slot is free, and is due at that very moment.
  bool closed_loop = false;
  // Slots; absent: no limit. A closed loop needs it.
  std::optional<std::int64_t> max_concurrency;
  // No new request after this long; those out are waited for.
  std::optional<base::Nanos> send_for;
  std::string run_id;           // requests carry "X-Request-Id: <run_id>-<index>"
  std::size_t first_index = 0;  // of the first request: a resumed run counts on
};

}  // namespace steelyard::load
