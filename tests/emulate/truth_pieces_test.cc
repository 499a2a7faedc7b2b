// The truth server's parts: its bytes, its reading of requests, its queue, its tally, its scripts.
#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"
#include "emulate/answer_bytes.h"
#include "emulate/fault_scripts.h"
#include "emulate/pace_queue.h"
#include "emulate/quick_request.h"
#include "emulate/truth_tally.h"
#include "platform/openai_dialect.h"
#include "wire/http_reader.h"
#include "wire/sse.h"

namespace steelyard::emulate {
namespace {

constexpr base::Nanos kMs = base::kMillisecond;

struct Read {
  std::vector<std::string> events;  // but [DONE]
  bool done = false;                // [DONE] and the end of the message came
};

Read read_stream(std::string_view bytes) {
  Read read;
  wire::HttpReader http(wire::HttpReader::Side::kResponses);
  wire::SseParser sse;
  bool said_done = false;
  const std::size_t taken = http.feed(bytes, [&](std::string_view piece) {
    sse.feed(piece, [&](const wire::SseEvent& event) {
      said_done = said_done || event.data == "[DONE]";
      if (event.data != "[DONE]") {
        read.events.emplace_back(event.data);
      }
    });
  });
  read.done = said_done && http.done() && taken == bytes.size();
  return read;
}

std::string stream_of(const AnswerBytes& bytes, std::int64_t tokens, bool usage) {
  std::string text(bytes.head(true));
  for (std::int64_t sent = 0; sent < tokens;) {
    std::int64_t count = tokens - sent;
    text += bytes.tokens(sent, count);
    sent += count;
  }
  bytes.append_ending(usage, 12, tokens, text);
  return text;
}

TEST(AnswerBytes, are_a_stream_of_one_token_an_event) {
  for (const bool chat : {true, false}) {
    const AnswerBytes bytes(chat, "a-model");
    // Around the length of the run, where it begins anew.
    for (const std::int64_t tokens : {std::int64_t{1}, std::int64_t{17}, AnswerBytes::kRun,
                                      AnswerBytes::kRun + 1, 2 * AnswerBytes::kRun + 9}) {
      const Read read = read_stream(stream_of(bytes, tokens, true));
      EXPECT_TRUE(read.done);
      ASSERT_EQ(read.events.size(), static_cast<std::size_t>(tokens) + 2);
      const base::Json token = base::parse_json(read.events.front()).value();
      EXPECT_EQ(token["model"], "a-model");
      const base::Json& choice = token["choices"][0];
      EXPECT_EQ(chat ? choice["delta"]["content"] : choice["text"], " the");
      const base::Json usage = base::parse_json(read.events.back()).value()["usage"];
      EXPECT_EQ(usage["prompt_tokens"], 12);
      EXPECT_EQ(usage["completion_tokens"], tokens);
      EXPECT_EQ(usage["total_tokens"], tokens + 12);
    }
    EXPECT_EQ(read_stream(stream_of(bytes, 3, false)).events.size(), 4U);  // and the finish reason
  }
}

TEST(AnswerBytes, have_events_of_the_usual_size) {
  const AnswerBytes bytes(true, "emulated-model");
  std::int64_t one = 1;
  const std::size_t size = bytes.tokens(0, one).size();
  EXPECT_GE(size, 200U);
  EXPECT_LE(size, 260U);
}

TEST(QuickRequest, reads_what_a_server_without_a_model_needs) {
  QuickRequestReader reader;
  std::string body =
      R"({"model":"m","messages":[],"stream":true,"max_tokens":7,"stream_options":{"include_usage":true}})";
  const auto request = reader.read(body, true).value();
  EXPECT_TRUE(request.chat && request.stream && request.include_usage);
  EXPECT_EQ(request.output_tokens, 7);
  EXPECT_EQ(request.input_tokens, static_cast<std::int64_t>(body.size() / 4));
  std::string other = R"({"max_completion_tokens":9,"max_tokens":null,"stream":null})";
  const auto second = reader.read(other, false).value();
  EXPECT_FALSE(second.chat || second.stream || second.include_usage);
  EXPECT_EQ(second.output_tokens, 9);
}

TEST(QuickRequest, says_what_is_wrong) {
  QuickRequestReader reader;
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "not a JSON object"},
           {"[1]", "not a JSON object"},
           {std::string(5000, '['), "not a JSON object"},
           {R"({"max_tokens":0})", "max_tokens must be an integer from 1 to 1000000"},
           {R"({"max_tokens":1.5})", "max_tokens must be"},
           {R"({"max_completion_tokens":"9"})", "max_completion_tokens must be"}}) {
    std::string body = text;
    const auto read = reader.read(body, true);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error(), testing::HasSubstr(words));
  }
}

TEST(PaceQueue, gives_the_earliest_first) {
  PaceQueue queue;
  for (const base::Nanos due : {5, 1, 9, 3, 7, 1}) {
    queue.push({due, 0, 0});
  }
  std::vector<base::Nanos> order;
  while (!queue.empty()) {
    const base::Nanos next = queue.next_due();
    order.push_back(queue.pop().due);
    EXPECT_EQ(order.back(), next);
  }
  EXPECT_THAT(order, testing::ElementsAre(1, 1, 3, 5, 7, 9));
}

base::Json summary_of(const TruthTally& tally) {
  return base::parse_json(tally.summary_json()).value();
}

TEST(TruthTally, counts_from_the_arrival_and_spreads_a_gap_over_its_tokens) {
  TruthTally tally;
  auto reply = tally.begin(100 * kMs);
  tally.wrote(reply, 200 * kMs, 1);
  tally.wrote(reply, 220 * kMs, 1);
  tally.wrote(reply, 280 * kMs, 2);
  tally.late(reply, 2 * kMs);
  tally.blocked(reply);
  tally.end(reply, 281 * kMs, measure::Outcome::kCompleted);
  const base::Json summary = summary_of(tally);
  EXPECT_EQ(summary["completed"], 1);
  EXPECT_EQ(summary["output_tokens"], 4);
  EXPECT_NEAR(summary["ttft_ms"]["p50"].get<double>(), 100, 0.1);
  EXPECT_EQ(summary["itl_ms"]["n"], 3);
  EXPECT_NEAR(summary["itl_ms"]["mean"].get<double>(), 80.0 / 3, 0.1);
  EXPECT_NEAR(summary["tpot_ms"]["mean"].get<double>(), 80.0 / 3, 0.1);
  EXPECT_NEAR(summary["e2e_ms"]["p99"].get<double>(), 181, 0.1);
  EXPECT_NEAR(summary["lateness_ms"]["p99"].get<double>(), 2, 0.1);
  EXPECT_EQ(summary["blocked_writes"], 1);
}

TEST(TruthTally, begins_anew_without_what_was_begun_before) {
  TruthTally tally;
  auto old = tally.begin(kMs);
  tally.clear();
  tally.wrote(old, 2 * kMs, 1);
  tally.late(old, kMs);
  tally.end(old, 3 * kMs, measure::Outcome::kCompleted);
  auto lost = tally.begin(4 * kMs);
  tally.end(lost, 5 * kMs, measure::Outcome::kConnection);
  const base::Json summary = summary_of(tally);
  EXPECT_EQ(summary["requests"], 1);
  EXPECT_EQ(summary["failed"], 1);
  EXPECT_EQ(summary["output_tokens"], 0);
  EXPECT_EQ(summary["ttft_ms"]["p50"], nullptr);
  EXPECT_EQ(summary["lateness_ms"]["n"], 0);
}

TEST(TruthTally, keeps_the_latest_requests_and_says_how_many_are_gone) {
  TruthTally tally;
  const auto all = static_cast<std::int64_t>(TruthTally::kMostRequests) + 3;
  for (std::int64_t i = 1; i <= all; ++i) {
    auto reply = tally.begin(i);
    tally.end(reply, i, measure::Outcome::kCompleted);
  }
  const base::Json truth = base::parse_json(tally.to_json()).value();
  EXPECT_EQ(truth["dropped"], 3);
  EXPECT_EQ(truth["requests"].size(), TruthTally::kMostRequests);
  EXPECT_EQ(truth["requests"].front()["received_ns"], 4);
  EXPECT_EQ(truth["requests"].back()["received_ns"], all);
  EXPECT_EQ(truth["summary"]["requests"], all);
}

TEST(FaultScripts, have_names_words_and_bytes_of_their_own) {
  std::set<std::string> names;
  for (const FaultScript& script : fault_scripts()) {
    EXPECT_TRUE(names.insert(script.name).second) << script.name;
    EXPECT_FALSE(script.what.empty()) << script.name;
    EXPECT_LT(script.what.size(), 80U) << script.name;
    EXPECT_FALSE(script.pieces.empty()) << script.name;
    EXPECT_EQ(find_fault_script(script.name), &script);
  }
  EXPECT_EQ(find_fault_script("no-such"), nullptr);
}

// What a script says of its own tokens is what its bytes hold.
TEST(FaultScripts, that_complete_hold_the_events_that_they_promise) {
  for (const char* name : {"crlf-coalesced", "crlf", "bare-cr", "mixed-line-ends", "no-space",
                           "cut-after-colon", "cut-before-space", "cut-in-character", "comments",
                           "several-data-lines", "bom", "empty-data", "other-fields", "role-first",
                           "late-finish", "usage-in-every-chunk", "ten-in-one-read"}) {
    SCOPED_TRACE(name);
    const FaultScript& script = *find_fault_script(name);
    std::string bytes;
    std::int64_t tokens = 0;
    for (const FaultScript::Piece& piece : script.pieces) {
      bytes += piece.bytes;
      tokens += piece.tokens;
    }
    const Read read = read_stream(bytes);
    EXPECT_TRUE(read.done);
    std::int64_t with_text = 0;
    for (const std::string& event : read.events) {
      const base::Json json = base::parse_json(event).value();
      if (!json["choices"].empty()) {
        with_text += json["choices"][0]["delta"].value("content", "").empty() ? 0 : 1;
      }
    }
    EXPECT_EQ(with_text, tokens);
  }
}

}  // namespace
}  // namespace steelyard::emulate
