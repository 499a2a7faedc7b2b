// One small answer to one request; blocks. For what is asked beside a run, never within it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "wire/http_reader.h"
#include "wire/proxy.h"
#include "wire/tls.h"
#include "wire/url.h"

namespace steelyard::wire {

struct Fetched {
  int status = 0;
  std::string body;  // at most 64 MiB
  HttpHead head;
  std::int64_t reads = 0;  // of the socket: a stream that somebody gathers comes in few
};

struct FetchRequest {
  std::string path;  // put after the URL's own
  Fields fields{};
  std::string method = "GET";
  std::string body{};
};

struct FetchOptions {
  std::shared_ptr<TlsContext> tls{};  // for https
  base::Nanos timeout = 10 * base::kSecond;
  const std::atomic<bool>* stop = nullptr;  // true ends the wait at once
  std::optional<Proxy> proxy{};
};

// No answer within the timeout is an environment error, as is a host that cannot be reached, and a
// stop.
[[nodiscard]] base::Result<Fetched> fetch(const Url& url, const FetchRequest& request,
                                          const FetchOptions& options);

}  // namespace steelyard::wire
