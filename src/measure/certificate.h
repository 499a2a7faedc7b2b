// Whether the client can vouch for its numbers. A load generator that is short of CPU, late with
// its sends or late at its sockets measures itself; past a bound the run is not to be believed, and
// it says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/histogram.h"

namespace steelyard::measure {

// What opening connections took. Each histogram holds one value a connection that opened.
struct Connects {
  Histogram all;  // the TCP and TLS handshakes
  Histogram tcp;
  Histogram tls;                   // empty where TLS is not spoken
  std::optional<base::Nanos> dns;  // finding the address, once, before the first of them

  void merge(const Connects& other);
};

// What the client saw of itself. Additive over threads and runs.
struct ClientHealth {
  base::Nanos cpu = 0;   // of the loop's thread
  base::Nanos wall = 0;  // while requests were out
  Histogram read_delay;  // the kernel had the bytes -> this program read them
  Connects connects;
  std::int64_t sends = 0;
  std::int64_t unstamped_sends = 0;    // the kernel did not say when they left: timed by the client
  std::int64_t late_sends = 0;         // over kLateSend after the schedule, a connection being open
  std::int64_t stale_connections = 0;  // found closed by the server; the request was sent anew
  std::int64_t token_events = 0;
  std::int64_t coalesced_events = 0;  // came in one read with an earlier event of their stream
  std::optional<double> asked_rps;    // open loop only
  std::optional<double> achieved_rps;

  static constexpr base::Nanos kLateSend = base::kMillisecond;
  void merge(const ClientHealth& other);
};

// The client's error against a server that knows when it wrote each token.
struct SelfTest {
  struct Error {  // measured - true, in ms
    double p50_ms = 0;
    double p99_ms = 0;
  };
  std::int64_t streams = 0;
  std::int64_t requests = 0;  // completed
  double tokens_per_s = 0;    // of all streams together
  Error ttft;
  Error itl;
};

struct Certificate {
  enum class Verdict : std::uint8_t { kValid, kDegraded, kInvalid };
  Verdict verdict = Verdict::kValid;
  std::vector<std::string> reasons;
  std::optional<double> client_cpu;   // share of one core
  std::optional<double> loop_lag_us;  // P99 of read_delay
  std::int64_t late_sends = 0;
  double late_send_share = 0;
  double coalesced_share = 0;  // of token events
  std::int64_t stale_connections = 0;
  std::int64_t unstamped_sends = 0;
  std::optional<double> achieved_rate;  // achieved / asked
  std::optional<SelfTest> self_test;    // where one was asked for
};

[[nodiscard]] std::string_view name_of(Certificate::Verdict verdict);
[[nodiscard]] Certificate certify(const ClientHealth& health,
                                  const std::optional<SelfTest>& self_test = {});

}  // namespace steelyard::measure
