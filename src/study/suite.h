// A suite: several platforms, one workload, one service level, one currency.
// docs/suite.example.yaml explains every key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "quantity/exchange_rates.h"
#include "study/sla_gate.h"
#include "study/suite_platform.h"
#include "study/suite_workload.h"

namespace steelyard::study {

struct Suite {
  std::string name;
  std::string vantage;  // from where it is measured, in the user's words
  SuiteWorkload workload;
  std::vector<workload::Request> requests;  // what each platform is sent, all rounds
  Sla sla;
  std::string currency;  // of the ranking
  std::optional<quantity::ExchangeRates> rates;
  std::vector<SuitePlatform> platforms;
  std::vector<Reason> notes;  // what a reader must know, in both languages

  // One of them, by its name.
  [[nodiscard]] const SuitePlatform& platform(const std::string& named) const;
};

// Paths in the file are relative to it. "${NAME}" in base_url and the key in api_key_env are the
// environment's; a platform that is `optional` may lack them. Every complaint names
// file:line:column.
[[nodiscard]] base::Result<Suite> load_suite(const std::string& path);

}  // namespace steelyard::study
