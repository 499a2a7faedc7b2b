#include "emulate/profile.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.h"
#include "base/yaml_values.h"
#include "quantity/duration.h"

namespace steelyard::emulate {
namespace {

using base::YamlMap;

constexpr double kZ99 = 2.3263478740408408;  // the normal distribution's 99th percentile

constexpr std::array<std::pair<std::string_view, FailureKind>, 5> kFailureKinds = {{
    {"unavailable", FailureKind::kUnavailable},
    {"rate_limited", FailureKind::kRateLimited},
    {"error_in_band", FailureKind::kErrorInBand},
    {"truncated", FailureKind::kTruncated},
    {"no_token", FailureKind::kNoToken},
}};

Spread read_spread(YamlMap& map, std::string_view key, const Spread& otherwise) {
  auto given = map.maybe_map(key);
  if (!given) {
    return otherwise;
  }
  Spread spread;
  spread.p50 = quantity::maybe_duration(*given, "p50").value_or(otherwise.p50);
  spread.p99 = quantity::maybe_duration(*given, "p99").value_or(spread.p50);
  if (spread.p99 < spread.p50 || (spread.p50 == 0 && spread.p99 > 0)) {
    complain(map, given->where("p99"), "p99 is below p50, or p50 is 0 and p99 is not",
             "p50 above 0 and p99 at least p50");
  }
  return spread;
}

FailureKind read_failure_kind(YamlMap& map) {
  const auto given = map.maybe_located("failure_kind");
  if (!given) {
    return FailureKind::kUnavailable;
  }
  std::vector<std::string> known;
  for (const auto& [name, kind] : kFailureKinds) {
    if (name == given->value) {
      return kind;
    }
    known.emplace_back(name);
  }
  complain(map, given->where, fmt::format("failure_kind '{}' is not known", given->value),
           base::join(known, ", "));
  return FailureKind::kUnavailable;
}

}  // namespace

base::Nanos draw(const Spread& spread, base::Random& random) {
  if (spread.p99 == spread.p50) {
    return spread.p50;
  }
  const double sigma =
      std::log(static_cast<double>(spread.p99) / static_cast<double>(spread.p50)) / kZ99;
  return static_cast<base::Nanos>(
      random.lognormal(std::log(static_cast<double>(spread.p50)), sigma));
}

Profile read_profile(YamlMap& map) {
  Profile profile;
  profile.name = map.maybe_text("name").value_or(profile.name);
  profile.model = map.maybe_text("model").value_or(profile.model);
  profile.ttft = read_spread(map, "ttft", profile.ttft);
  profile.itl = read_spread(map, "itl", profile.itl);
  profile.tokens_per_chunk = count(map, "tokens_per_chunk", profile.tokens_per_chunk, 1);
  profile.default_output_tokens =
      count(map, "default_output_tokens", profile.default_output_tokens, 1);
  profile.slots = count(map, "slots", profile.slots, 1);
  profile.cold_start = quantity::maybe_duration(map, "cold_start").value_or(profile.cold_start);
  profile.idle_timeout =
      quantity::maybe_duration(map, "idle_timeout").value_or(profile.idle_timeout);
  profile.failure_rate = map.maybe_number("failure_rate").value_or(profile.failure_rate);
  if (!(profile.failure_rate >= 0 && profile.failure_rate <= 1)) {
    complain(map, map.where("failure_rate"),
             fmt::format("failure_rate is {}", profile.failure_rate), "a share from 0 to 1");
  }
  profile.failure_kind = read_failure_kind(map);
  profile.seed = static_cast<std::uint64_t>(
      map.maybe_integer("seed").value_or(static_cast<std::int64_t>(profile.seed)));
  return profile;
}

base::Result<Profile> load_profile(const std::string& path) {
  const auto file = base::YamlFile::load(path);
  if (!file) {
    return tl::unexpected(file.error());
  }
  YamlMap root = file->root();
  Profile profile = read_profile(root);
  if (const auto read = root.finish(); !read) {
    return tl::unexpected(read.error());
  }
  return profile;
}

}  // namespace steelyard::emulate
