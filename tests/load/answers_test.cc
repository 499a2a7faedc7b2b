// What the engine makes of an answer, however its bytes are cut. Each case is played as one write
// and byte by byte.
#include "answers.h"

#include "measure/request_metrics.h"
#include "measure/summary.h"
#include "one_request.h"
#include "scripted_server.h"

namespace steelyard::load {
namespace {

using measure::ChunkKind;
using measure::Outcome;
using measure::TokenSource;
using End = Script::End;

constexpr char kKey[] = "sk-secret-0123456789";

struct Expected {
  Outcome outcome = Outcome::kCompleted;
  std::string failure = "";  // a part of it
  std::string kinds = "";    // of the chunks: e(mpty), r(easoning), c(ontent), t(ool call), u(sage)
  std::optional<std::int64_t> output_tokens = std::nullopt;
  TokenSource source = TokenSource::kUnknown;
  int status = 200;
  bool streamed = true;
};

struct Case {
  std::string name;
  std::string bytes;
  Expected expected;
  End end = End::kKeepOpen;
  bool stream = true;
};

// Stands in ctest's list.
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::string letters(const measure::RequestLog& log) {
  std::string kinds;
  for (const measure::ChunkEvent& chunk : log.chunks) {
    kinds += "erctu"[static_cast<std::size_t>(chunk.kind)];
  }
  return kinds;
}

Expected completed(const std::string& kinds, std::int64_t tokens,
                   TokenSource source = TokenSource::kChunks) {
  return {Outcome::kCompleted, "", kinds, tokens, source};
}
Expected by_usage(const std::string& kinds, std::int64_t tokens) {
  return completed(kinds, tokens, TokenSource::kUsage);
}
Expected failed(Outcome outcome, const std::string& words, const std::string& kinds = "",
                std::optional<std::int64_t> tokens = std::nullopt) {
  return {outcome, words, kinds, tokens, tokens ? TokenSource::kChunks : TokenSource::kUnknown};
}
Expected refused(int status, const std::string& words) {
  Expected expected = failed(Outcome::kRefused, words);
  expected.status = status;
  return expected;
}
Expected rate_limited(const std::string& words) {
  Expected expected = failed(Outcome::kRateLimited, words);
  expected.status = 429;
  return expected;
}
Expected no_answer(const std::string& words) {
  Expected expected = failed(Outcome::kConnection, words);
  expected.status = 0;
  return expected;
}
Expected not_streamed(Outcome outcome, const std::string& words) {
  Expected expected = failed(outcome, words);
  expected.streamed = false;
  return expected;
}

std::string with_line_ends(std::string text, const std::string& end) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text.replace(at, 1, end);
    at += end.size();
  }
  return text;
}

const std::string kTail = finish() + kDone;
const std::string kTwo = content("Hel") + content("lo") + kTail;

std::vector<Case> framing() {
  std::string mixed = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\r" +
                      with_line_ends(content("b"), "\r\n") + kTail;
  return {
      {"lf", stream({content("Hel"), content("lo"), finish(), kDone}), completed("cce", 2)},
      {"crlf_coalesced", stream({with_line_ends(kTwo, "\r\n")}), completed("cce", 2)},
      {"bare_cr", stream({with_line_ends(kTwo, "\r")}), completed("cce", 2)},
      {"mixed_line_ends", stream({mixed}), completed("cce", 2)},
      {"no_space_after_the_colon",
       stream({R"(data:{"choices":[{"delta":{"content":"a"}}]})"
               "\n\ndata:[DONE]\n\n"}),
       completed("c", 1)},
      {"chunks_cut_between_colon_and_space",
       stream({"data:", " {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n", "\n" + kTail}),
       completed("ce", 1)},
      {"comments",
       stream({": keep-alive\n\n", ": ping\n" + content("a"), ": keep-alive\n\n", kTail}),
       completed("ce", 1)},
      {"data_of_several_lines",
       stream({"data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n" + kTail}),
       completed("ce", 1)},
      {"text_cut_within_a_character",
       stream({"data: {\"choices\":[{\"delta\":{\"content\":\"\xE4", "\xB8\xAD\"}}]}\n\n" + kTail}),
       completed("ce", 1)},
      {"a_byte_that_is_not_utf8", stream({content("\xE4"), kTail}), completed("ce", 1)},
      {"an_event_of_80_kB", stream({content(std::string(80'000, 'x')), kTail}), completed("ce", 1)},
      {"bom", stream({"\xEF\xBB\xBF" + kTwo}), completed("cce", 2)},
      {"empty_data", stream({"data:\n\ndata\n\n" + kTwo + "data: \n\n"}), completed("cce", 2)},
      {"other_fields", stream({"id: 1\nretry: 10\nevent: message\n" + kTwo}), completed("cce", 2)},
      {"no_blank_line_after_done", until_close(content("a") + finish() + "data: [DONE]"),
       completed("ce", 1), End::kClose},
      {"no_blank_line_after_content",
       until_close(content("a") + R"(data: {"choices":[{"delta":{"content":"b"}}]})"),
       failed(Outcome::kTruncated, "neither [DONE] nor a finish_reason", "cc", 2), End::kClose},
      {"cut_within_an_event", until_close(content("a") + R"(data: {"choices":[{"delta":{"cont)"),
       failed(Outcome::kTruncated, "ends within an event", "c", 1), End::kClose},
      {"length_stated_too_short",
       whole("200 OK", "text/event-stream", content("a") + R"(data: {"choices":[{"de)"),
       failed(Outcome::kTruncated, "ends within an event", "c", 1)},
      {"cut_within_what_follows_done", until_close(kTwo + "data: {\"choi"), completed("cce", 2),
       End::kClose},
  };
}

std::vector<Case> http() {
  const std::string body = kTwo;
  return {
      {"length_stated",
       kStreamHead + fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body),
       completed("cce", 2)},
      {"connection_close", until_close(body), completed("cce", 2), End::kClose},
      {"http_1_0", "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body,
       completed("cce", 2), End::kClose},
      {"interim_answers",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" +
           stream({body}),
       completed("cce", 2)},
      {"chunk_extensions_and_a_trailer",
       kStreamHead + "Transfer-Encoding: chunked\r\n\r\n" +
           fmt::format("{:X};a=b\r\n{}\r\n0\r\nX-Cost: 1\r\n\r\n", body.size(), body),
       completed("cce", 2)},
      {"done_and_closed_within_the_message",
       kStreamHead + "Transfer-Encoding: chunked\r\n\r\n" + chunk(body), completed("cce", 2),
       End::kClose},
      {"done_and_reset_within_the_message",
       kStreamHead + "Transfer-Encoding: chunked\r\n\r\n" + chunk(body), completed("cce", 2),
       End::kReset},
      {"bytes_beyond_the_end", stream({body}) + "HTTP/1.1 200", completed("cce", 2)},
      {"no_finish_reason", stream({content("a") + kDone}), completed("c", 1)},
      {"no_done", stream({content("a") + finish()}), completed("ce", 1)},
      {"closed_before_the_head", "",
       no_answer("the server closed the connection before it answered"), End::kClose},
      {"reset_before_the_head", "", no_answer("Connection reset by peer before it answered"),
       End::kReset},
      {"closed_within_the_head", "HTTP/1.1 200 OK\r\nContent-", no_answer("within the head"),
       End::kClose},
      {"not_http",
       "SSH-2.0-OpenSSH_9.2\r\n\r\n",
       {Outcome::kProtocol, "not HTTP/1.1", "", std::nullopt, TokenSource::kUnknown, 0}},
  };
}

std::vector<Case> meaning() {
  const std::string tool = R"("tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}])";
  const std::string announced = R"("tool_calls":[{"index":0,"id":"call_1"}])";
  return {
      {"role_first", stream({delta(R"("role":"assistant","content":"")"), kTwo}),
       completed("ecce", 2)},
      {"null_content", stream({delta(R"("role":"assistant","content":null)"), kTwo}),
       completed("ecce", 2)},
      {"reasoning_content_then_content",
       stream({delta(R"("reasoning_content":"hm")"), delta(R"("reasoning_content":"m")"), kTwo}),
       completed("rrcce", 4)},
      {"reasoning_then_content", stream({delta(R"("reasoning":"hm")"), kTwo}),
       completed("rcce", 3)},
      {"both_names_of_reasoning",
       stream({delta(R"("reasoning_content":"hm","reasoning":"hm")"), kTwo}), completed("rcce", 3)},
      {"reasoning_alone",
       stream({delta(R"("reasoning":"hm")"), delta(R"("reasoning":"m")"), finish(), usage(5, 2),
               kDone}),
       by_usage("rreu", 2)},
      {"tool_calls_alone", stream({delta(announced), delta(tool), finish(), usage(5, 9), kDone}),
       by_usage("eteu", 9)},
      {"content_and_tool_call_in_one",
       stream({delta(R"("content":"a",)" + tool), finish(), usage(5, 9), kDone}),
       by_usage("ceu", 9)},
      {"completions_text", stream({event(R"({"choices":[{"text":"a"}]})"), kTail}),
       completed("ce", 1)},
      {"first_chunk_without_choices",
       stream({event(R"({"choices":[],"prompt_filter_results":[]})"), kTwo}), completed("ucce", 2)},
      {"usage_last", stream({kTwo.substr(0, kTwo.size() - kDone.size()), usage(7, 15), kDone}),
       by_usage("cceu", 15)},
      {"usage_after_done", stream({kTwo, usage(7, 15)}), by_usage("cceu", 15)},
      {"usage_null",
       stream({event(R"({"choices":[{"delta":{"content":"a"}}],"usage":null})"), kTail}),
       completed("ce", 1)},
      {"usage_of_nulls",
       stream({content("a"), finish(),
               event(R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":null,)"
                     R"("completion_tokens_details":null}})"),
               kDone}),
       completed("ceu", 1)},
      {"usage_beyond_belief",
       stream({content("a"), finish(), usage(9'000'000'000'000'000'000, 4'000'000'000), kDone}),
       completed("ceu", 1)},
      {"fifty_tokens_in_one_chunk", stream({content("all"), finish(), usage(5, 50), kDone}),
       by_usage("ceu", 50)},
      {"one_token", stream({content("a"), finish(), usage(5, 1), kDone}), by_usage("ceu", 1)},
      {"done_without_a_token", stream({kTail}), failed(Outcome::kNoToken, "not one token", "e")},
      {"only_done", stream({kDone}), failed(Outcome::kNoToken, "not one token")},
      {"another_dialect", stream({"event: message_start\n" + event(R"({"type":"message_start"})")}),
       failed(Outcome::kProtocol, "no event is of the dialect", "u")},
      {"an_event_that_is_not_json", stream({content("a"), event("{broken"), kTail}),
       failed(Outcome::kProtocol, "not the JSON of this dialect", "ce", 1)},
  };
}

std::vector<Case> errors() {
  const std::string truncated_head = kStreamHead + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string forty = truncated_head + repeated(chunk(content("x")), 40);
  const std::string forty_c(40, 'c');
  const std::string object = R"({"error":{"message":"engine died","type":"server_error"}})";
  return {
      {"error_object_first", stream({event(object)}), failed(Outcome::kErrorInBand, "engine died")},
      {"error_object_after_tokens", stream({content("a"), event(object)}),
       failed(Outcome::kErrorInBand, "engine died", "c", 1)},
      {"error_then_done", stream({content("a"), event(object), kDone}),
       failed(Outcome::kErrorInBand, "engine died", "c", 1)},
      {"error_string", stream({event(R"({"error":"no memory"})")}),
       failed(Outcome::kErrorInBand, "no memory")},
      {"error_event", stream({content("a"), "event: error\n" + event(R"({"message":"too long"})")}),
       failed(Outcome::kErrorInBand, "too long", "c", 1)},
      {"error_event_of_plain_text", stream({"event: error\ndata: out of cheese\n\n"}),
       failed(Outcome::kErrorInBand, "out of cheese")},
      {"error_of_vllm", stream({event(R"({"object":"error","message":"bad","code":400})")}),
       failed(Outcome::kErrorInBand, "bad")},
      {"error_and_reset", truncated_head + chunk(content("a")) + chunk(event(object)),
       failed(Outcome::kErrorInBand, "engine died", "c", 1), End::kReset},
      {"closed_after_40_of_100", forty,
       failed(Outcome::kTruncated, "the server closed the connection within the stream", forty_c,
              40),
       End::kClose},
      {"reset_after_40_of_100", forty,
       failed(Outcome::kTruncated, "Connection reset by peer within the stream", forty_c, 40),
       End::kReset},
      {"ended_well_after_40_of_100", forty + "0\r\n\r\n",
       failed(Outcome::kTruncated, "neither [DONE] nor a finish_reason", forty_c, 40)},
      {"rate_limited",
       whole("429 Too Many Requests", "application/json",
             R"({"error":{"message":"slow down","type":"rate_limit"}})", "Retry-After: 2\r\n"),
       rate_limited("HTTP 429 Too Many Requests, Retry-After: 2: slow down")},
      {"warming_up", whole("503 Service Unavailable", "text/plain", "warming\nup\t1/2"),
       refused(503, "HTTP 503 Service Unavailable: warming up 1/2")},
      {"no_key",
       whole("401 Unauthorized", "application/json",
             fmt::format(R"({{"error":{{"message":"bad key {}"}}}})", kKey)),
       refused(401, "HTTP 401 Unauthorized: bad key ***")},
      {"a_key_where_the_words_are_cut",
       whole("401 Unauthorized", "text/plain", fmt::format("{:x>290}{}and more", "", kKey)),
       refused(401, "HTTP 401 Unauthorized: xxx")},
      {"html_page",
       whole("502 Bad Gateway", "text/html", "<html>\r\n<h1>502 Bad Gateway</h1>\r\n</html>"),
       refused(502, "HTTP 502 Bad Gateway: <html>  <h1>502 Bad Gateway</h1>")},
      {"refused_and_closed_within_the_body",
       "HTTP/1.1 503 Busy\r\nContent-Length: 900\r\n\r\nno room",
       refused(503, "HTTP 503 Busy: no room"), End::kClose},
      {"refused_and_reset_within_the_body",
       "HTTP/1.1 503 Busy\r\nContent-Length: 900\r\n\r\nno room",
       refused(503, "HTTP 503 Busy: no room"), End::kReset},
      {"no_content", "HTTP/1.1 204 No Content\r\n\r\n", refused(204, "HTTP 204 No Content")},
      {"moved", whole("307 Temporary Redirect", "text/plain", "", "Location: /v2\r\n"),
       refused(307, "HTTP 307 Temporary Redirect")},
      {"empty_stream", whole("200 OK", "text/event-stream", ""),
       failed(Outcome::kTruncated, "neither [DONE] nor a finish_reason")},
      {"empty_body", whole("200 OK", "application/json", ""),
       not_streamed(Outcome::kNotStreamed, "the answer is of type 'application/json'")},
      {"gzip", whole("200 OK", "text/event-stream", "\x1f\x8b\x08", "Content-Encoding: gzip\r\n"),
       failed(Outcome::kNotStreamed, "compressed (gzip)")},
      {"plain_text", whole("200 OK", "text/plain", "Hello"),
       not_streamed(Outcome::kNotStreamed, "the answer is of type 'text/plain'")},
  };
}

const std::string kAnswer =
    R"({"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":2}})";

std::vector<Case> whole_answers() {
  Expected good = by_usage("", 2);
  good.streamed = false;
  return {
      {"whole_to_a_stream", whole("200 OK", "application/json", kAnswer), good},
      {"whole", whole("200 OK", "application/json", kAnswer), good, End::kKeepOpen, false},
      {"whole_until_close", "HTTP/1.1 200 OK\r\n\r\n" + kAnswer, good, End::kClose, false},
      {"whole_error", whole("200 OK", "application/json", R"({"error":{"message":"no"}})"),
       not_streamed(Outcome::kErrorInBand, "no"), End::kKeepOpen, false},
      {"whole_without_a_token",
       whole("200 OK", "application/json", R"({"choices":[{"message":{"content":""}}]})"),
       not_streamed(Outcome::kNoToken, "not one token"), End::kKeepOpen, false},
      {"whole_of_another_dialect", whole("200 OK", "application/json", R"({"output":"Hi"})"),
       not_streamed(Outcome::kProtocol, "not the JSON of this dialect"), End::kKeepOpen, false},
      {"whole_cut", "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"choi",
       not_streamed(Outcome::kTruncated, "the server closed the connection within its answer"),
       End::kClose, false},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (std::vector<Case> some : {framing(), http(), meaning(), errors(), whole_answers()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

measure::RequestLog played(const Case& one, std::size_t piece) {
  ScriptedServer server({{one.bytes, one.end, piece}});
  Target target = target_at(server.url());
  target.auth = platform::bearer(base::Secret(kKey));
  Planned plan = plan_of(1);
  plan->stream = one.stream;
  Collected sink;
  Engine engine(target, *plan);
  EXPECT_TRUE(engine.run(sink));
  return sink.logs.empty() ? measure::RequestLog{} : sink.logs.front();
}

class Answers : public testing::TestWithParam<Case> {};

TEST_P(Answers, are_judged_the_same_however_they_are_cut) {
  const Case& one = GetParam();
  // A large answer takes too long a byte at a time.
  const std::size_t small = one.bytes.size() > 20'000 ? 997 : 1;
  for (const std::size_t piece : {one.bytes.size() + 1, small}) {
    SCOPED_TRACE(piece);
    const measure::RequestLog log = played(one, piece);
    EXPECT_EQ(measure::name_of(log.outcome), measure::name_of(one.expected.outcome));
    EXPECT_THAT(log.failure, testing::HasSubstr(one.expected.failure));
    EXPECT_EQ(log.failure.empty(), log.outcome == Outcome::kCompleted);
    EXPECT_THAT(log.failure, testing::Not(testing::HasSubstr("sk-")));
    EXPECT_EQ(letters(log), one.expected.kinds);
    EXPECT_EQ(log.output_tokens, one.expected.output_tokens);
    EXPECT_EQ(measure::name_of(log.token_source), measure::name_of(one.expected.source));
    EXPECT_EQ(log.http_status, one.expected.status);
    EXPECT_EQ(log.streamed, one.expected.streamed);
    const measure::RequestMetrics metrics = measure::metrics_of(log);
    const bool has_ttft = log.outcome == Outcome::kCompleted && log.streamed;
    EXPECT_EQ(metrics.ttft.has_value(), has_ttft);
    EXPECT_EQ(metrics.e2e.has_value(), log.outcome == Outcome::kCompleted);
  }
}

INSTANTIATE_TEST_SUITE_P(all, Answers, testing::ValuesIn(all_cases()),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace steelyard::load
