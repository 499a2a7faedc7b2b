#include "platform/auth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace steelyard::platform {
namespace {

struct Row {
  Scheme scheme;
  std::string_view name;
  std::string_view detail;  // what may or must stand behind a colon
  bool takes_key;
};

constexpr std::array kRows = {
    Row{Scheme::kNone, "none", "", false},
    Row{Scheme::kBearer, "bearer", "", true},
    Row{Scheme::kToken, "token", "", true},
    Row{Scheme::kHeader, "header", "NAME", true},
    Row{Scheme::kApiKey, "api-key", "", true},
    Row{Scheme::kAppCode, "appcode", "", true},
    Row{Scheme::kIamToken, "iam-token", "", true},
    Row{Scheme::kEasHmac, "eas-hmac", "", true},
    Row{Scheme::kSdkHmac, "sdk-hmac-sha256", "", false},
    Row{Scheme::kSigV4, "sigv4", "REGION/SERVICE", false},
    Row{Scheme::kTc3, "tc3", "SERVICE", false},
    Row{Scheme::kGoogle, "google", "", false},
};

const Row& row_of(Scheme scheme) {
  return *std::ranges::find(kRows, scheme, &Row::scheme);  // every scheme has one
}

bool plain(std::string_view detail) {
  return !detail.empty() && std::ranges::all_of(detail, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/';
  });
}

}  // namespace

std::string_view name_of(Scheme scheme) { return row_of(scheme).name; }

bool takes_key(Scheme scheme) { return row_of(scheme).takes_key; }

std::span<const Scheme> all_schemes() {
  static const auto all = [] {
    std::array<Scheme, kRows.size()> schemes{};
    std::ranges::transform(kRows, schemes.begin(), &Row::scheme);
    return schemes;
  }();
  return all;
}

std::string scheme_names(std::span<const Scheme> schemes) {
  std::string names;
  for (const Scheme scheme : schemes) {
    const bool must = scheme == Scheme::kHeader;
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", name_of(scheme), must ? ":NAME" : "");
  }
  return names;
}

base::Result<SchemeText> parse_scheme(const std::string& where, std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto found = std::ranges::find(kRows, base::lower(text.substr(0, colon)), &Row::name);
  if (found == kRows.end()) {
    return base::bad_input(where, fmt::format("'{}' is not known", base::valid_utf8(text)),
                           scheme_names(all_schemes()));
  }
  SchemeText parsed{found->scheme, ""};
  if (colon != std::string_view::npos) {
    parsed.detail = std::string(text.substr(colon + 1));
  }
  const bool given = colon != std::string_view::npos;
  const bool fits =
      given ? !found->detail.empty() && plain(parsed.detail) : found->scheme != Scheme::kHeader;
  if (!fits) {
    return base::bad_input(where, fmt::format("'{}' is no way to say it", base::valid_utf8(text)),
                           found->detail.empty()
                               ? std::string(found->name)
                               : fmt::format("{}:{}", found->name, found->detail));
  }
  return parsed;
}

Auth bearer(base::Secret key) {
  return key.empty() ? Auth() : Auth(KeyField{"Authorization", "Bearer ", std::move(key)});
}

}  // namespace steelyard::platform
