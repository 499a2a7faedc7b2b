#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "workload/dataset.h"
#include "workload/limits.h"
#include "workload/prompts.h"

namespace steelyard::workload {
namespace {

// A file that lives as long as this does.
class File {
 public:
  File(const std::string& name, std::string_view content)
      : path_(std::filesystem::temp_directory_path() /
              ("steelyard-" + std::to_string(getpid()) + "-" + name)) {
    std::ofstream(path_) << content;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::vector<Request> all_of(const DatasetOptions& options, const ArrivalOptions& arrivals = {}) {
  auto requests = build_requests(options, arrivals);
  EXPECT_TRUE(requests) << base::to_line(requests.error());
  return requests.value_or(std::vector<Request>{});
}

std::string refusal(const DatasetOptions& options, const ArrivalOptions& arrivals = {}) {
  const auto source = make_source(options, arrivals);
  return source ? "accepted" : base::to_line(source.error());
}

bool same(const Request& a, const Request& b) {
  return a.prompt == b.prompt && a.input_tokens == b.input_tokens &&
         a.output_tokens == b.output_tokens && a.due == b.due;
}

TEST(Source, gives_the_same_again_for_the_same_seed_and_what_is_built_beforehand) {
  for (const Dataset dataset : {Dataset::kRandom, Dataset::kPrefixRepetition, Dataset::kSonnet}) {
    DatasetOptions options;
    options.dataset = dataset;
    options.num_prompts = 50;
    options.seed = 9;
    options.range_ratio = 0.5;
    const ArrivalOptions arrivals{.rate_rps = 7, .burstiness = 0.5};
    const auto built = all_of(options, arrivals);
    ASSERT_EQ(built.size(), 50U);
    auto source = make_source(options, arrivals).value();
    EXPECT_EQ(source->planned(), 50);
    for (const Request& expected : built) {
      ASSERT_EQ(source->next_due(), expected.due);
      EXPECT_TRUE(same(source->next(), expected)) << name_of(dataset);
    }
    EXPECT_TRUE(source->over());
    EXPECT_FALSE(source->next_due());
    options.seed = 10;
    EXPECT_FALSE(same(all_of(options, arrivals).front(), built.front()));
  }
}

TEST(Source, ten_million_need_no_memory_before_they_are_wanted) {
  DatasetOptions options;
  options.num_prompts = kMostRequests;
  auto source = make_source(options, {}).value();
  EXPECT_EQ(source->planned(), kMostRequests);
  EXPECT_FALSE(source->next().prompt.empty());
  EXPECT_FALSE(build_requests(options, {})) << "which hold all of them";
}

TEST(Source, stages_without_a_number_send_until_they_end) {
  DatasetOptions options;
  options.random_input_len = 8;
  ArrivalOptions arrivals;
  arrivals.stages = *parse_stages("--stages", "100s@20/s");
  EXPECT_FALSE(make_source(options, arrivals).value()->planned());
  EXPECT_NEAR(static_cast<double>(all_of(options, arrivals).size()), 2'000, 5 * std::sqrt(2'000));
  options.num_prompts = 10;
  EXPECT_EQ(all_of(options, arrivals).size(), 10U);
}

TEST(Source, prompts_of_no_dataset_repeat) {
  for (const Dataset dataset : {Dataset::kRandom, Dataset::kPrefixRepetition, Dataset::kSonnet}) {
    DatasetOptions options;
    options.dataset = dataset;
    options.num_prompts = 2'000;
    options.random_input_len = 4;
    options.random_prefix_len = 10;
    options.prefix = {6, 4, 3, 1};
    options.sonnet = {30, 1, 20};
    std::set<std::string> prompts;
    for (const Request& request : all_of(options)) {
      prompts.insert(request.prompt);
    }
    EXPECT_EQ(prompts.size(), 2'000U) << name_of(dataset);
  }
}

TEST(Source, a_prefix_of_random_prompts_is_shared_whole) {
  DatasetOptions options;
  options.num_prompts = 5;
  options.random_prefix_len = 100;
  options.random_input_len = 10;
  std::string prefix;
  Prompts(0, PromptPurpose::kMeasured).append_shared(prefix, 0, 100);
  for (const Request& request : all_of(options)) {
    EXPECT_TRUE(request.prompt.starts_with(prefix + " "));
    EXPECT_EQ(request.input_tokens, 110);
    EXPECT_EQ(std::ranges::count(request.prompt, ' '), 109);
  }
}

TEST(Source, each_prefix_comes_equally_often_in_mixed_order) {
  DatasetOptions options;
  options.dataset = Dataset::kPrefixRepetition;
  options.num_prompts = 60;
  options.prefix = {40, 10, 6, 1};
  std::map<std::string, int> counts;
  std::vector<std::string> order;
  for (const Request& request : all_of(options)) {
    std::size_t end = 0;
    for (int word = 0; word < 40; ++word) {
      end = request.prompt.find(' ', end + 1);
    }
    order.push_back(request.prompt.substr(0, end));
    ++counts[order.back()];
  }
  ASSERT_EQ(counts.size(), 6U);
  for (const auto& [prefix, count] : counts) {
    EXPECT_EQ(count, 10);
  }
  EXPECT_FALSE(std::equal(order.begin(), order.begin() + 6, order.begin() + 6));
  options.prefix.suffix_len = 0;
  EXPECT_THAT(refusal(options), testing::HasSubstr("1 or more, or --allow-repeats"));
  options.allow_repeats = true;
  EXPECT_TRUE(make_source(options, {}).value()->facts().repeats);
}

TEST(Source, requests_that_share_leading_hash_ids_share_those_blocks_byte_for_byte) {
  const File file(
      "mooncake.jsonl",
      R"({"timestamp": 0, "input_length": 1030, "output_length": 5, "hash_ids": [7, 8, 9]})"
      "\n"
      R"({"timestamp": 3000, "input_length": 1500, "output_length": 6, "hash_ids": [7, 8, 10]})"
      "\n"
      R"({"timestamp": 3000, "input_length": 600, "output_length": 7, "hash_ids": [11, 8]})");
  DatasetOptions options;
  options.dataset = Dataset::kTrace;
  options.path = file.path();
  options.time_scale = 0.1;
  const auto requests = all_of(options);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[1].due, 300 * base::kMillisecond);
  const auto shared = [](const std::string& a, const std::string& b) {
    const auto end = static_cast<std::ptrdiff_t>(
        std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    return std::count(a.begin(), a.begin() + end, ' ');  // words, the last perhaps half
  };
  EXPECT_GE(shared(requests[0].prompt, requests[1].prompt), 1'024);
  EXPECT_LE(shared(requests[0].prompt, requests[1].prompt), 1'026);
  EXPECT_LE(shared(requests[0].prompt, requests[2].prompt), 2);
  for (const Request& request : requests) {
    EXPECT_EQ(std::ranges::count(request.prompt, ' ') + 1, request.input_tokens);
  }
  EXPECT_TRUE(make_source(options, {}).value()->facts().paced);
  EXPECT_EQ(all_of(options, {.rate_rps = 1000}).size(), 3U);
}

TEST(Source, custom_prompts_are_each_sent_once_unless_repeats_are_allowed) {
  const File file("custom.jsonl",
                  "{\"prompt\": \"one\", \"output_tokens\": 3}\n\n{\"prompt\": \"two\", "
                  "\"max_tokens\": 4}\n{\"prompt\": \"three\"}\n{\"prompt\": \"one\"}\n");
  DatasetOptions options;
  options.dataset = Dataset::kCustom;
  options.path = file.path();
  options.shuffle = false;
  const auto requests = all_of(options);
  ASSERT_EQ(requests.size(), 3U) << "the fourth is the first again";
  EXPECT_EQ(requests[0].output_tokens, 3);
  EXPECT_EQ(requests[1].output_tokens, 4);
  EXPECT_EQ(requests[2].output_tokens, 256);
  EXPECT_FALSE(make_source(options, {}).value()->facts().paced);
  options.num_prompts = 7;
  EXPECT_THAT(refusal(options), testing::HasSubstr("has 3 usable requests, and 7 are asked for"));
  options.allow_repeats = true;
  EXPECT_EQ(all_of(options).size(), 7U);
  EXPECT_EQ(all_of(options)[4].prompt, "one");
  EXPECT_TRUE(make_source(options, {}).value()->facts().repeats);
  const File bad("bad.jsonl", "{\"prompt\": \"one\"}\n{\"prompt\": 2}\n");
  options.path = bad.path();
  EXPECT_THAT(refusal(options), testing::HasSubstr(":2: no JSON object with a prompt"));
}

TEST(Source, verse_reads_as_lines_behind_one_beginning) {
  DatasetOptions options;
  options.dataset = Dataset::kSonnet;
  options.num_prompts = 2;
  const auto requests = all_of(options);
  EXPECT_EQ(requests[0].input_tokens, 550);
  EXPECT_EQ(requests[0].prompt.substr(0, 700), requests[1].prompt.substr(0, 700));
  EXPECT_NE(requests[0].prompt, requests[1].prompt);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(requests[0].prompt, '\n')), 550 / 8, 2);
}

std::string first_words(const std::string& text, int words) {
  std::size_t end = 0;
  for (int i = 0; i < words && end != std::string::npos; ++i) {
    end = text.find(' ', end + 1);
  }
  return text.substr(0, end);
}

TEST(Source, warm_ups_are_as_long_and_share_no_beginning_with_what_is_measured) {
  for (const Dataset dataset :
       {Dataset::kRandom, Dataset::kPrefixRepetition, Dataset::kSonnet, Dataset::kSessions}) {
    DatasetOptions options;
    options.dataset = dataset;
    options.num_prompts = 4;
    const auto warm = warmup_requests(options, 6).value();
    ASSERT_EQ(warm.size(), 6U);
    std::set<std::string> beginnings;
    for (const Request& request : warm) {
      EXPECT_GT(request.input_tokens, 500);
      EXPECT_EQ(request.due, 0);
      beginnings.insert(first_words(request.prompt, 4));
    }
    EXPECT_EQ(beginnings.size(), warm.size());
    const auto source = make_source(options, {}).value();
    while (source->next_due()) {
      EXPECT_FALSE(beginnings.contains(first_words(source->next().prompt, 4))) << name_of(dataset);
    }
  }
}

}  // namespace
}  // namespace steelyard::workload
