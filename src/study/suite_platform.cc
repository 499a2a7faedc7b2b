#include "study/suite_platform.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"
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
  platform.lacks = name;
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

void read_key(YamlMap& map, SuitePlatform& platform, bool optional) {
  const auto name = map.maybe_located("api_key_env");
  if (!name || platform.absent) {
    return;
  }
  const auto key = from_environment(name->value);
  if (!key) {
    lack(map, platform, name->where, name->value, optional);
  } else if (base::has_control(*key)) {
    complain(map, name->where, "the key in " + name->value + " holds a control character",
             "a key without a line break");
  } else {
    platform.target.api_key = base::Secret(*key);
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
  const bool optional = map.maybe_bool("optional").value_or(false);
  if (const auto missing = substitute(map, url)) {
    lack(map, platform, url.where, *missing, optional);
  } else if (auto parsed = wire::parse_url(url.where, url.value)) {
    platform.target.url = *parsed;
  } else {
    map.complain(parsed.error());
  }
  read_key(map, platform, optional);
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
  const auto dialect =
      platform::platform_named(name ? name->where : "", name ? name->value : "openai")
          .and_then([&](const platform::Platform* found) {
            return platform::dialect_of(*found, type ? type->where : "", type ? type->value : "");
          });
  if (dialect) {
    options.dialect = *dialect;
    if (platform.emulated && name) {
      platform.emulated->platform = name->value;
    }
  } else {
    map.complain(dialect.error());
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
  if (const auto extra = map.maybe_located("extra_body")) {
    options.extra_body = extra->value;
    if (const auto ok = platform::check_extra_body(extra->where, extra->value); !ok) {
      map.complain(ok.error());
    }
  }
  read_timeout(map, platform.target);
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
  SuitePlatform platform{"", std::nullopt, {}, {}, no_offer(), "", "", false, ""};
  platform.name = line(map, "name");
  if (auto emulate = map.maybe_map("emulate")) {
    platform.emulated = emulate::read_profile(*emulate);
    platform.emulated->name = platform.name;
  } else {
    read_endpoint(map, platform);
  }
  read_request(map, platform);
  read_offer(map.map("offer"), platform);
  platform.target.path =
      platform::path_under(platform.target.url, platform.options.dialect->path(platform.options));
  return platform;
}

}  // namespace steelyard::study
