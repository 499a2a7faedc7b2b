// One platform of a suite: where it stands, how it is asked and what it costs.
#pragma once

#include <optional>
#include <string>

#include "base/yaml_reader.h"
#include "emulate/profile.h"
#include "load/plan.h"
#include "platform/dialect.h"
#include "price/offer.h"

namespace steelyard::study {

struct SuitePlatform {
  std::string name;
  std::optional<emulate::Profile> emulated;  // else `target` is a real endpoint
  load::Target target;
  platform::RequestOptions options;
  price::Offer offer;
  std::string offer_text;   // as it was written
  std::string offer_where;  // "suite.yaml:40:5"
  bool optional = false;    // left out where the environment lacks what it needs
  bool absent = false;      // and it does
  std::string lacks;        // then what: "EXAMPLE_KEY is not set"
  std::string lacks_zh;
};

// Complaints go to the map; then an offer may be a stand-in, which is never billed.
[[nodiscard]] SuitePlatform read_platform(base::YamlMap& map);

}  // namespace steelyard::study
