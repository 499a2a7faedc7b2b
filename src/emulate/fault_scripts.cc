#include "emulate/fault_scripts.h"

#include <algorithm>

#include "emulate/script_text.h"

namespace steelyard::emulate {
namespace {

using namespace script;  // the words of the table below, and nothing else
using End = FaultScript::End;
using measure::Outcome;
using Scripts = std::vector<FaultScript>;

const std::string kHello = content("Hel") + content("lo") + ending(2);
const std::string kErrorObject = R"({"error":{"message":"engine died","type":"server_error"}})";

Pieces many(int tokens) {
  Pieces pieces;
  for (int i = 0; i < tokens; ++i) {
    pieces.push_back({content(" tok"), 1});
  }
  return pieces;
}

Scripts framing() {
  return {
      {"crlf-coalesced", "CRLF line ends, the whole answer in one chunk: 2 tokens",
       stream({{with_line_ends(kHello, "\r\n"), 2}})},
      {"crlf", "CRLF line ends, an event a chunk: 2 tokens",
       stream({{with_line_ends(content("Hel"), "\r\n"), 1},
               {with_line_ends(content("lo"), "\r\n"), 1},
               {with_line_ends(ending(2), "\r\n")}})},
      {"bare-cr", "a lone CR ends the lines, which is SSE too: 2 tokens",
       stream({{with_line_ends(kHello, "\r"), 2}})},
      {"mixed-line-ends", "CR, CRLF and LF in one answer: 2 tokens",
       stream({{with_line_ends(content("Hel"), "\r") + with_line_ends(content("lo"), "\r\n") +
                    ending(2),
                2}})},
      {"no-space", "no space after 'data:': 1 token",
       stream({{"data:" + content("Hi").substr(6), 1}, {ending(1)}})},
      {"cut-after-colon", "the chunk ends between 'data:' and its space: 1 token",
       stream({{"data:"}, {content("Hi").substr(5), 1}, {ending(1)}})},
      {"cut-before-space", "the chunk ends before a space of the text: 'hello world'",
       stream({{R"(data: {"choices":[{"index":0,"delta":{"content":"hello)"},
               {" world\"}}]}\n\n", 1},
               {ending(1)}})},
      {"cut-in-character", "a UTF-8 character comes in two chunks: one whole character",
       stream({{"data: {\"choices\":[{\"delta\":{\"content\":\"\xE4"},
               {"\xB8\xAD\"}}]}\n\n", 1},
               {ending(1)}})},
      {"not-utf8", "a byte that is no UTF-8: replaced, and the request does not fail",
       stream({{content("\xE4"), 1}, {ending(1)}})},
      {"comments", "keep-alive comments before and between tokens: none is a first token",
       stream({{": keep-alive\n\n"},
               {": ping\n" + content("a"), 1},
               {": keep-alive\n\n"},
               {content("b") + ending(2), 1}})},
      {"several-data-lines", "one event's JSON over two data lines: 1 token",
       stream({{"data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n", 1},
               {ending(1)}})},
      {"bom", "a byte order mark before the first event: 2 tokens",
       stream({{"\xEF\xBB\xBF" + kHello, 2}})},
      {"empty-data", "data lines with nothing in them: 2 tokens",
       stream({{"data:\n\ndata\n\n"}, {kHello + "data: \n\n", 2}})},
      {"other-fields", "id, event and retry lines: 2 tokens",
       stream({{"id: 1\nretry: 10\nevent: message\n" + kHello, 2}})},
      {"large-event", "one event of 80 kB: 1 token",
       stream({{content(std::string(80'000, 'x')), 1}, {ending(1)}})},
      {"no-blank-line-after-done", "the connection closes right after [DONE]: 1 token, complete",
       until_close({{content("a"), 1}, {finish() + "data: [DONE]"}}), End::kClose},
      {"no-blank-line-after-content", "the connection closes after an event without its blank line",
       until_close({{content("a"), 1}, {R"(data: {"choices":[{"delta":{"content":"b"}}]})", 1}}),
       End::kClose, Outcome::kTruncated},
      {"until-close", "no length and no chunks: the body ends with the connection",
       until_close({{content("a"), 1}, {content("b"), 1}, {ending(2)}}), End::kClose},
      {"chunk-extensions",
       "chunk extensions and a trailer: 2 tokens",
       {{kChunkedHead +
             fmt::format("{:X};a=b\r\n{}\r\n0\r\nX-Cost: 1\r\n\r\n", kHello.size(), kHello),
         2}}},
      {"interim-answers",
       "100 Continue and 103 Early Hints first: 2 tokens",
       {{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"},
        {kChunkedHead + chunk(kHello) + kEndOfMessage, 2}}},
      {"closed-after-done", "[DONE], then closed within the message: complete",
       cut_stream({{kHello, 2}}), End::kClose},
  };
}

Scripts meaning() {
  const std::string role = delta(R"("role":"assistant","content":"")");
  const auto reasoning = [](const std::string& text) {
    return delta(R"("reasoning_content":")" + text + '"');
  };
  const std::string tool =
      R"("tool_calls":[{"index":0,"function":{"name":"weigh","arguments":"{}"}}])";
  return {
      {"role-first", "a chunk with a role and no text, one ITL before the first token",
       stream({{role}, {content("Hi"), 1}, {content("!"), 1}, {ending(2)}})},
      {"null-content", "the same with content null",
       stream({{delta(R"("role":"assistant","content":null)")}, {content("Hi"), 1}, {ending(1)}})},
      {"reasoning-then-content", "5 reasoning tokens, then text: TTFT and TTFO differ",
       stream({{reasoning("a"), 1},
               {reasoning("b"), 1},
               {reasoning("c"), 1},
               {reasoning("d"), 1},
               {reasoning("e"), 1},
               {content("Hi"), 1},
               {ending(6)}})},
      {"reasoning-alias", "the other name, 'reasoning'",
       stream({{delta(R"("reasoning":"hm")"), 1}, {content("Hi"), 1}, {ending(2)}})},
      {"both-reasonings", "both names in one chunk: counted once",
       stream({{delta(R"("reasoning_content":"hm","reasoning":"hm")"), 1},
               {content("Hi"), 1},
               {ending(2)}})},
      {"reasoning-alone", "only reasoning to the end: complete, with a TTFT",
       stream({{reasoning("a"), 1}, {reasoning("b"), 1}, {ending(2)}})},
      {"tool-calls", "only a tool call: tokens by usage, with a TTFT",
       stream({{delta(tool), 9}, {ending(9)}})},
      {"late-finish", "the finish reason one ITL after the last token: no ITL sample",
       stream({{content("a"), 1}, {content("b"), 1}, {finish()}, {usage(2) + kDone}})},
      {"usage-in-every-chunk", "running usage: the last one holds",
       stream(
           {{counted("a", 1), 1}, {counted("b", 2), 1}, {counted("c", 3), 1}, {finish() + kDone}})},
      {"usage-null", "'usage': null in each chunk, and none at the end: the count is by chunks",
       stream({{event(choice(R"("delta":{"content":"a"})") + R"(,"usage":null})"), 1},
               {content("b"), 1},
               {finish() + kDone}})},
      {"usage-of-nulls", "a usage whose counts are null: unknown, not 0",
       stream({{content("a"), 1},
               {finish() +
                event(R"({"choices":[],"usage":{"prompt_tokens":7,)"
                      R"("completion_tokens":null,"completion_tokens_details":null}})") +
                kDone}})},
      {"no-usage", "no usage at all",
       stream({{content("a"), 1}, {content("b"), 1}, {finish() + kDone}})},
      {"five-tokens-a-chunk", "3 chunks of 5 tokens: ITL a fifth of the gap, usage 15",
       stream({{content(" a b c d e"), 5},
               {content(" f g h i j"), 5},
               {content(" k l m n o"), 5},
               {ending(15)}})},
      {"one-chunk", "50 tokens in one chunk: a TTFT, and no TPOT",
       stream({{content("all of it") + ending(50), 50}})},
      {"one-token", "one token: a TTFT, and no TPOT", stream({{content("a"), 1}, {ending(1)}})},
      {"ten-in-one-read", "10 events in one write: their gaps are not the server's",
       stream({{content("a") + content("b") + content("c") + content("d") + content("e") +
                    content("f") + content("g") + content("h") + content("i") + content("j"),
                10},
               {ending(10)}})},
      {"no-token", "a finish reason and [DONE] without one token: failed",
       stream({{finish() + kDone}}), End::kKeepOpen, Outcome::kNoToken},
      {"early-stop", "3 tokens and 'stop', whatever was asked for: output length mismatch",
       stream({{content("a"), 1},
               {content("b"), 1},
               {content("c"), 1},
               {event(choice(R"("delta":{},"finish_reason":"stop")") + "}") + usage(3) + kDone}})},
  };
}

Scripts errors() {
  const Pieces forty = cut_stream(many(40));
  Pieces ended = forty;
  ended.back().bytes += kEndOfMessage;
  const auto refused = [](const std::string& name, const std::string& what, std::string bytes) {
    return FaultScript{name, what, {{std::move(bytes)}}, End::kKeepOpen, Outcome::kRefused};
  };
  return {
      {"error-first", "status 200, then an error event before any token: failed",
       stream({{event(kErrorObject)}}), End::kKeepOpen, Outcome::kErrorInBand},
      {"error-after-token", "an error event after a token: failed, with the server's words",
       stream({{content("a"), 1}, {event(kErrorObject)}}), End::kKeepOpen, Outcome::kErrorInBand},
      {"error-then-done", "the same, and [DONE] after it: still failed",
       stream({{content("a"), 1}, {event(kErrorObject) + kDone}}), End::kKeepOpen,
       Outcome::kErrorInBand},
      {"error-string", "the error is a bare string", stream({{event(R"({"error":"no memory"})")}}),
       End::kKeepOpen, Outcome::kErrorInBand},
      {"error-event", "'event: error' with a message: failed",
       stream({{content("a"), 1}, {"event: error\n" + event(R"({"message":"too long"})")}}),
       End::kKeepOpen, Outcome::kErrorInBand},
      {"broken-json", "an event that is no JSON: failed",
       stream({{content("a"), 1}, {event("{broken")}}), End::kKeepOpen, Outcome::kProtocol},
      {"reset-after-40", "a connection reset (RST) after 40 tokens: failed", forty, End::kReset,
       Outcome::kTruncated},
      {"closed-after-40", "closed after 40 tokens, within the message: failed", forty, End::kClose,
       Outcome::kTruncated},
      {"ended-after-40", "the message ends well after 40 tokens, without [DONE]: failed", ended,
       End::kKeepOpen, Outcome::kTruncated},
      {"closed-before-head",
       "the connection closes without an answer",
       {{""}},
       End::kClose,
       Outcome::kConnection},
      {"reset-before-head",
       "the connection is reset without an answer",
       {{""}},
       End::kReset,
       Outcome::kConnection},
      {"rate-limited",
       "429 with Retry-After: 2",
       {{whole("429 Too Many Requests", "application/json",
               R"({"error":{"message":"slow down","type":"rate_limit_error"}})",
               "Retry-After: 2\r\n")}},
       End::kKeepOpen,
       Outcome::kRateLimited},
      refused("warming-up", "503 in plain text",
              whole("503 Service Unavailable", "text/plain", "warming up 1/2")),
      refused("no-key", "401",
              whole("401 Unauthorized", "application/json",
                    R"({"error":{"message":"Incorrect API key","type":"authentication_error"}})")),
      refused("refused-field", "400 that names a field of the request",
              whole("400 Bad Request", "application/json",
                    R"({"error":{"message":"Unsupported parameter: 'ignore_eos'",)"
                    R"("type":"invalid_request_error","param":"ignore_eos"}})")),
      refused("html-page", "502 with a proxy's HTML page",
              whole("502 Bad Gateway", "text/html", "<html><h1>502 Bad Gateway</h1></html>")),
      refused("moved", "307 to elsewhere",
              whole("307 Temporary Redirect", "text/plain", "", "Location: /v2\r\n")),
      {"plain-text",
       "text/plain where a stream was asked for: not streamed, no TTFT",
       {{whole("200 OK", "text/plain", "Hello")}},
       End::kKeepOpen,
       Outcome::kNotStreamed},
      {"json-to-a-stream",
       "the whole answer as JSON where a stream was asked for: no TTFT",
       {{whole("200 OK", "application/json",
               R"({"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":7,)"
               R"("completion_tokens":2}})")}}},
      {"gzip",
       "a compressed stream that nobody asked for: not streamed",
       {{whole("200 OK", "text/event-stream", "\x1f\x8b\x08", "Content-Encoding: gzip\r\n")}},
       End::kKeepOpen,
       Outcome::kNotStreamed},
      {"empty-stream",
       "200 and an event stream without a byte: failed",
       {{whole("200 OK", "text/event-stream", "")}},
       End::kKeepOpen,
       Outcome::kTruncated},
  };
}

Scripts all_scripts() {
  Scripts all;
  for (const Scripts& some : {framing(), meaning(), errors()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace

std::span<const FaultScript> fault_scripts() {
  static const Scripts scripts = all_scripts();
  return scripts;
}

const FaultScript* find_fault_script(std::string_view name) {
  const auto scripts = fault_scripts();
  const auto found = std::find_if(scripts.begin(), scripts.end(),
                                  [&](const FaultScript& one) { return one.name == name; });
  return found == scripts.end() ? nullptr : &*found;
}

}  // namespace steelyard::emulate
