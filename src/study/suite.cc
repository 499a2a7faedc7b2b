#include "study/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "study/suite_values.h"

namespace steelyard::study {
namespace {

using base::YamlMap;
using base::YamlText;

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
  rates.base = currency(map, map.located("base"));
  rates.date = line(map, "date");
  rates.source = line(map, "source");
  YamlMap each = map.map("rates");
  for (const std::string& key : each.keys()) {
    const YamlText text = each.located(key);
    auto rate = quantity::ExchangeRate::parse(text.where, text.value);
    if (rate) {
      rates.rates.emplace(currency(each, {key, text.where}), *rate);
    } else {
      each.complain(rate.error());
    }
  }
  return rates;
}

void read_platforms(YamlMap& root, Suite& suite) {
  std::set<std::string> names;
  for (YamlMap& map : root.maps("platforms")) {
    suite.platforms.push_back(read_platform(map));
    const std::string& name = suite.platforms.back().name;
    if (!names.insert(name).second) {
      complain(map, map.where("name"), "two platforms are named '" + name + "'", "a name for each");
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
    const std::string what = fmt::format("the offer of '{}' is in {}, and the ranking in {}",
                                         platform.name, total.currency(), suite.currency);
    if (!suite.rates) {
      complain(root, platform.offer_where, what,
               "exchange_rates with a base, date, source and rates");
    } else if (const auto converted = suite.rates->convert(total, suite.currency); !converted) {
      complain(root, platform.offer_where, what + ": " + converted.error().what,
               converted.error().hint);
    }
  }
}

Suite read_suite(YamlMap& root, const std::string& path) {
  Suite suite;
  suite.name = line(root, "name");
  suite.vantage = maybe_line(root, "vantage");
  suite.workload = read_workload(root.map("workload"), path);
  suite.sla = read_sla(root.map("sla"));
  const auto asked = root.maybe_located("currency");
  suite.currency = asked ? currency(root, *asked) : "USD";
  if (auto rates = root.maybe_map("exchange_rates")) {
    suite.rates = read_rates(*rates);
  }
  read_platforms(root, suite);
  for (YamlMap& note : root.maybe_maps("notes")) {
    suite.notes.push_back({line(note, "en"), line(note, "zh")});
  }
  return suite;
}

}  // namespace

const SuitePlatform& Suite::platform(const std::string& named) const {
  const auto found = std::ranges::find(platforms, named, &SuitePlatform::name);
  STEELYARD_CHECK(found != platforms.end(), "a result is of a platform of its suite");
  return *found;
}

base::Result<Suite> load_suite(const std::string& path) {
  const auto file = base::YamlFile::load(path);
  if (!file) {
    return tl::unexpected(file.error());
  }
  YamlMap root = file->root();
  Suite suite = read_suite(root, path);
  if (const auto read = root.finish(); !read) {
    return tl::unexpected(read.error());
  }
  check_currencies(root, suite);
  if (const auto read = root.finish(); !read) {
    return tl::unexpected(read.error());
  }
  // Its keys have been asked for and checked above.
  auto requests = build_requests(root.map("workload"), suite.workload);
  if (!requests) {
    return tl::unexpected(requests.error());
  }
  suite.requests = std::move(*requests);
  return suite;
}

}  // namespace steelyard::study
