#include "study/suite.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/yaml_reader.h"
#include "quantity/duration.h"
#include "quantity/price.h"

namespace steelyard::study {
namespace {

using base::YamlMap;
using base::YamlText;

base::Error wrong(std::string where, std::string what, std::string hint = {}) {
  return {base::ErrorCode::kBadInput, std::move(where), std::move(what), std::move(hint)};
}

// The value, or the complaint recorded and a default.
template <typename Value>
Value or_complain(YamlMap& map, base::Result<Value> read, Value otherwise) {
  if (read) {
    return std::move(*read);
  }
  map.complain(read.error());
  return otherwise;
}

std::optional<base::Nanos> duration_at(YamlMap& map, std::string_view key) {
  const auto given = map.maybe_located(key);
  if (!given) {
    return std::nullopt;
  }
  return or_complain(map, quantity::parse_duration(given->where, given->value), base::Nanos{0});
}

std::int64_t count_at(YamlMap& map, std::string_view key, std::int64_t otherwise,
                      std::int64_t least) {
  const std::int64_t count = map.maybe_integer(key).value_or(otherwise);
  if (count < least) {
    map.complain(wrong(map.where(key), fmt::format("{} is {}", key, count),
                       fmt::format("{} or more", least)));
    return least;
  }
  return count;
}

std::string beside(const std::string& suite_path, const std::string& path) {
  return (std::filesystem::path(suite_path).parent_path() / path).string();
}

void read_dataset(YamlMap& map, const std::string& suite_path, SuiteWorkload& workload) {
  workload::DatasetOptions& dataset = workload.dataset;
  const YamlText kind = map.located("dataset");
  if (kind.value == "trace") {
    dataset.dataset = workload::Dataset::kTrace;
  } else if (kind.value == "sharegpt") {
    dataset.dataset = workload::Dataset::kShareGpt;
  } else if (kind.value != "random") {
    map.complain(wrong(kind.where, "dataset '" + kind.value + "' is not known",
                       "random, sharegpt or trace"));
  }
  if (dataset.dataset == workload::Dataset::kRandom) {
    dataset.random_input_len = count_at(map, "input_tokens", dataset.random_input_len, 1);
    dataset.random_output_len = count_at(map, "output_tokens", dataset.random_output_len, 1);
    dataset.range_ratio = map.maybe_number("range_ratio").value_or(0);
  } else {
    dataset.path = beside(suite_path, map.text("path"));
    if (map.has("output_tokens")) {
      dataset.output_len = count_at(map, "output_tokens", 1, 1);
    }
  }
  dataset.num_prompts = count_at(map, "requests", 90, 2);
  dataset.seed = static_cast<std::uint64_t>(map.maybe_integer("seed").value_or(1));
  dataset.time_scale = map.maybe_number("time_scale").value_or(1);
}

void read_arrivals(YamlMap& map, SuiteWorkload& workload) {
  if (const auto rate = map.maybe_number("request_rate")) {
    workload.arrivals.rate_rps = *rate;
    if (!(*rate > 0) || !std::isfinite(*rate)) {
      map.complain(wrong(map.where("request_rate"), fmt::format("a rate of {}", *rate),
                         "requests a second, above 0; left out for a closed loop"));
    }
  }
  workload.arrivals.burstiness = map.maybe_number("burstiness").value_or(1);
  if (map.has("max_concurrency")) {
    workload.shape.max_concurrency = count_at(map, "max_concurrency", 1, 1);
  }
  const bool recorded = map.maybe_bool("recorded_arrivals").value_or(false);
  if (recorded && workload.dataset.dataset != workload::Dataset::kTrace) {
    map.complain(wrong(map.where("recorded_arrivals"), "only a trace has recorded arrivals",
                       "dataset: trace"));
  }
  workload.shape.closed_loop = !recorded && std::isinf(workload.arrivals.rate_rps);
  if (workload.shape.closed_loop && !workload.shape.max_concurrency) {
    map.complain(wrong(map.where(), "no load is given",
                       "max_concurrency for a closed loop, request_rate, or recorded_arrivals"));
  }
}

SuiteWorkload read_workload(YamlMap map, const std::string& suite_path) {
  SuiteWorkload workload;
  read_dataset(map, suite_path, workload);
  read_arrivals(map, workload);
  workload.rounds = count_at(map, "rounds", 3, 1);
  workload.warmups = count_at(map, "warmups", 1, 0);
  workload.source = map.maybe_text("source").value_or("");
  workload.licence = map.maybe_text("licence").value_or("");
  if (workload.rounds > *workload.dataset.num_prompts) {
    map.complain(wrong(map.where("rounds"), "more rounds than requests"));
  }
  return workload;
}

Sla read_sla(YamlMap map) {
  Sla sla;
  for (const YamlText& text : map.texts("terms")) {
    auto term = quantity::parse_sla_term(text.where, text.value);
    if (term) {
      sla.terms.push_back(*term);
    } else {
      map.complain(term.error());
    }
  }
  if (const auto target = map.maybe_located("target")) {
    sla.target = or_complain(map, quantity::parse_share(target->where, target->value), sla.target);
  }
  return sla;
}

quantity::ExchangeRates read_rates(YamlMap map) {
  quantity::ExchangeRates rates;
  rates.base = map.text("base");
  rates.date = map.text("date");
  rates.source = map.text("source");
  YamlMap each = map.map("rates");
  for (const std::string& currency : each.keys()) {
    const YamlText text = each.located(currency);
    auto rate = quantity::ExchangeRate::parse(text.where, text.value);
    if (rate) {
      rates.rates.emplace(currency, *rate);
    } else {
      each.complain(rate.error());
    }
  }
  return rates;
}

std::optional<quantity::Price> price_at(YamlMap& map, std::string_view key) {
  const YamlText text = map.located(key);
  auto price = quantity::parse_price(text.where, text.value);
  if (!price) {
    map.complain(price.error());
    return std::nullopt;
  }
  return *price;
}

void read_offer_scheme(YamlMap& map, SuitePlatform& platform) {
  if (map.has("price")) {
    if (const auto price = price_at(map, "price")) {
      price::PerTime scheme{*price};
      scheme.count = count_at(map, "count", 1, 1);
      scheme.granularity = duration_at(map, "granularity").value_or(0);
      scheme.minimum = duration_at(map, "minimum").value_or(0);
      platform.offer_text = fmt::format(
          "{}{}", scheme.count > 1 ? fmt::format("{} x ", scheme.count) : "", to_text(*price));
      platform.offer.scheme = scheme;
    }
    return;
  }
  const auto input = price_at(map, "input");
  const auto output = price_at(map, "output");
  if (input && output) {
    price::PerToken scheme{*input, *output, std::nullopt, std::nullopt};
    if (map.has("cached_input")) {
      scheme.cached_input = price_at(map, "cached_input");
    }
    platform.offer_text = fmt::format("{} in, {} out", to_text(*input), to_text(*output));
    platform.offer.scheme = scheme;
  }
}

// A placeholder until the scheme is read; never billed, as a complaint stops the suite.
price::Offer no_offer() {
  const quantity::Price free{*quantity::Money::parse("", "0 USD"), quantity::PriceUnit::kHour};
  return {price::PerTime{free}, "", "", ""};
}

void read_offer(YamlMap map, SuitePlatform& platform) {
  read_offer_scheme(map, platform);
  platform.offer.source = map.text("source");
  platform.offer.date = map.text("date");
  platform.offer.note = map.maybe_text("note").value_or("");
  if (const auto ok = price::check(map.where(), platform.offer); !ok) {
    map.complain(ok.error());
  }
}

// "${NAME}" replaced by the environment's value; the name of one that is not set comes back.
std::optional<std::string> substitute(std::string& text) {
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) {
      return text.substr(at);
    }
    const std::string name = text.substr(at + 2, end - at - 2);
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') {
      return name;
    }
    text.replace(at, end - at + 1, value);
    at += std::string_view(value).size();
  }
  return std::nullopt;
}

void read_key(YamlMap& map, load::Target& target) {
  const auto name = map.maybe_located("api_key_env");
  if (!name) {
    return;
  }
  const char* key = std::getenv(name->value.c_str());
  if (key == nullptr || *key == '\0') {
    map.complain(wrong(name->where, "the environment has no " + name->value,
                       "export it with the key of this platform"));
    return;
  }
  target.api_key = base::Secret(key);
}

void read_endpoint(YamlMap& map, SuitePlatform& platform) {
  YamlText url = map.located("base_url");
  const bool optional = map.maybe_bool("optional").value_or(false);
  if (const auto missing = substitute(url.value)) {
    platform.absent = true;
    platform.why_absent = *missing + " is not set";
    if (!optional) {
      map.complain(wrong(url.where, "the environment has no " + *missing,
                         "export it, or say optional: true"));
    }
    url.value = "http://localhost";  // so that the rest is still checked
  }
  auto parsed = wire::parse_url(url.where, url.value);
  if (!parsed) {
    map.complain(parsed.error());
    return;
  }
  platform.target.url = *parsed;
  if (!platform.absent) {
    read_key(map, platform.target);
  } else {
    (void)map.maybe_text("api_key_env");
  }
  if (parsed->tls) {
    const std::string ca = map.maybe_text("ca_file").value_or("");
    auto context = wire::TlsContext::client({!map.maybe_bool("insecure").value_or(false), ca});
    if (context) {
      platform.target.tls = *context;
    } else {
      map.complain(context.error());
    }
  }
}

void read_request(YamlMap& map, SuitePlatform& platform) {
  platform::OpenAiOptions& options = platform.options;
  const auto type = map.maybe_located("endpoint_type");
  if (type && type->value == "completions") {
    options.endpoint = platform::OpenAiEndpoint::kCompletions;
  } else if (type && type->value != "chat") {
    map.complain(wrong(type->where, "endpoint_type '" + type->value + "' is not known",
                       "completions or chat"));
  }
  options.model = platform.emulated ? platform.emulated->model : map.text("model");
  options.ignore_eos = map.maybe_bool("ignore_eos").value_or(false);
  options.temperature = map.maybe_number("temperature");
  if (const auto extra = map.maybe_located("extra_body")) {
    options.extra_body = extra->value;
    if (const auto ok = platform::check_extra_body(extra->where, extra->value); !ok) {
      map.complain(ok.error());
    }
  }
  if (const auto timeout = duration_at(map, "request_timeout")) {
    platform.target.request_timeout = *timeout;
  }
}

SuitePlatform read_platform(YamlMap& map) {
  SuitePlatform platform{"", std::nullopt, {}, {}, no_offer(), "", false, ""};
  platform.name = map.text("name");
  if (auto emulate = map.maybe_map("emulate")) {
    platform.emulated = emulate::read_profile(*emulate);
    platform.emulated->name = platform.name;
  } else {
    read_endpoint(map, platform);
  }
  read_request(map, platform);
  read_offer(map.map("offer"), platform);
  const std::string path(platform::path_of(platform.options.endpoint));
  platform.target.path = platform.target.url.path.ends_with("/v1") ? path.substr(3) : path;
  return platform;
}

void read_platforms(YamlMap& root, Suite& suite) {
  std::set<std::string> names;
  for (YamlMap& map : root.maps("platforms")) {
    suite.platforms.push_back(read_platform(map));
    if (!names.insert(suite.platforms.back().name).second) {
      map.complain(wrong(map.where("name"),
                         "two platforms are named '" + suite.platforms.back().name + "'",
                         "a name for each"));
    }
  }
}

// Every offer must be comparable: in the ranking's currency, or with a rate to it.
void check_currencies(YamlMap& root, const Suite& suite) {
  for (const SuitePlatform& platform : suite.platforms) {
    const quantity::Money total = price::cost_of(platform.offer, {}).total;
    if (total.currency() == suite.currency) {
      continue;
    }
    if (!suite.rates) {
      root.complain(wrong(root.where("platforms"),
                          fmt::format("the offer of '{}' is in {}, and the ranking in {}",
                                      platform.name, total.currency(), suite.currency),
                          "exchange_rates with a base, date, source and rates"));
    } else if (const auto converted = suite.rates->convert(total, suite.currency); !converted) {
      root.complain(converted.error());
    }
  }
}

}  // namespace

base::Result<Suite> load_suite(const std::string& path) {
  const auto file = base::YamlFile::load(path);
  if (!file) {
    return tl::unexpected(file.error());
  }
  YamlMap root = file->root();
  Suite suite;
  suite.name = root.text("name");
  suite.vantage = root.maybe_text("vantage").value_or("");
  suite.workload = read_workload(root.map("workload"), path);
  suite.sla = read_sla(root.map("sla"));
  suite.currency = root.maybe_text("currency").value_or("USD");
  if (auto rates = root.maybe_map("exchange_rates")) {
    suite.rates = read_rates(*rates);
  }
  read_platforms(root, suite);
  for (YamlMap& note : root.maybe_maps("notes")) {
    suite.notes.push_back({note.text("en"), note.text("zh")});
  }
  if (const auto read = root.finish(); !read) {
    return tl::unexpected(read.error());
  }
  check_currencies(root, suite);
  if (const auto read = root.finish(); !read) {
    return tl::unexpected(read.error());
  }
  return suite;
}

}  // namespace steelyard::study
