// What the pages of docs/platforms give to be copied is read as it stands there.
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "platform/platforms.h"
#include "platform/token_keeper.h"
#include "study/suite.h"
#include "suite_text.h"

namespace steelyard::study {
namespace {

using testing::HasSubstr;
using testing::Not;

// Set for a test alone.
class Variables {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  explicit Variables(Values values) : values_(std::move(values)) {
    for (auto& [name, value] : values_) {
      const char* before = std::getenv(name.c_str());
      const std::string kept = before == nullptr ? "" : before;
      ::setenv(name.c_str(), value.c_str(), 1);
      value = kept;
    }
  }
  ~Variables() {
    for (const auto& [name, before] : values_) {
      if (before.empty()) {
        ::unsetenv(name.c_str());
      } else {
        ::setenv(name.c_str(), before.c_str(), 1);
      }
    }
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  Values values_;
};

// The entry of a page, indented as a suite has it.
std::string entry_of(const std::filesystem::path& page) {
  const std::string text = base::read_file(page.string()).value();
  const std::string begin = "```yaml\n";
  const std::size_t from = text.find(begin) + begin.size();
  std::string entry = text.substr(from, text.find("```", from) - from);
  for (std::size_t at = 0; at < entry.size(); at = entry.find('\n', at) + 1) {
    entry.insert(at, "  ");
    if (entry.find('\n', at) == std::string::npos) {
      break;
    }
  }
  return entry;
}

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> found;
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(STEELYARD_SOURCE_DIR) / "docs/platforms")) {
    if (file.path().filename() != "README.md") {
      found.push_back(file.path());
    }
  }
  return found;
}

TEST(PlatformPages, every_entry_is_a_platform_of_a_suite) {
  const Folder folder{"pages"};
  const Variables set(
      Variables::Values{{"AWS_ACCESS_KEY_ID", "AKID"},
                        {"AWS_SECRET_ACCESS_KEY", "secret"},
                        {"HUAWEICLOUD_SDK_AK", "ak"},
                        {"HUAWEICLOUD_SDK_SK", "secret"},
                        {"GOOGLE_APPLICATION_CREDENTIALS",
                         folder.write("google.json", R"({"type":"authorized_user","client_id":"i",
                          "client_secret":"secret","refresh_token":"secret"})")}});
  const std::string good(kGoodSuite);
  const std::string before = good.substr(0, good.find("platforms:\n")) + "platforms:\n";
  int asked = 0;
  for (const std::filesystem::path& page : pages()) {
    const std::string name = page.stem().string();
    const auto platform = platform::platform_named("", name);
    ASSERT_TRUE(platform) << page;
    Variables::Values keys;
    for (const std::string_view variable : (*platform)->auth.variables) {
      keys.emplace_back(variable, "a-key");
    }
    const Variables with(keys);
    const auto suite = load_suite(folder.write("suite.yaml", before + entry_of(page)));
    ASSERT_TRUE(suite) << page << ": " << base::to_line(suite.error());
    const SuitePlatform& entry = suite->platforms.at(0);
    EXPECT_EQ(entry.name, name);
    EXPECT_FALSE(entry.absent);
    asked += std::holds_alternative<std::monostate>(entry.target.auth) ? 0 : 1;
    EXPECT_EQ(std::holds_alternative<std::monostate>(entry.target.auth),
              (*platform)->auth.optional && name != "nim")
        << page;
  }
  EXPECT_GE(asked, 11);
}

TEST(PlatformPages, every_cloud_has_one) {
  std::set<std::string> named;
  for (const std::filesystem::path& page : pages()) {
    named.insert(page.stem().string());
  }
  for (const platform::Platform& platform : platform::platforms()) {
    if (!platform.auth.optional && platform.name != "vertex-raw" &&
        platform.name != "bedrock-invoke") {
      EXPECT_TRUE(named.contains(std::string(platform.name))) << platform.name;
    }
  }
}

// The rest of who asks, in a suite.
std::string complaint_with(const std::string& more, bool optional = false) {
  const Folder folder{"auth"};
  const auto suite = load_suite(folder.write(
      "suite.yaml", changed("model: m", "model: m\n    platform: together\n    " + more +
                                            (optional ? "\n    optional: true" : ""))));
  if (!suite) {
    std::string line = base::to_line(suite.error());
    return line.substr(line.find("suite.yaml") == std::string::npos ? 0 : line.find("suite.yaml"));
  }
  return suite->platforms[1].absent ? "left out: " + suite->platforms[1].lacks : "accepted";
}

TEST(PlatformPages, keys_that_are_nowhere_and_schemes_that_are_none) {
  ::unsetenv("TOGETHER_API_KEY");
  EXPECT_THAT(complaint_with("temperature: 0"),
              HasSubstr("no key for Together AI: TOGETHER_API_KEY is not set (api_key_env, "
                        "api_key_file, or auth: none)"));
  EXPECT_EQ(complaint_with("temperature: 0", true),
            "left out: no key for Together AI: TOGETHER_API_KEY is not set");
  EXPECT_EQ(complaint_with("auth: none"), "accepted");
  EXPECT_EQ(complaint_with("auth: sigv4"),
            "suite.yaml:19:11: Together AI does not take sigv4 (bearer, none)");
  EXPECT_THAT(complaint_with("auth: none\n    api_key: sk-clear-0123"),
              HasSubstr("unknown key \"api_key\""));
  EXPECT_THAT(complaint_with("auth: none\n    api_key: sk-clear-0123"), Not(HasSubstr("sk-clear")));
  const Variables set(Variables::Values{{"TOGETHER_API_KEY", "k"}});
  EXPECT_EQ(complaint_with("auth: bearer"), "accepted");
  EXPECT_THAT(complaint_with("headers: {\"a b\": c}"), HasSubstr("not a header field"));
  EXPECT_THAT(complaint_with("api_key_file: /nowhere"), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace steelyard::study
