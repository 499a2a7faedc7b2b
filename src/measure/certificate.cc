#include "measure/certificate.h"

#include <fmt/format.h>

#include <cmath>

namespace steelyard::measure {
namespace {

using Verdict = Certificate::Verdict;

// Beyond the first a figure is doubtful, beyond the second it is void.
struct Bound {
  double degraded;
  double invalid;
};
constexpr Bound kCpu{0.80, 0.95};
// Receive times are the kernel's, so a late read falsifies no latency; so late, the next send is.
constexpr Bound kLagUs{1'000, 50'000};
constexpr Bound kLateShare{0.01, 0.10};
constexpr double kNever = 1e9;
// A limit on concurrency misses the rate too, and response times say what that costs.
constexpr Bound kMissedRate{0.01, kNever};
// Several tokens in one read may be the server's doing; gaps between them are not seen either way.
constexpr Bound kCoalesced{0.10, kNever};
// Of a self-test. An honest client's errors are a tenth of the first.
constexpr Bound kTtftErrorMs{1, 10};
constexpr Bound kItlErrorMs{0.5, 5};

void judge(Certificate& certificate, double value, const Bound& bound, std::string words) {
  if (value <= bound.degraded) {
    return;
  }
  certificate.reasons.push_back(std::move(words));
  certificate.verdict =
      std::max(certificate.verdict, value > bound.invalid ? Verdict::kInvalid : Verdict::kDegraded);
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void judge_self_test(Certificate& certificate, const SelfTest& test) {
  const auto words = [](std::string_view metric, std::string_view percent, double error) {
    return fmt::format("in the self-test its {} {} was off by {:.2f} ms", metric, percent, error);
  };
  judge(certificate, std::abs(test.ttft.p50_ms), kTtftErrorMs,
        words("TTFT", "P50", test.ttft.p50_ms));
  judge(certificate, std::abs(test.ttft.p99_ms), kTtftErrorMs,
        words("TTFT", "P99", test.ttft.p99_ms));
  judge(certificate, std::abs(test.itl.p50_ms), kItlErrorMs, words("ITL", "P50", test.itl.p50_ms));
  judge(certificate, std::abs(test.itl.p99_ms), kItlErrorMs, words("ITL", "P99", test.itl.p99_ms));
}

}  // namespace

void Connects::merge(const Connects& other) {
  all.merge(other.all);
  tcp.merge(other.tcp);
  tls.merge(other.tls);
  dns = dns ? dns : other.dns;
}

void ClientHealth::merge(const ClientHealth& other) {
  cpu += other.cpu;
  wall += other.wall;
  read_delay.merge(other.read_delay);
  connects.merge(other.connects);
  sends += other.sends;
  unstamped_sends += other.unstamped_sends;
  late_sends += other.late_sends;
  stale_connections += other.stale_connections;
  token_events += other.token_events;
  coalesced_events += other.coalesced_events;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return "valid";
    case Verdict::kDegraded:
      return "degraded";
    case Verdict::kInvalid:
      break;
  }
  return "invalid";
}

Certificate certify(const ClientHealth& health, const std::optional<SelfTest>& self_test) {
  Certificate certificate;
  certificate.late_sends = health.late_sends;
  certificate.stale_connections = health.stale_connections;
  certificate.unstamped_sends = health.unstamped_sends;
  certificate.late_send_share = share(health.late_sends, health.sends);
  certificate.coalesced_share = share(health.coalesced_events, health.token_events);
  if (health.wall > 0) {
    certificate.client_cpu = static_cast<double>(health.cpu) / static_cast<double>(health.wall);
    judge(certificate, *certificate.client_cpu, kCpu,
          fmt::format("the client used {:.0f} % of a core", 100 * *certificate.client_cpu));
  }
  if (const auto lag = health.read_delay.percentile(0.99)) {
    certificate.loop_lag_us = static_cast<double>(*lag) / 1e3;
    judge(certificate, *certificate.loop_lag_us, kLagUs,
          fmt::format("the client read {:.1f} ms late (P99); receive times are the kernel's",
                      *certificate.loop_lag_us / 1e3));
  }
  judge(
      certificate, certificate.late_send_share, kLateShare,
      fmt::format("{:.1f} % of the sends were over 1 ms late", 100 * certificate.late_send_share));
  judge(certificate, certificate.coalesced_share, kCoalesced,
        fmt::format("{:.0f} % of the chunks came in one read with an earlier one; the time between "
                    "them was not seen",
                    100 * certificate.coalesced_share));
  if (health.asked_rps && health.achieved_rps && *health.asked_rps > 0) {
    certificate.achieved_rate = *health.achieved_rps / *health.asked_rps;
    judge(certificate, 1 - *certificate.achieved_rate, kMissedRate,
          fmt::format("{:.1f} % of the asked rate was achieved", 100 * *certificate.achieved_rate));
  }
  if (self_test) {
    certificate.self_test = self_test;
    judge_self_test(certificate, *self_test);
  }
  return certificate;
}

}  // namespace steelyard::measure
