#include <algorithm>
#include <map>
#include <set>

#include "workload/dataset.h"

namespace steelyard::workload {
namespace {

DatasetOptions sessions(std::int64_t count, std::int64_t least, std::int64_t most) {
  DatasetOptions options;
  options.dataset = Dataset::kSessions;
  options.random_input_len = 12;
  options.random_output_len = 5;
  options.sessions.sessions = count;
  options.sessions.least_turns = least;
  options.sessions.most_turns = most;
  options.sessions.think = *parse_think_time("", "exponential:2s");
  return options;
}

struct Sent {
  Request request;
  base::Nanos sent = 0;
  base::Nanos end = 0;
};

std::string answer_to(std::size_t index) { return "answer " + std::to_string(index); }

// Every request takes `service_s` on average; those that `fails` names fail.
template <typename Fails>
std::vector<Sent> play(Source& source, double service_s, const Fails& fails) {
  base::Random random(3);
  std::vector<Sent> sent;
  std::multimap<base::Nanos, std::size_t> out;
  while (!source.over() || !out.empty()) {
    const auto due = source.next_due();
    if (due && (out.empty() || *due <= out.begin()->first)) {
      Sent one{source.next(), *due, 0};
      one.end = one.sent + base::from_seconds(service_s * random.exponential());
      out.emplace(one.end, sent.size());
      sent.push_back(std::move(one));
      continue;
    }
    if (out.empty()) {
      ADD_FAILURE() << "nothing is due, nothing is out, and it is not over";
      break;
    }
    const auto [at, index] = *out.begin();
    out.erase(out.begin());
    const bool ok = !fails(index);
    source.ended(index, at, ok, ok ? answer_to(index) : "");
  }
  return sent;
}

// The first question of a conversation names it.
std::string first_of(const Request& request) {
  return request.history.empty() ? request.prompt : request.history.front().user;
}

TEST(Sessions, at_most_one_request_of_each_is_out_and_each_turn_has_the_real_answers) {
  const DatasetOptions options = sessions(200, 1, 5);
  const auto source = make_source(options, {.rate_rps = 50}).value();
  EXPECT_TRUE(source->wants_answers());
  const auto sent = play(*source, 1.5, [](std::size_t) { return false; });
  std::map<std::string, std::vector<std::size_t>> by_session;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    by_session[first_of(sent[i].request)].push_back(i);
  }
  ASSERT_EQ(by_session.size(), 200U);
  std::set<std::size_t> turns;
  for (const auto& [name, requests] : by_session) {
    turns.insert(requests.size());
    for (std::size_t turn = 0; turn < requests.size(); ++turn) {
      const Sent& now = sent[requests[turn]];
      ASSERT_EQ(now.request.history.size(), turn);
      if (turn > 0) {
        const Sent& before = sent[requests[turn - 1]];
        EXPECT_GE(now.sent, before.end) << "the next turn waits for the answer";
        EXPECT_EQ(now.request.history.back().user, before.request.prompt);
        EXPECT_EQ(now.request.history.back().assistant, answer_to(requests[turn - 1]));
        EXPECT_GT(now.request.input_tokens, before.request.input_tokens + 11);
      }
    }
  }
  EXPECT_EQ(turns.size(), 5U);
  EXPECT_EQ(source->facts().sessions, 200);
  EXPECT_EQ(source->facts().sessions_broken, 0);
}

TEST(Sessions, the_next_turn_is_due_when_the_answer_has_been_thought_over) {
  DatasetOptions options = sessions(1, 2, 2);
  options.sessions.think = *parse_think_time("", "3s");
  const auto source = make_source(options, {}).value();
  EXPECT_EQ(source->next_due(), 0);
  (void)source->next();
  EXPECT_FALSE(source->next_due());
  EXPECT_FALSE(source->over());
  source->ended(0, 5 * base::kSecond, true, "yes");
  EXPECT_EQ(source->next_due(), 8 * base::kSecond);
  (void)source->next();
  EXPECT_FALSE(source->over()) << "the last is out";
  source->ended(1, 9 * base::kSecond, true, "no");
  EXPECT_TRUE(source->over());
}

TEST(Sessions, begin_by_the_schedule_whatever_the_answers_take) {
  const auto begins = [](double service_s) {
    const auto source = make_source(sessions(100, 3, 3), {.rate_rps = 4}).value();
    std::vector<base::Nanos> at;
    for (const Sent& one : play(*source, service_s, [](std::size_t) { return false; })) {
      if (one.request.history.empty()) {
        at.push_back(one.request.due);
      }
    }
    std::ranges::sort(at);
    return at;
  };
  EXPECT_EQ(begins(0.01), begins(30));
}

TEST(Sessions, a_failed_turn_ends_its_conversation_and_is_counted) {
  const auto source = make_source(sessions(30, 4, 4), {.rate_rps = 5}).value();
  const auto sent = play(*source, 1, [](std::size_t index) { return index % 10 == 3; });
  std::int64_t failed = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    failed += i % 10 == 3 ? 1 : 0;
    for (const Turn& turn : sent[i].request.history) {
      EXPECT_FALSE(turn.assistant.empty()) << "nothing follows a turn without an answer";
    }
  }
  EXPECT_GT(failed, 3);
  EXPECT_EQ(source->facts().sessions_broken, failed);
  EXPECT_LT(sent.size(), 120U);
}

TEST(Sessions, so_many_at_once_and_no_more) {
  DatasetOptions options = sessions(40, 3, 3);
  options.sessions.at_once = 4;
  const auto source = make_source(options, {}).value();
  std::map<std::string, std::pair<base::Nanos, base::Nanos>> spans;
  for (const Sent& one : play(*source, 1, [](std::size_t) { return false; })) {
    auto& span = spans.try_emplace(first_of(one.request), one.sent, one.end).first->second;
    span.second = std::max(span.second, one.end);
  }
  ASSERT_EQ(spans.size(), 40U);
  for (const auto& [name, span] : spans) {
    const auto active = std::ranges::count_if(spans, [&, from = span.first](const auto& other) {
      return other.second.first <= from && from < other.second.second;
    });
    EXPECT_LE(active, 4);
  }
  options.num_prompts = 7;
  const auto few = make_source(options, {}).value();
  EXPECT_EQ(play(*few, 1, [](std::size_t) { return false; }).size(), 7U);
}

TEST(ThinkTime, has_the_mean_and_deviation_asked_for) {
  const auto moments = [](std::string_view text) {
    const ThinkTime think = *parse_think_time("", text);
    base::Random random(2);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < 40'000; ++i) {
      const double s = base::to_seconds(think.draw(random));
      sum += s;
      squares += s * s;
    }
    const double mean = sum / 40'000;
    return std::pair(mean, std::sqrt(squares / 40'000 - mean * mean));
  };
  EXPECT_EQ(moments("2s").first, 2);
  EXPECT_NEAR(moments("exponential:2s").first, 2, 0.05);
  EXPECT_NEAR(moments("exponential:2s").second, 2, 0.1);
  EXPECT_NEAR(moments("uniform:1s..5s").first, 3, 0.05);
  EXPECT_NEAR(moments("lognormal:5s..4s").first, 5, 0.1);
  EXPECT_NEAR(moments("lognormal:5s..4s").second, 4, 0.3);
  for (const std::string_view wrong : {"2", "poisson:2s", "uniform:2s", "uniform:5s..1s",
                                       "lognormal:0s..1s", "exponential:1s..2s", ""}) {
    EXPECT_FALSE(parse_think_time("--think-time", wrong)) << wrong;
  }
}

}  // namespace
}  // namespace steelyard::workload
