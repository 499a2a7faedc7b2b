#include "study/suite.h"

#include <cstdlib>

#include "suite_text.h"

namespace steelyard::study {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kKeyName = "STEELYARD_TEST_KEY";
constexpr const char* kUrlName = "STEELYARD_TEST_URL";

class SuiteTest : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv(kKeyName);
    ::unsetenv(kUrlName);
  }

  [[nodiscard]] base::Result<Suite> load(std::string_view text) const {
    return load_suite(folder_.write("suite.yaml", text));
  }
  [[nodiscard]] Suite good(std::string_view text) const {
    auto suite = load(text);
    EXPECT_TRUE(suite) << (suite ? "" : base::to_line(suite.error()));
    return suite ? std::move(*suite) : Suite{};
  }
  // The line of the complaint, with "suite.yaml" for the whole path.
  [[nodiscard]] std::string complaint(std::string_view text) const {
    const auto suite = load(text);
    if (suite) {
      return "accepted";
    }
    EXPECT_EQ(suite.error().code, base::ErrorCode::kBadInput);
    std::string line = base::to_line(suite.error());
    for (std::size_t at = line.find(folder_.at("")); at != std::string::npos;
         at = line.find(folder_.at(""))) {
      line.erase(at, folder_.at("").size());
    }
    return line;
  }
  [[nodiscard]] std::string complaint(std::string_view from, std::string_view to) const {
    return complaint(changed(from, to));
  }

  Folder folder_{"suite"};
};

TEST_F(SuiteTest, a_small_one_with_its_defaults) {
  const Suite suite = good(kGoodSuite);
  EXPECT_EQ(suite.name, "small");
  EXPECT_EQ(suite.currency, "USD");
  EXPECT_EQ(suite.workload.rounds, 3);
  EXPECT_EQ(suite.workload.warmups, 1);
  EXPECT_TRUE(suite.workload.shape.closed_loop);
  EXPECT_EQ(suite.requests.size(), 12U);
  EXPECT_EQ(suite.requests.front().input_tokens, 16);
  EXPECT_EQ(suite.requests.front().output_tokens, 8);
  EXPECT_DOUBLE_EQ(suite.sla.target, 0.99);
  ASSERT_EQ(suite.sla.terms.size(), 2U);
  ASSERT_EQ(suite.platforms.size(), 2U);
  const SuitePlatform& rented = suite.platforms[0];
  EXPECT_EQ(rented.emulated->ttft.p50, 5 * base::kMillisecond);
  EXPECT_EQ(rented.emulated->name, "rented");
  EXPECT_EQ(rented.options.model, rented.emulated->model);
  EXPECT_EQ(rented.offer_text, "1.2 USD/h");
  const SuitePlatform& by_token = suite.platforms[1];
  EXPECT_EQ(by_token.offer_text, "0.1 USD/Mtok in, 0.2 USD/Mtok out");
  EXPECT_EQ(by_token.target.url.path + by_token.target.path, "/v1/chat/completions");
  EXPECT_FALSE(by_token.absent);
}

TEST_F(SuiteTest, what_may_be_said_beside) {
  Suite suite = good(changed("name: small\n", R"(name: >
  two
  lines
vantage: 上海
currency: 元
exchange_rates: {base: USD, date: "2026-11-30", source: ECB, rates: {CNY: 7.08}}
notes:
  - {en: a note, zh: 说明}
)"));
  EXPECT_EQ(suite.name, "two lines");
  EXPECT_EQ(suite.vantage, "上海");
  EXPECT_EQ(suite.currency, "CNY");
  EXPECT_EQ(suite.notes.at(0).text_zh, "说明");
  suite = good(changed("max_concurrency: 2", "request_rate: 5\n  burstiness: .inf\n  rounds: 12"));
  EXPECT_FALSE(suite.workload.shape.closed_loop);
  EXPECT_NEAR(base::to_seconds(suite.requests.at(11).due - suite.requests.at(0).due), 2.2, 1e-6);
  suite = good(changed("1.2 USD/h", "1.2 USD/GPU-h, count: 8, granularity: 1min, minimum: 10min"));
  EXPECT_EQ(suite.platforms[0].offer_text, "8 x 1.2 USD/GPU-h");
  suite = good(changed("output: 0.2", "cached_input: 0.01 USD/Mtok\n      output: 0.2"));
  EXPECT_TRUE(std::get<price::PerToken>(suite.platforms[1].offer.scheme).cached_input);
  suite = good(changed("target: 99%", "target: 100%"));
  EXPECT_EQ(suite.sla.target, 1);
  EXPECT_TRUE(load(changed("by-token", "مزود 🚀 供应商"))) << "any script is a name";
}

TEST_F(SuiteTest, a_trace_beside_the_suite) {
  folder_.write("trace.csv", "arrival_s,input_tokens,output_tokens\n0,10,5\n1,20,6\n2.5,30,7\n");
  const auto trace = [](std::string_view rest) {
    return changed("random\n  input_tokens: 16\n  output_tokens: 8\n  requests: 12",
                   fmt::format("trace\n  path: trace.csv\n  requests: 3{}", rest));
  };
  Suite suite = good(trace(""));
  EXPECT_TRUE(suite.workload.shape.closed_loop);
  EXPECT_EQ(suite.requests.at(2).input_tokens, 30);
  EXPECT_EQ(suite.requests.at(2).due, 0) << "a closed loop does not wait for recorded arrivals";
  suite = good(trace("\n  recorded_arrivals: true\n  time_scale: 2"));
  EXPECT_FALSE(suite.workload.shape.closed_loop);
  EXPECT_EQ(suite.requests.at(2).due, 5 * base::kSecond);
  EXPECT_EQ(complaint(trace("\n  recorded_arrivals: true\n  request_rate: 1")),
            "suite.yaml:6:22: both recorded_arrivals and request_rate (one of them)");
  EXPECT_EQ(complaint(trace("\n  time_scale: 0")),
            "suite.yaml:6:15: a scale of 0 (above 0 up to 1e+06)");
}

TEST_F(SuiteTest, keys_that_are_unknown_or_missing) {
  EXPECT_EQ(complaint("max_concurrency", "max_concurency"),
            "suite.yaml:3:3: no load is given (max_concurrency for a closed loop, request_rate, or "
            "recorded_arrivals)");
  EXPECT_EQ(complaint("  requests: 12", "  request: 12"),
            "suite.yaml:6:3: unknown key \"request\" (did you mean \"requests\"?)");
  EXPECT_EQ(complaint("target: 99%", "targets: 99%"),
            "suite.yaml:10:3: unknown key \"targets\" (did you mean \"target\"?)");
  EXPECT_EQ(complaint("date: \"2026-11-30\"}", "dat: \"2026-11-30\"}"),
            "suite.yaml:14:12: \"date\" is missing");
  EXPECT_EQ(complaint("name: small\n", ""), "suite.yaml:1:1: \"name\" is missing");
  EXPECT_EQ(complaint("    model: m\n", ""), "suite.yaml:15:5: \"model\" is missing");
  EXPECT_EQ(complaint("name: rented", "name: \"\""), "suite.yaml:12:11: \"name\" is empty");
  EXPECT_EQ(complaint("    base_url: http://127.0.0.1:9/v1\n", ""),
            "suite.yaml:15:5: \"base_url\" is missing");
  EXPECT_THAT(complaint("    base_url: http", "    emulate: {}\n    base_url: http"),
              HasSubstr("suite.yaml:17:5: unknown key \"base_url\""));
  EXPECT_EQ(complaint("  dataset: random\n", ""), "suite.yaml:3:3: \"dataset\" is missing");
  EXPECT_EQ(complaint("name: small", "name: small\nname: again"),
            "suite.yaml:2:1: the key \"name\" stands twice");
}

TEST_F(SuiteTest, files_that_are_none) {
  EXPECT_THAT(base::to_line(load_suite(folder_.at("none.yaml")).error()),
              HasSubstr("none.yaml: cannot read: No such file"));
  EXPECT_EQ(complaint(""), "suite.yaml: expected a mapping at the top, found nothing");
  EXPECT_EQ(complaint("-----BEGIN PRIVATE KEY-----\n" + std::string(100, 'x')),
            "suite.yaml: expected a mapping at the top, found a text of 128 bytes")
      << "a key that was named by mistake is shown to no one";
  EXPECT_THAT(complaint("a: [1\nb"), HasSubstr("not valid YAML"));
  EXPECT_THAT(complaint(std::string(100'000, '[')), HasSubstr("suite.yaml"));
  EXPECT_EQ(complaint("random", "trace\n  path: none.csv"),
            "suite.yaml:5:3: unknown key \"input_tokens\" (did you mean \"output_tokens\"?)");
  EXPECT_EQ(complaint("random\n  input_tokens: 16", "trace\n  path: none.csv"),
            "none.csv: cannot read: No such file or directory");
}

TEST_F(SuiteTest, workloads_that_cannot_be_sent) {
  EXPECT_EQ(complaint("dataset: random", "dataset: radnom"),
            "suite.yaml:3:12: dataset 'radnom' is not known (random, sharegpt or trace)");
  EXPECT_EQ(complaint("requests: 12", "requests: 1"),
            "suite.yaml:6:13: requests is 1 (from 2 to 10000000)");
  EXPECT_EQ(complaint("requests: 12", "requests: 2.5"),
            "suite.yaml:6:13: expected a whole number, found \"2.5\"");
  EXPECT_EQ(complaint("requests: 12", "requests: 12\n  rounds: 13"),
            "suite.yaml:7:11: 13 rounds of 12 requests (as many requests as rounds, or more)");
  EXPECT_TRUE(load(changed("requests: 12", "requests: 12\n  rounds: 12")));
  EXPECT_EQ(complaint("requests: 12", "requests: 12\n  rounds: 0"),
            "suite.yaml:7:11: rounds is 0 (1 or more)");
  EXPECT_EQ(complaint("requests: 12", "requests: 12\n  warmups: -1"),
            "suite.yaml:7:12: warmups is -1 (from 0 to 10000)");
  EXPECT_EQ(complaint("input_tokens: 16\n  output_tokens: 8\n  requests: 12",
                      "input_tokens: 10000000\n  requests: 51"),
            "suite.yaml:5:13: 51 requests of 10000000 input tokens do not fit in memory (at most "
            "500000000 input tokens in all)");
  EXPECT_EQ(complaint("input_tokens: 16", "input_tokens: 0"),
            "suite.yaml:4:17: input_tokens is 0 (from 1 to 10000000)");
  EXPECT_THAT(complaint("requests: 12", "requests: 12\n  range_ratio: 1"),
              HasSubstr("suite.yaml:7:16: 1 is out of bounds (from 0"));
  EXPECT_THAT(complaint("requests: 12", "requests: 12\n  range_ratio: .nan"),
              HasSubstr("suite.yaml:7:16: nan is out of bounds"));
  EXPECT_EQ(complaint("max_concurrency: 2", "request_rate: 0"),
            "suite.yaml:7:17: a rate of 0 (requests a second, from 1e-06 to 1e+09; left out for a "
            "closed loop)");
  EXPECT_THAT(complaint("max_concurrency: 2", "request_rate: .nan"), HasSubstr("a rate of nan"));
  EXPECT_THAT(complaint("max_concurrency: 2", "request_rate: .inf"), HasSubstr("a rate of inf"));
  EXPECT_EQ(complaint("max_concurrency: 2", "request_rate: 1\n  burstiness: 0"),
            "suite.yaml:8:15: 0 is not a shape (a number above 0: 1 is Poisson, inf is constant)");
  EXPECT_EQ(complaint("max_concurrency: 2", "max_concurrency: 0"),
            "suite.yaml:7:20: max_concurrency is 0 (from 1 to 1000000)");
  EXPECT_EQ(complaint("max_concurrency: 2", "recorded_arrivals: true"),
            "suite.yaml:7:22: only a trace has recorded arrivals (dataset: trace)");
  EXPECT_THAT(complaint("requests: 12", "requests: 12\n  time_scale: 2"),
              HasSubstr("suite.yaml:7:3: unknown key \"time_scale\""));
}

TEST_F(SuiteTest, service_levels_that_say_nothing) {
  EXPECT_EQ(complaint("ttft.p99<500ms", "ttftt.p99<500ms"),
            "suite.yaml:9:11: \"ttftt\" is not a latency metric (ttft)");
  EXPECT_THAT(complaint("e2e<2s", "e2e<2"),
              HasSubstr("suite.yaml:9:29: \"2\" has no unit (a number and ns"));
  EXPECT_THAT(complaint("e2e<2s", "e2e"), HasSubstr("suite.yaml:9:29: \"e2e\" has no <"));
  EXPECT_THAT(complaint("ttft.p99", "ttft.p100"), HasSubstr("\"p100\" is not a statistic"));
  EXPECT_EQ(complaint(R"(["ttft.p99<500ms", e2e<2s])", "[]"),
            "suite.yaml:9:3: \"terms\" is missing");
  for (const char* target : {"0.99", "0%", "101%", "-1%", "many", "%"}) {
    EXPECT_EQ(complaint("target: 99%", fmt::format("target: \"{}\"", target)),
              fmt::format("suite.yaml:10:11: \"{}\" is not a share (a percentage above 0% up to "
                          "100%, such as 99%)",
                          target));
  }
}

TEST_F(SuiteTest, offers_that_cannot_be_billed) {
  EXPECT_EQ(
      complaint("price: 1.2 USD/h", "price: 1.2 USD"),
      "suite.yaml:14:20: \"1.2 USD\" has no unit (a price and its unit, such as 0.79 USD/h or "
      "0.15 USD/Mtok)");
  EXPECT_EQ(complaint("price: 1.2 USD/h", "price: 1.2 USD/Mtok"),
            "suite.yaml:14:20: 1.2 USD/Mtok is a price by token (a price by time, such as 0.79 "
            "USD/h)");
  EXPECT_EQ(complaint("output: 0.2 USD/Mtok", "output: 0.2 USD/h"),
            "suite.yaml:20:15: 0.2 USD/h is a price by time (a price by token, such as 0.15 "
            "USD/Mtok)");
  EXPECT_THAT(complaint("price: 1.2 USD/h", "price: 1.2 USD/fortnight"),
              HasSubstr("suite.yaml:14:20: \"1.2 USD/fortnight\" has an unknown unit"));
  EXPECT_THAT(complaint("price: 1.2 USD/h", "price: 1.2/h"), HasSubstr("has no currency"));
  EXPECT_THAT(complaint("price: 1.2 USD/h", "price: -1 USD/h"), HasSubstr("suite.yaml:14:20: "));
  EXPECT_THAT(complaint("price: 1.2 USD/h", "price: 1e-13 USD/h"), HasSubstr("suite.yaml:14:20: "));
  EXPECT_EQ(complaint("price: 1.2 USD/h, ", ""),
            "suite.yaml:14:12: it has no price (price: 0.79 USD/h, or input: and output: such as "
            "0.15 USD/Mtok)");
  EXPECT_THAT(complaint("price: 1.2 USD/h", "price: 1.2 USD/h, input: 1 USD/Mtok"),
              HasSubstr("suite.yaml:14:12: priced both by time and by token"));
  EXPECT_EQ(complaint("      output: 0.2 USD/Mtok\n", ""),
            "suite.yaml:19:7: \"output\" is missing");
  EXPECT_EQ(complaint("output: 0.2 USD/Mtok", "output: 0.2 CNY/Mtok"),
            "suite.yaml:19:7: one offer in both USD and CNY (one currency)");
  EXPECT_EQ(complaint("price: 1.2 USD/h", "price: 1.2 USD/h, count: 0"),
            "suite.yaml:14:38: count is 0 (from 1 to 1000000)");
  EXPECT_EQ(complaint("    offer: {price: 1.2 USD/h, source: a list, date: \"2026-11-30\"}\n", ""),
            "suite.yaml:12:5: \"offer\" is missing");
}

TEST_F(SuiteTest, currencies_without_a_rate) {
  EXPECT_EQ(complaint("1.2 USD/h", "8.5 CNY/h"),
            "suite.yaml:14:12: the offer of 'rented' is in CNY, and the ranking in USD "
            "(exchange_rates with a base, date, source and rates)");
  const auto with_rates = [](std::string_view rates) {
    std::string text = changed("1.2 USD/h", "8.5 CNY/h");
    return text.replace(
        text.find("workload"), 0,
        fmt::format("exchange_rates:\n  base: USD\n  date: \"2026-11-30\"\n  source: ECB\n"
                    "  rates: {}\n",
                    rates));
  };
  EXPECT_TRUE(load(with_rates("{CNY: 7.08}")));
  EXPECT_TRUE(load(with_rates("{元: 7.08}")));
  EXPECT_EQ(
      complaint(with_rates("{EUR: 0.9}")),
      "suite.yaml:19:12: the offer of 'rented' is in CNY, and the ranking in USD: no rate for "
      "CNY (known: USD, EUR)");
  EXPECT_THAT(complaint(with_rates("{CNY: 0}")), HasSubstr("suite.yaml:6:16: \"0\" is not"));
  EXPECT_EQ(complaint(with_rates("{yuan: 7}")),
            "suite.yaml:6:17: \"yuan\" is not a currency (a code of three capitals, such as USD or "
            "CNY)");
  EXPECT_EQ(complaint("name: small", "name: small\ncurrency: usd"),
            "suite.yaml:2:11: \"usd\" is not a currency (a code of three capitals, such as USD or "
            "CNY)");
}

TEST_F(SuiteTest, platforms_that_are_mixed_up) {
  EXPECT_EQ(complaint("name: by-token", "name: rented"),
            "suite.yaml:15:11: two platforms are named 'rented' (a name for each)");
  EXPECT_EQ(complaint("http://127.0.0.1:9/v1", "127.0.0.1:9"),
            "suite.yaml:16:15: '127.0.0.1:9' is no http or https URL (for example "
            "http://127.0.0.1:8000 or https://host/prefix)");
  EXPECT_THAT(complaint("http://127.0.0.1:9/v1", "http://me:hunter2@host/"),
              testing::AllOf(HasSubstr("suite.yaml:16:15: "), Not(HasSubstr("hunter2"))));
  EXPECT_EQ(complaint("    model: m", "    model: m\n    endpoint_type: chats"),
            "suite.yaml:18:20: 'chats' is not known (chat or completions)");
  EXPECT_THAT(complaint("    model: m", "    model: m\n    platform: tgii"),
              HasSubstr("suite.yaml:18:15: 'tgii' is not known (openai, "));
  EXPECT_EQ(
      complaint("    model: m", "    model: m\n    platform: triton\n    endpoint_type: chat"),
      "suite.yaml:19:20: NVIDIA Triton, vLLM backend has no chat endpoint (native)");
  EXPECT_EQ(complaint("    model: m", "    model: m\n    platform: tgi\n    ignore_eos: true"),
            "suite.yaml:19:17: the tgi protocol has no such field (leave it out)");
  EXPECT_THAT(complaint("    model: m", "    model: m\n    extra_body: \"[1]\""),
              HasSubstr("suite.yaml:18:17: "));
  EXPECT_THAT(complaint("    model: m", "    model: m\n    request_timeout: 0s"),
              HasSubstr("suite.yaml:18:22: every request would be over at once"));
  EXPECT_THAT(complaint("    model: m", "    model: m\n    ca_file: /ca.pem"),
              HasSubstr("suite.yaml:18:14: this address has no certificate"));
  EXPECT_THAT(complaint("{ttft: {p50: 5ms}", "{ttft: {p50: 5ms, p99: 1ms}"),
              HasSubstr("suite.yaml:13:37: p99 is below p50"));
  const std::size_t platforms = kGoodSuite.find("platforms");
  EXPECT_EQ(complaint(fmt::format("{}platforms: []\n", kGoodSuite.substr(0, platforms))),
            "suite.yaml:1:1: \"platforms\" is missing");
}

TEST_F(SuiteTest, names_that_would_deceive_a_reader) {
  for (const char* name : {R"("a\eb")", R"("a\0b")", R"("a\u0085b")", R"("a\u202eb")",
                           R"("a\u2028b")", R"("a\x7fb")"}) {
    EXPECT_EQ(complaint("name: rented", fmt::format("name: {}", name)),
              "suite.yaml:12:11: \"name\" holds a control character (text that any terminal and "
              "page can show)")
        << name;
  }
  EXPECT_EQ(good(changed("name: rented", R"(name: "a\r\n b\t")")).platforms[0].name, "a   b");
  EXPECT_EQ(good(changed("name: rented", "name: a\xFF")).platforms[0].name, "a\xEF\xBF\xBD");
  EXPECT_THAT(complaint("model: m", R"(model: "m\e")"), HasSubstr("control character"));
}

constexpr std::string_view kUrl = "base_url: http://127.0.0.1:9/v1";

TEST_F(SuiteTest, an_address_from_the_environment) {
  const std::string from_environment = changed(kUrl, "base_url: ${STEELYARD_TEST_URL}/v1");
  EXPECT_EQ(complaint(from_environment),
            "suite.yaml:16:15: the environment has no STEELYARD_TEST_URL (export it, or say "
            "optional: true)");
  const std::string optional =
      changed(kUrl, "base_url: ${STEELYARD_TEST_URL}/v1\n    optional: true\n    ca_file: ca.pem");
  const Suite without = good(optional);
  ASSERT_EQ(without.platforms.size(), 2U);
  EXPECT_TRUE(without.platforms[1].absent);
  EXPECT_EQ(without.platforms[1].lacks, "STEELYARD_TEST_URL is not set");

  ::setenv(kUrlName, "http://host:80${X}", 1);
  EXPECT_THAT(complaint(from_environment), HasSubstr("'80${X}' is no port"))
      << "what comes from the environment is not replaced again";
  ::setenv(kUrlName, "http://host:8000", 1);
  const Suite suite = good(from_environment);
  EXPECT_EQ(suite.platforms[1].target.url.to_text(), "http://host:8000/v1");
  EXPECT_EQ(suite.platforms[1].target.path, "/chat/completions");
  for (const char* typo : {"${STEELYARD_TEST_URL", "${}"}) {
    EXPECT_THAT(complaint(changed(kUrl, fmt::format("base_url: \"{}\"\n    optional: true", typo))),
                HasSubstr("suite.yaml:16:15: a \"${\" without a name"));
  }
}

TEST_F(SuiteTest, a_key_from_the_environment_is_never_shown) {
  const std::string with_key = changed("model: m", "model: m\n    api_key_env: STEELYARD_TEST_KEY");
  EXPECT_EQ(complaint(with_key),
            "suite.yaml:18:18: the environment has no STEELYARD_TEST_KEY (export it, or say "
            "optional: true)");
  const Suite without = good(
      changed("model: m", "model: m\n    api_key_env: STEELYARD_TEST_KEY\n    optional: true"));
  EXPECT_TRUE(without.platforms[1].absent);
  EXPECT_EQ(without.platforms[1].lacks, "STEELYARD_TEST_KEY is not set");

  ::setenv(kKeyName, "sk-very-secret", 1);
  const Suite with = good(with_key);
  const auto& auth = with.platforms[1].target.auth;
  EXPECT_EQ(std::get<platform::KeyField>(auth).key.reveal(), "sk-very-secret");
  EXPECT_EQ(std::get<platform::KeyField>(auth).prefix, "Bearer ");
  ::setenv(kKeyName, "sk-very-secret\r\nX-Evil: 1", 1);
  EXPECT_EQ(complaint(with_key),
            "suite.yaml:18:18: the key in STEELYARD_TEST_KEY holds a control character (a key "
            "without a line break)");
}

TEST_F(SuiteTest, fifty_platforms_and_numbers_at_the_edge) {
  std::string text(kGoodSuite);
  for (int i = 0; i < 50; ++i) {
    text += fmt::format(
        "  - name: p{}\n    emulate: {{}}\n    offer: {{price: {} USD/s, count: 1000000, source: "
        "s, "
        "date: d}}\n",
        i, i % 2 == 0 ? "0.000000000001" : "999999999999");
  }
  EXPECT_EQ(good(text).platforms.size(), 52U);
  EXPECT_TRUE(load(changed("1.2 USD/h", "0 USD/h"))) << "free is a price";
}

}  // namespace
}  // namespace steelyard::study
