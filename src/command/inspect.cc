#include "command/inspect.h"

#include <fmt/format.h>

#include "base/text.h"
#include "load/stream_log.h"
#include "measure/stream_state.h"
#include "wire/sse.h"

namespace steelyard::command {
namespace {

using platform::AnswerEvent;

void count_tokens(const AnswerEvent& event, StreamFacts& facts) {
  facts.known = facts.known || event.known;
  if (!event.bears_tokens()) {
    ++facts.role_or_empty_chunks;
    return;
  }
  if (!facts.first_token_event) {
    facts.first_token_event = facts.events;
  }
  facts.content_chunks += event.content.empty() ? 0 : 1;
  facts.reasoning_chunks += event.reasoning.empty() ? 0 : 1;
  facts.tool_call_chunks += event.has_tool_call ? 1 : 0;
}

void count_event(const AnswerEvent& event, StreamFacts& facts) {
  ++facts.events;
  switch (event.kind) {
    case AnswerEvent::Kind::kDone:
      facts.done = true;
      return;
    case AnswerEvent::Kind::kMalformed:
      ++facts.malformed;
      return;
    case AnswerEvent::Kind::kError:
      facts.error = base::valid_utf8(event.error);
      return;
    case AnswerEvent::Kind::kChunk:
      break;
  }
  count_tokens(event, facts);
  facts.finished = facts.finished || event.finished;
  facts.usage = event.usage ? event.usage : facts.usage;
}

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? fmt::format("{}", *count) : "unknown";
}

std::string usage_text(const std::optional<platform::Usage>& usage) {
  if (!usage) {
    return "none given: the output length is unknown";
  }
  return fmt::format("input {}, output {}, cached input {}, reasoning {}",
                     count_text(usage->input_tokens), count_text(usage->output_tokens),
                     count_text(usage->cached_input_tokens), count_text(usage->reasoning_tokens));
}

}  // namespace

base::Result<StreamFacts> inspect_stream(const std::string& name, std::string_view body) {
  StreamFacts facts;
  wire::SseParser parser;
  platform::OpenAiReader reader;
  load::StreamLog stream;
  const auto take = [&](const wire::SseEvent& event) {
    const AnswerEvent read = reader.read(event.type, event.data);
    count_event(read, facts);
    stream.take(read, facts.events, facts.log);
  };
  if (!parser.feed(body, take)) {
    return base::bad_input(name, "an event is longer than 64 MiB", "the body of a token stream");
  }
  const std::int64_t malformed = facts.malformed;
  facts.cut_short = parser.finish(take);
  // What is left of an event is no fault of the server's JSON.
  facts.torn = facts.malformed > malformed;
  facts.malformed = malformed;
  stream.finish(facts.log);
  facts.log.end_at = facts.events;
  if (facts.events == 0) {
    return base::bad_input(name, "no server-sent event in it",
                           "the body of a stream, lines that begin with \"data:\"");
  }
  return facts;
}

namespace {

measure::StreamState state_of(const StreamFacts& facts) {
  measure::StreamState state;
  state.error = facts.error.has_value();
  state.malformed = facts.malformed > 0;
  state.events = facts.role_or_empty_chunks > 0 || facts.first_token_event.has_value();
  state.known = facts.known;
  state.token = facts.first_token_event.has_value();
  state.finished = facts.finished;
  state.done = facts.done;
  state.torn = facts.torn;
  return state;
}

}  // namespace

std::string verdict(const StreamFacts& facts) {
  const std::string_view reason = measure::reason_of(state_of(facts));
  return reason.empty() ? "completed" : fmt::format("failed: {}", reason);
}

std::string describe(const StreamFacts& facts) {
  std::string text = fmt::format("verdict            {}\n", verdict(facts));
  if (facts.error) {
    text += fmt::format("server's words     {}\n", *facts.error);
  }
  text += fmt::format("events             {}\n", facts.events);
  text += fmt::format("first token        {}\n",
                      facts.first_token_event
                          ? fmt::format("event {} (TTFT ends here)", *facts.first_token_event)
                          : "none");
  text +=
      fmt::format("chunks             {} content, {} reasoning, {} tool call, {} without a token\n",
                  facts.content_chunks, facts.reasoning_chunks, facts.tool_call_chunks,
                  facts.role_or_empty_chunks);
  text += fmt::format("malformed events   {}\n", facts.malformed);
  text += fmt::format("usage              {}\n", usage_text(facts.usage));
  text += fmt::format("end                finish_reason {}, [DONE] {}{}\n",
                      facts.finished ? "yes" : "no", facts.done ? "yes" : "no",
                      facts.cut_short ? ", the last event was cut short" : "");
  return text;
}

std::string describe_by(std::span<const measure::ToolDefinition* const> tools,
                        const StreamFacts& facts) {
  std::string text;
  measure::RequestLog log = facts.log;
  log.outcome = measure::Outcome::kCompleted;  // what a tool would see of it all the same
  for (const measure::ToolDefinition* tool : tools) {
    const measure::ToolMetrics metrics = measure::metrics_by(*tool, log);
    const measure::ToolWords words = measure::words_of(*tool);
    measure::ToolFigures figures(*tool, {});
    figures.add(log);
    const auto event = [](const std::optional<base::Nanos>& at) {
      return at ? fmt::format("event {}", *at) : "never";
    };
    const bool byte = tool->end == measure::ToolDefinition::End::kLastByte;
    text += fmt::format("\n{} {}\n", tool->name, tool->version);
    text += fmt::format("  TTFT to {} (first {})\n", event(metrics.ttft), words.ttft);
    text += fmt::format("  E2E  to {} (last {})\n", byte ? "the last byte" : event(metrics.e2e),
                        words.e2e);
    text += fmt::format("  TPOT {}\n", words.tpot);
    text += fmt::format("  ITL  {} samples ({})\n", figures.itl().count(), words.itl);
  }
  return text;
}

}  // namespace steelyard::command
