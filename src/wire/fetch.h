// One small answer, fetched by GET; blocks. For what is asked beside a run, never within it.
#pragma once

#include <atomic>
#include <memory>
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
};

// `path` is put after the URL's own. `tls` for https. No answer within `timeout` is an environment
// error, as is a host that cannot be reached, and `stop` becoming true, which ends the wait at
// once.
[[nodiscard]] base::Result<Fetched> fetch(const Url& url, const std::string& path,
                                          const Fields& fields, std::shared_ptr<TlsContext> tls,
                                          base::Nanos timeout,
                                          const std::atomic<bool>* stop = nullptr,
                                          const std::optional<Proxy>& proxy = std::nullopt);

}  // namespace steelyard::wire
