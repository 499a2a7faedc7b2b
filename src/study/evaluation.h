// Several platforms measured on one workload, in turn, and ranked by what a million good output
// tokens cost. A good token belongs to a request that met every per-request term of the SLA; a
// platform that misses the SLA is no choice, however cheap, and stands below with the reason.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "study/endpoint_run.h"
#include "study/platform_result.h"
#include "study/self_test.h"
#include "study/suite.h"

namespace steelyard::study {

struct Evaluation {
  Suite suite;
  std::string run_id;
  base::Nanos started_at = 0;  // since 1970
  base::Nanos ended_at = 0;
  bool interrupted = false;                  // before all rounds of all platforms
  std::optional<base::Error> store_failure;  // some of it is not in the store
  std::vector<PlatformResult> platforms;     // ranked; those that are no choice come last
  std::vector<Reason> notes;                 // the suite's, and what was left out
};

class EvaluationRun {
 public:
  explicit EvaluationRun(Suite suite) : suite_(std::move(suite)) {}

  // Blocks; once only. `store` may be null. A platform that cannot be reached becomes a row with
  // the reason; when none can, that is the error.
  [[nodiscard]] base::Result<Evaluation> run(const std::string& run_id, store::Store* store);
  // Before `run`, whose store has begun the same suite before: blocks that are whole there are
  // taken from it, the one that was cut off is measured anew, and the others follow.
  void resume() { resuming_ = true; }
  // Before `run`: the client is measured against the truth server first, with as many streams as
  // the suite keeps open, and every certificate has it.
  void test_client_first() { testing_ = true; }
  // From any thread: what was measured is kept and ranked.
  void stop();
  // "round 2/3, replicate", and how that block goes; between two blocks there is no progress.
  struct Where {
    std::string text;
    std::optional<Progress> progress;
  };
  [[nodiscard]] Where where() const;

 private:
  struct Participant;
  base::Result<std::vector<Participant>> gather(std::vector<Reason>& notes);
  // Warm-ups and rounds. Gives what the store said where it lacks some of it at the end.
  std::optional<base::Error> measure(std::vector<Participant>& participants,
                                     const std::string& run_id, store::Store* store);
  void measure_block(Participant& participant, std::int64_t round, const std::string& run_id,
                     const Record& record);
  base::Status test_client();
  base::Status warm_up(Participant& participant, const std::string& run_id);
  // What an earlier process measured of this run.
  base::Status take_earlier(std::vector<Participant>& participants, const std::string& run_id,
                            store::Store& store, std::vector<Reason>& notes);
  void take_block(Participant& participant, const std::vector<measure::RequestLog>& logs);
  [[nodiscard]] bool stopped() const;
  base::Result<EndpointResult> run_watched(Participant& participant, const LoadShape& shape,
                                           const std::string& text,
                                           const std::vector<workload::Request>& requests,
                                           const std::string& run_id, Record record);

  Suite suite_;
  bool resuming_ = false;
  bool testing_ = false;
  std::optional<measure::SelfTest> self_test_;
  mutable std::mutex mutex_;  // guards what follows
  EndpointRun* current_ = nullptr;
  SelfTestRun* test_ = nullptr;
  std::string where_;
  bool stopped_ = false;
};

}  // namespace steelyard::study
