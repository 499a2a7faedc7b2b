#include "study/suite_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "platform/find_auth.h"
#include "platform/platforms.h"
#include "quantity/duration.h"
#include "study/suite_values.h"

namespace steelyard::study {
namespace {

using base::YamlMap;
using base::YamlText;

constexpr std::int64_t kMostMachines = 1'000'000;

std::optional<std::string> from_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

// What the platform needs of the environment is not there.
void lack(YamlMap& map, SuitePlatform& platform, const std::string& where, const std::string& name,
          bool optional) {
  platform.absent = true;
  platform.lacks = name + " is not set";
  platform.lacks_zh = "未设置 " + name;
  if (!optional) {
    complain(map, where, "the environment has no " + name, "export it, or say optional: true");
  }
}

// "${NAME}" replaced by the environment's value; the name of the first that is not set comes back.
std::optional<std::string> substitute(YamlMap& map, YamlText& text) {
  std::string& value = text.value;
  for (std::size_t at = value.find("${"); at != std::string::npos; at = value.find("${", at)) {
    const std::size_t end = value.find('}', at);
    if (end == std::string::npos || end == at + 2) {
      complain(map, text.where, "a \"${\" without a name and a \"}\"", "${NAME}");
      return "a variable";
    }
    std::string name = value.substr(at + 2, end - at - 2);
    const auto found = from_environment(name);
    if (!found) {
      return name;
    }
    value.replace(at, end - at + 1, *found);
    at += found->size();
  }
  return std::nullopt;
}

// A key that the suite names, by its variable or its file.
base::Secret read_key(YamlMap& map, SuitePlatform& platform, platform::AuthWish& wish) {
  const auto name = map.maybe_located("api_key_env");
  const auto file = map.maybe_located("api_key_file");
  if (platform.absent || (!name && !file)) {
    return {};
  }
  wish.key_where = name ? name->where : file->where;
  if (name && file) {
    complain(map, file->where, "the key is in api_key_env too", "one of them");
    return {};
  }
  if (file) {
    const auto text = base::read_file(file->value);
    if (!text) {
      map.complain(text.error());
    } else if (base::trim(*text).empty()) {
      complain(map, file->where, "no key is in it", "a file that holds the key alone");
    }
    return base::Secret(std::string(base::trim(text.value_or(""))));
  }
  const auto key = from_environment(name->value);
  if (!key) {
    lack(map, platform, name->where, name->value, platform.optional);
  } else if (base::has_control(*key)) {
    complain(map, name->where, "the key in " + name->value + " holds a control character",
             "a key without a line break");
  } else {
    return base::Secret(*key);
  }
  return {};
}

// `headers:`, more fields of every request. A value may be the environment's.
void read_headers(YamlMap& map, SuitePlatform& platform) {
  auto headers = map.maybe_map("headers");
  if (!headers) {
    return;
  }
  for (const std::string& name : headers->keys()) {
    YamlText value = headers->located(name);
    if (const auto missing = substitute(map, value)) {
      lack(map, platform, value.where, *missing, platform.optional);
    } else if (!wire::is_field(name, value.value)) {
      complain(map, value.where, "not a header field", "NAME: VALUE on one line");
    } else {
      platform.target.fields.emplace_back(name, value.value);
    }
  }
}

// Who asks. The environment's usual keys are looked for where the suite names a scheme, or the
// platform always asks for one: a key of one server is never sent to another by chance.
void read_auth(YamlMap& map, const platform::Platform& of, SuitePlatform& platform) {
  platform::AuthWish wish;
  const auto scheme = map.maybe_located("auth");
  wish.key = read_key(map, platform, wish);
  read_headers(map, platform);
  wish.where = scheme ? scheme->where : map.where();
  wish.scheme = scheme ? scheme->value : "";
  wish.key_hint = "api_key_env, api_key_file, or auth: none";
  wish.url = platform.target.url;
  wish.has_field = std::ranges::any_of(platform.target.fields, [](const auto& field) {
    return base::lower(field.first) == "authorization";
  });
  if (platform.absent || (wish.key.empty() && !scheme && of.auth.optional)) {
    return;
  }
  auto auth = platform::find_auth(of, wish, wire::process_environment());
  if (auth) {
    platform.target.auth = std::move(*auth);
  } else if (!auth.error().where.empty()) {
    map.complain(auth.error());
  } else if (platform.optional) {
    platform.absent = true;
    platform.lacks = auth.error().what;
    platform.lacks_zh = "没有密钥（" + auth.error().what + "）";
  } else {
    complain(map, wish.where, auth.error().what, auth.error().hint);
  }
}

void read_tls(YamlMap& map, SuitePlatform& platform) {
  const auto ca_file = map.maybe_located("ca_file");
  const bool insecure = map.maybe_bool("insecure").value_or(false);
  if (platform.absent) {
    return;
  }
  if (!platform.target.url.tls) {
    if (ca_file || insecure) {
      complain(map, map.where(ca_file ? "ca_file" : "insecure"), "this address has no certificate",
               "an https base_url");
    }
    return;
  }
  auto context = wire::TlsContext::client({!insecure, ca_file ? ca_file->value : ""});
  if (context) {
    platform.target.tls = *context;
  } else {
    map.complain(context.error());
  }
}

void read_endpoint(YamlMap& map, SuitePlatform& platform) {
  YamlText url = map.located("base_url");
  platform.optional = map.maybe_bool("optional").value_or(false);
  if (const auto missing = substitute(map, url)) {
    lack(map, platform, url.where, *missing, platform.optional);
  } else if (auto parsed = wire::parse_url(url.where, url.value)) {
    platform.target.url = *parsed;
  } else {
    map.complain(parsed.error());
  }
  read_tls(map, platform);
}

void read_timeout(YamlMap& map, load::Target& target) {
  const auto timeout = quantity::maybe_duration(map, "request_timeout");
  if (!timeout) {
    return;
  }
  target.request_timeout = *timeout;
  if (*timeout == 0) {
    complain(map, map.where("request_timeout"), "every request would be over at once",
             "a time above 0, such as 60s");
  }
}

// `platform:` says whose protocol is spoken, `endpoint_type:` which of its endpoints.
void read_dialect(YamlMap& map, SuitePlatform& platform) {
  platform::RequestOptions& options = platform.options;
  const auto name = map.maybe_located("platform");
  const auto type = map.maybe_located("endpoint_type");
  const auto found =
      platform::platform_named(name ? name->where : "", name ? name->value : "openai");
  const auto dialect = found.and_then([&](const platform::Platform* of) {
    return platform::dialect_of(*of, type ? type->where : "", type ? type->value : "");
  });
  if (!dialect) {
    map.complain(dialect.error());
    return;
  }
  options.dialect = *dialect;
  if (!platform.emulated) {
    read_auth(map, **found, platform);
  } else if (name) {
    platform.emulated->platform = name->value;
  }
}

void read_request(YamlMap& map, SuitePlatform& platform) {
  platform::RequestOptions& options = platform.options;
  read_dialect(map, platform);
  options.model = platform.emulated ? platform.emulated->model : line(map, "model");
  options.ignore_eos = map.maybe_bool("ignore_eos").value_or(false);
  if (const auto ok = platform::check_ignore_eos(map.where("ignore_eos"), options); !ok) {
    map.complain(ok.error());
  }
  options.temperature = map.maybe_number("temperature");
  options.api_version = maybe_line(map, "api_version");
  if (const auto extra = map.maybe_located("extra_body")) {
    options.extra_body = extra->value;
    if (const auto ok = platform::check_extra_body(extra->where, extra->value); !ok) {
      map.complain(ok.error());
    }
  }
  read_timeout(map, platform.target);
}

// `endpoint:` is a path of the user's own, under the base URL.
void read_path(YamlMap& map, SuitePlatform& platform) {
  const auto own = map.maybe_located("endpoint");
  const auto plain = [](unsigned char c) { return c > ' ' && c != 0x7F; };
  if (own && (!own->value.starts_with('/') || !std::ranges::all_of(own->value, plain))) {
    complain(map, own->where, "no path", "for example /v1/chat/completions");
    return;
  }
  platform.target.path = platform::path_under(
      platform.target.url, own ? own->value : platform.options.dialect->path(platform.options));
}

// A price that `alone` makes an offer of is one by time or by token as it should be.
template <typename Alone>
std::optional<quantity::Price> price_at(YamlMap& map, std::string_view key, const Alone& alone) {
  const YamlText text = map.located(key);
  const auto price = quantity::parse_price(text.where, text.value);
  const auto fit = price.map(
      [&](const quantity::Price& p) { return price::check(text.where, {alone(p), "", "", ""}); });
  if (!fit || !*fit) {
    map.complain(fit ? fit->error() : fit.error());
    return std::nullopt;
  }
  return *price;
}

void read_by_time(YamlMap& map, SuitePlatform& platform) {
  const auto price =
      price_at(map, "price", [](const quantity::Price& p) { return price::PerTime{p}; });
  const std::int64_t count_asked = count(map, "count", 1, 1, kMostMachines);
  const base::Nanos granularity = quantity::maybe_duration(map, "granularity").value_or(0);
  const base::Nanos minimum = quantity::maybe_duration(map, "minimum").value_or(0);
  if (price) {
    platform.offer.scheme = price::PerTime{*price, count_asked, granularity, minimum};
    platform.offer_text = fmt::format(
        "{}{}", count_asked > 1 ? fmt::format("{} x ", count_asked) : "", to_text(*price));
  }
}

void read_by_token(YamlMap& map, SuitePlatform& platform) {
  const auto alone = [](const quantity::Price& p) {
    return price::PerToken{p, p, std::nullopt, std::nullopt};
  };
  const auto input = price_at(map, "input", alone);
  const auto output = price_at(map, "output", alone);
  const auto cached = map.has("cached_input") ? price_at(map, "cached_input", alone) : std::nullopt;
  if (input && output) {
    platform.offer.scheme = price::PerToken{*input, *output, cached, std::nullopt};
    platform.offer_text = fmt::format("{} in, {} out", to_text(*input), to_text(*output));
  }
}

// A stand-in until the scheme is read.
price::Offer no_offer() {
  const quantity::Price free{*quantity::Money::parse("", "0 USD"), quantity::PriceUnit::kHour};
  return {price::PerTime{free}, "", "", ""};
}

void read_offer(YamlMap map, SuitePlatform& platform) {
  platform.offer_where = map.where();
  const bool by_time = map.has("price");
  const bool by_token = map.has("input") || map.has("output");
  if (by_time == by_token) {
    complain(map, map.where(), by_time ? "priced both by time and by token" : "it has no price",
             "price: 0.79 USD/h, or input: and output: such as 0.15 USD/Mtok");
  } else if (by_time) {
    read_by_time(map, platform);
  } else {
    read_by_token(map, platform);
  }
  platform.offer.source = line(map, "source");
  platform.offer.date = line(map, "date");
  platform.offer.note = maybe_line(map, "note");
  if (const auto ok = price::check(map.where(), platform.offer); !ok) {
    map.complain(ok.error());
  }
}

}  // namespace

SuitePlatform read_platform(YamlMap& map) {
  SuitePlatform platform{"", std::nullopt, {}, {}, no_offer(), "", "", false, false, "", ""};
  platform.name = line(map, "name");
  if (auto emulate = map.maybe_map("emulate")) {
    platform.emulated = emulate::read_profile(*emulate);
    platform.emulated->name = platform.name;
  } else {
    read_endpoint(map, platform);
  }
  read_request(map, platform);
  read_offer(map.map("offer"), platform);
  read_path(map, platform);
  return platform;
}

}  // namespace steelyard::study
