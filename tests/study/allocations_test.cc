// What a token costs the heap: nothing. Every allocation of this program is counted, by thread, so
// that the server beside the client is not.
#include <thread>

#include "counted_heap.h"
#include "emulate/truth_server.h"
#include "platform/openai_dialect.h"
#include "study/endpoint_run.h"

namespace steelyard::study {
namespace {

constexpr std::size_t kRequests = 40;

// On this thread, by a run of so many tokens a request against `url`; every one is parsed, recorded
// and summed up.
std::int64_t allocations_of(const std::string& url, std::int64_t tokens) {
  load::Target target;
  target.url = wire::parse_url("", url).value();
  target.path = "/v1/completions";
  platform::RequestOptions options;
  options.dialect = &platform::kOpenAiCompletions;
  options.model = "emulated-model";
  LoadShape shape;
  shape.closed_loop = true;
  shape.max_concurrency = 4;
  const std::vector<workload::Request> requests(kRequests, {"one two", 2, tokens});
  EndpointRun run(target, options, shape);
  const std::int64_t before = allocations_here();
  const auto result = run.run(requests, "test");
  const std::int64_t made = allocations_here() - before;
  EXPECT_TRUE(result) << (result ? "" : base::to_line(result.error()));
  EXPECT_EQ(result->figures.run.summary({}).output_tokens, tokens * std::int64_t{kRequests});
  return made;
}

TEST(Allocations, none_a_token) {
  const auto server = emulate::TruthServer::start({.instant = true}).value();
  std::thread serving([&] { server->run(); });
  const std::int64_t of_few = allocations_of(server->url(), 50);
  const std::int64_t of_many = allocations_of(server->url(), 2'000);
  server->stop();
  serving.join();
  EXPECT_GT(of_few, 0) << "nothing is counted";
  const double each = static_cast<double>(of_many - of_few) / (kRequests * 1'950.0);
  // Buffers that grow to a longer answer's size, once each.
  EXPECT_LT(each, 0.005) << of_few << " and " << of_many;
  RecordProperty("allocations_per_token", fmt::format("{:.5f}", each));
}

}  // namespace
}  // namespace steelyard::study
