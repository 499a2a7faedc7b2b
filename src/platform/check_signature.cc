#include "platform/check_signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "base/text.h"

namespace steelyard::platform {
namespace {

using Fault = std::optional<SignatureFault>;

constexpr base::Nanos kMinute = 60 * base::kSecond;

// "ALGORITHM Name=value, Name=value"
struct Authorization {
  std::string_view algorithm;
  std::string_view key;  // Credential or Access
  std::string_view names;
  std::string_view signature;
};

Authorization parse_authorization(std::string_view text) {
  Authorization parsed;
  const std::size_t space = text.find(' ');
  parsed.algorithm = text.substr(0, space);
  if (space == std::string_view::npos) {
    return parsed;
  }
  for (const std::string_view each : base::split(text.substr(space), ',')) {
    const std::string_view part = base::trim(each);
    const std::string_view name = part.substr(0, part.find('='));
    const std::string_view value = part.substr(std::min(name.size() + 1, part.size()));
    if (name == "Credential" || name == "Access") {
      parsed.key = value;
    } else if (name == "SignedHeaders") {
      parsed.names = value;
    } else if (name == "Signature") {
      parsed.signature = value;
    }
  }
  return parsed;
}

// The fields of the head that were signed, but for those that the signer adds itself.
wire::Fields signed_by_client(const wire::HttpHead& head, std::string_view names,
                              std::span<const std::string_view> added) {
  const auto signed_names = base::split(names, ';');
  wire::Fields fields;
  for (const auto& field : head.fields) {
    if (std::ranges::find(signed_names, field.first) != signed_names.end() &&
        std::ranges::find(added, field.first) == added.end()) {
      fields.push_back(field);
    }
  }
  return fields;
}

std::optional<unsigned> digits(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

// "20150830T123600Z"
std::optional<base::Nanos> compact_time(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') {
    return std::nullopt;
  }
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> kParts = {
      {{0, 4}, {4, 2}, {6, 2}, {9, 2}, {11, 2}, {13, 2}}};
  std::array<unsigned, 6> value{};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const auto number = digits(text.substr(kParts[i].first, kParts[i].second));
    if (!number) {
      return std::nullopt;
    }
    value[i] = *number;
  }
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(value[0])),
                                        std::chrono::month(value[1]), std::chrono::day(value[2])};
  if (!day.ok() || value[0] < 1970 || value[0] > 2200) {
    return std::nullopt;
  }
  const base::Nanos midnight =
      std::chrono::sys_days(day).time_since_epoch().count() * 86'400 * base::kSecond;
  return midnight + (value[3] * 3600 + value[4] * 60 + value[5]) * base::kSecond;
}

// What the parts of a signature's making come to: they are looked at in the order of a server that
// says as early as it can what is wrong.
template <typename Signer>
Fault compare(Signer& signer, const wire::HttpHead& head, std::string_view body,
              std::span<const std::string_view> added, base::Nanos at) {
  const Authorization given = parse_authorization(head.field("authorization"));
  const wire::Fields fields = signed_by_client(head, given.names, added);
  const wire::Fields made = signer.sign({head.method, head.target, fields, body}, at);
  const auto found =
      std::ranges::find(made, std::string_view("Authorization"), &wire::Fields::value_type::first);
  const Authorization right = parse_authorization(found->second);
  const auto key_id = [](std::string_view key) { return key.substr(0, key.find('/')); };
  if (given.algorithm != right.algorithm || given.signature.empty()) {
    return SignatureFault::kMissing;
  }
  if (key_id(given.key) != key_id(right.key)) {
    return SignatureFault::kKey;
  }
  if (given.key != right.key) {
    return SignatureFault::kScope;
  }
  const bool same = given.names == right.names && given.signature == right.signature;
  return same ? Fault() : SignatureFault::kWrong;
}

template <typename Signer>
Fault check(Signer& signer, const wire::HttpHead& head, std::string_view body,
            std::span<const std::string_view> added, std::optional<base::Nanos> at,
            base::Nanos wall, base::Nanos most_skew) {
  if (!at || head.field("authorization").empty()) {
    return SignatureFault::kMissing;
  }
  if (std::abs(*at - wall) > most_skew) {
    return SignatureFault::kSkewed;
  }
  return compare(signer, head, body, added, *at);
}

}  // namespace

Fault signature_fault(AwsSigner& signer, const wire::HttpHead& head, std::string_view body,
                      base::Nanos wall) {
  constexpr std::array<std::string_view, 2> kAdded = {"x-amz-date", "x-amz-security-token"};
  return check(signer, head, body, kAdded, compact_time(head.field("x-amz-date")), wall,
               5 * kMinute);
}

Fault signature_fault(TencentSigner& signer, const wire::HttpHead& head, std::string_view body,
                      base::Nanos wall) {
  const auto seconds = digits(head.field("x-tc-timestamp"));
  return check(signer, head, body, {},
               seconds ? std::optional(*seconds * base::kSecond) : std::nullopt, wall, 5 * kMinute);
}

Fault signature_fault(HuaweiSigner& signer, const wire::HttpHead& head, std::string_view body,
                      base::Nanos wall) {
  constexpr std::array<std::string_view, 2> kAdded = {"x-sdk-date", "x-security-token"};
  return check(signer, head, body, kAdded, compact_time(head.field("x-sdk-date")), wall,
               15 * kMinute);
}

}  // namespace steelyard::platform
