// What a run sends, when and where to. Everything is prepared before the start, so that sending
// costs nothing but the write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/secret.h"
#include "wire/http_reader.h"
#include "wire/tls.h"
#include "wire/url.h"

namespace steelyard::load {

struct Target {
  wire::Url url;
  std::string path;                       // "/v1/chat/completions"; put after the URL's own path
  wire::Fields fields;                    // extra header fields
  base::Secret api_key;                   // sent as "Authorization: Bearer ..."
  std::shared_ptr<wire::TlsContext> tls;  // for https
  base::Nanos connect_timeout = 10 * base::kSecond;
  base::Nanos request_timeout = 600 * base::kSecond;  // from the send to the last byte
};

// The header fields that every request to it carries: its own, and the key.
[[nodiscard]] wire::Fields fields_of(const Target& target);

struct PlannedRequest {
  base::Nanos due = 0;  // after the start; not used in a closed loop
  std::string body;     // JSON
};

struct Plan {
  std::vector<PlannedRequest> requests;  // ascending in `due`
  bool stream = true;                    // what the bodies ask for
  // Closed loop: the next one leaves when a slot is free, and is due at that very moment.
  bool closed_loop = false;
  // Slots; absent: no limit. A closed loop needs it.
  std::optional<std::int64_t> max_concurrency;
  // No new request after this long; those out are waited for.
  std::optional<base::Nanos> send_for;
  std::string run_id;  // requests carry "X-Request-Id: <run_id>-<index>"
};

}  // namespace steelyard::load
