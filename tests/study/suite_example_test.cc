// The example loads as it is, and so it does with the keys that stand behind a # in it.
#include <cstdlib>

#include "base/file.h"
#include "study/suite.h"
#include "suite_text.h"

namespace steelyard::study {
namespace {

const std::string kDocs = std::string(STEELYARD_SOURCE_DIR) + "/docs/";

class SuiteExampleTest : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("EXAMPLE_BASE_URL");
    ::unsetenv("EXAMPLE_API_KEY");
  }
  void TearDown() override { SetUp(); }

  // Loads the text as it would load beside the example's files.
  void expect_good(const std::string& text, Suite& suite) const {
    auto loaded = load_suite(folder_.write("suite.yaml", text));
    ASSERT_TRUE(loaded) << base::to_line(loaded.error());
    suite = std::move(*loaded);
  }

  // The example with `from`, which must be there, replaced by `to`.
  void replace(std::string_view from, std::string_view to) {
    const std::size_t at = text_.find(from);
    ASSERT_NE(at, std::string::npos) << "no longer in the example: " << from;
    text_.replace(at, from.size(), to);
  }

  std::string text_ = base::read_file(kDocs + "suite.example.yaml").value();
  Folder folder_{"suite-example"};
};

TEST_F(SuiteExampleTest, as_it_is) {
  Suite suite;
  expect_good(text_, suite);
  ASSERT_EQ(suite.platforms.size(), 3U);
  EXPECT_TRUE(suite.platforms[0].emulated);
  EXPECT_EQ(suite.platforms[2].lacks, "EXAMPLE_BASE_URL is not set");
  EXPECT_EQ(suite.requests.size(), 60U);
}

TEST_F(SuiteExampleTest, its_server_once_the_environment_has_it) {
  ::setenv("EXAMPLE_BASE_URL", "https://example.com", 1);
  ::setenv("EXAMPLE_API_KEY", "a-key", 1);
  replace("# insecure: true", "insecure: true");
  Suite suite;
  expect_good(text_, suite);
  EXPECT_FALSE(suite.platforms[2].absent);
  EXPECT_TRUE(suite.platforms[2].target.url.tls);

  replace("insecure: true", "ca_file: " + folder_.at("none.pem"));
  const auto without_file = load_suite(folder_.write("suite.yaml", text_));
  ASSERT_FALSE(without_file);
  EXPECT_THAT(base::to_line(without_file.error()), testing::HasSubstr("none.pem"));
}

TEST_F(SuiteExampleTest, its_trace) {
  replace("dataset: random", "dataset: trace");
  replace("  input_tokens: 200", "  # input_tokens: 200");
  replace("  output_tokens: 32", "  # output_tokens: 32");
  replace("  range_ratio:", "  # range_ratio:");
  replace("# path: ", "path: " + kDocs);
  replace("# output_tokens: 64", "output_tokens: 64");
  replace("# time_scale: 0.1", "time_scale: 0.1");
  replace("# recorded_arrivals: true", "recorded_arrivals: true");
  Suite suite;
  expect_good(text_, suite);
  EXPECT_EQ(suite.requests.size(), 60U);
  EXPECT_EQ(suite.requests.front().output_tokens, 64);
}

TEST_F(SuiteExampleTest, its_open_loop) {
  replace("# request_rate: 4", "request_rate: 4");
  replace("# burstiness: 1", "burstiness: 1");
  Suite suite;
  expect_good(text_, suite);
  EXPECT_FALSE(suite.workload.shape.closed_loop);
  EXPECT_EQ(suite.workload.shape.max_concurrency, 8);
}

}  // namespace
}  // namespace steelyard::study
