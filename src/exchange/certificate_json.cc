#include "exchange/certificate_json.h"

namespace steelyard::exchange {
namespace {

using base::Json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json self_test_json(const std::optional<measure::SelfTest>& test) {
  if (!test) {
    return nullptr;
  }
  const auto error = [](const measure::SelfTest::Error& of) {
    return Json{{"p50", of.p50_ms}, {"p99", of.p99_ms}};
  };
  return {{"streams", test->streams},
          {"requests", test->requests},
          {"tokens_per_s", test->tokens_per_s},
          {"ttft_error_ms", error(test->ttft)},
          {"itl_error_ms", error(test->itl)}};
}

}  // namespace

Json certificate_json(const measure::Certificate& certificate) {
  return {{"verdict", measure::name_of(certificate.verdict)},
          {"reasons", certificate.reasons},
          {"client_cpu", or_null(certificate.client_cpu)},
          {"loop_lag_us", or_null(certificate.loop_lag_us)},
          {"late_sends", certificate.late_sends},
          {"late_send_share", certificate.late_send_share},
          {"coalesced_reads", certificate.coalesced_share},
          {"stale_connections", certificate.stale_connections},
          {"unstamped_sends", certificate.unstamped_sends},
          {"achieved_rate", or_null(certificate.achieved_rate)},
          {"self_test", self_test_json(certificate.self_test)}};
}

}  // namespace steelyard::exchange
