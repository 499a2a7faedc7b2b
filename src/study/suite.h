// A suite: several platforms, one workload, one service level, one currency.
// docs/suite.example.yaml explains every key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "emulate/profile.h"
#include "load/plan.h"
#include "platform/openai_request.h"
#include "price/offer.h"
#include "quantity/exchange_rates.h"
#include "study/endpoint_run.h"
#include "study/sla_gate.h"
#include "workload/dataset.h"

namespace steelyard::study {

struct SuiteWorkload {
  workload::DatasetOptions dataset;
  workload::ArrivalOptions arrivals;
  LoadShape shape;
  std::int64_t rounds = 3;   // each platform is measured so many times, in turn with the others
  std::int64_t warmups = 1;  // requests before the first round, in no figure
  std::string source;        // of a trace or dataset, as it is to be named
  std::string licence;
};

struct SuitePlatform {
  std::string name;
  std::optional<emulate::Profile> emulated;  // else `target` is a real endpoint
  load::Target target;
  platform::OpenAiOptions options;
  price::Offer offer;
  std::string offer_text;  // as it was written
  bool absent = false;     // optional, and what it needs is not there
  std::string why_absent;
};

struct Suite {
  std::string name;
  std::string vantage;  // from where it is measured, in the user's words
  SuiteWorkload workload;
  Sla sla;
  std::string currency;  // of the ranking
  std::optional<quantity::ExchangeRates> rates;
  std::vector<SuitePlatform> platforms;
  std::vector<Reason> notes;  // what a reader must know, in both languages
};

// Paths in the file are relative to it. "${NAME}" in base_url is the environment's; a platform that
// is `optional` may lack it. Every complaint names file:line:column.
[[nodiscard]] base::Result<Suite> load_suite(const std::string& path);

}  // namespace steelyard::study
