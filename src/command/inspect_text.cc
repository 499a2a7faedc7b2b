#include "command/inspect_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/table.h"

namespace steelyard::command {

std::string describe_line(std::string_view name, std::string_view value) {
  return fmt::format("{:<19}{}\n", name, value);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kWidth = 60;
  std::string one;
  for (const char c : base::valid_utf8(text)) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7F';
    one += control ? ' ' : c;
  }
  return fmt::format("\"{}\"", base::shorten(one, kWidth));
}

namespace {

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? fmt::format("{}", *count) : "unknown";
}

std::string usage_text(const std::optional<platform::Usage>& usage) {
  if (!usage) {
    return "none given";
  }
  return fmt::format("input {}, output {}, cached input {}, reasoning {}",
                     count_text(usage->input_tokens), count_text(usage->output_tokens),
                     count_text(usage->cached_input_tokens), count_text(usage->reasoning_tokens));
}

std::int64_t token_chunks(const StreamFacts& facts) {
  return std::ranges::count_if(facts.log.chunks, [](const measure::ChunkEvent& chunk) {
    return chunk.kind == measure::ChunkKind::kContent ||
           chunk.kind == measure::ChunkKind::kReasoning ||
           chunk.kind == measure::ChunkKind::kToolCall;
  });
}

std::string tokens_text(const StreamFacts& facts) {
  if (!facts.output_tokens) {
    return "unknown";
  }
  std::string text = fmt::format("{}, from {}", *facts.output_tokens, name_of(facts.origin));
  const std::int64_t chunks = token_chunks(facts);
  if (facts.origin == TokenOrigin::kChunks) {
    text += ": at least so many, as a chunk may hold several";
  } else if (chunks > 0) {
    text += fmt::format(", {} a chunk", base::without_trailing_zeros(fmt::format(
                                            "{:.2f}", static_cast<double>(*facts.output_tokens) /
                                                          static_cast<double>(chunks))));
  }
  return text;
}

std::string framing_text(const StreamFacts& facts) {
  const bool within = facts.inner != Shape::kWhole;
  return fmt::format("{}{}{}", name_of(facts.framing), within ? " of " : "",
                     within ? name_of(facts.inner) : "");
}

std::string dialect_text(const StreamFacts& facts) {
  return fmt::format("{}{}", facts.dialect->name,
                     facts.recognised ? ""
                     : facts.told     ? " (as told)"
                                      : " (taken for it: nothing in it says which)");
}

std::string end_text(const StreamFacts& facts) {
  std::string reason = facts.finished ? "yes" : "no";
  if (!facts.finish_reason.empty()) {
    reason = in_quotes(facts.finish_reason);
  }
  return fmt::format("finish_reason {}, [DONE] {}{}", reason, facts.done ? "yes" : "no",
                     facts.cut_short ? ", the last event was cut short" : "");
}

std::string text_text(const StreamFacts& facts) {
  std::string text = facts.content.empty() ? "none" : in_quotes(facts.content);
  text += fmt::format(", {} bytes", facts.content.size());
  if (!facts.reasoning.empty()) {
    text += fmt::format(", after {} of reasoning", facts.reasoning.size());
  }
  return text;
}

measure::RequestLog completed_log(const StreamFacts& facts) {
  measure::RequestLog log = facts.log;
  log.outcome = measure::Outcome::kCompleted;  // what a tool would see of it all the same
  return log;
}

// "event 1 vllm, evalscope; event 2 sglang": tools by the event that each takes for the first.
std::string ttft_text(const StreamFacts& facts) {
  const measure::RequestLog log = completed_log(facts);
  std::vector<std::pair<std::int64_t, std::string>> by_event;
  for (const measure::ToolDefinition& tool : measure::tool_definitions()) {
    const std::int64_t at = measure::metrics_by(tool, log).ttft.value_or(0);
    auto found = std::ranges::find(by_event, at, &std::pair<std::int64_t, std::string>::first);
    if (found == by_event.end()) {
      by_event.emplace_back(at, tool.name);
    } else {
      found->second += fmt::format(", {}", tool.name);
    }
  }
  if (by_event.size() == 1 && by_event.front().first != 0) {
    return fmt::format("event {}, by every tool that is known", by_event.front().first);
  }
  std::ranges::sort(by_event);
  std::string text;
  for (const auto& [event, names] : by_event) {
    text += text.empty() ? "" : "\n                   ";
    text +=
        event == 0 ? fmt::format("never: {}", names) : fmt::format("event {}: {}", event, names);
  }
  return text;
}

std::string server_text(const platform::ServerTimes& server) {
  std::string text;
  const auto add = [&](std::string_view name, const std::optional<base::Nanos>& time) {
    if (time) {
      text += fmt::format("{}{} {:.4g} ms", text.empty() ? "" : ", ", name,
                          static_cast<double>(*time) / base::kMillisecond);
    }
  };
  add("queue", server.queue);
  add("load", server.load);
  add("prefill", server.prefill);
  add("decode", server.decode);
  add("whole", server.execute);
  return text;
}

}  // namespace

std::string describe(const StreamFacts& facts) {
  const bool streamed = facts.framing != Shape::kWhole;
  std::string text = describe_line("verdict", verdict(facts));
  if (!facts.error.empty()) {
    text += describe_line("server's words", in_quotes(facts.error));
  }
  if (facts.http_status != 0) {
    text += describe_line("status", fmt::format("HTTP {}", facts.http_status));
  }
  text += describe_line("dialect", dialect_text(facts));
  text += describe_line("framing", framing_text(facts));
  if (streamed) {
    text += describe_line("events", fmt::format("{}", facts.events.size()));
    text += describe_line("first token",
                          facts.first_token_event
                              ? fmt::format("event {} (TTFT ends here)", *facts.first_token_event)
                              : "none");
    text += describe_line(
        "chunks", fmt::format("{} content, {} reasoning, {} tool call, {} without a token",
                              facts.content_chunks, facts.reasoning_chunks, facts.tool_call_chunks,
                              facts.empty_chunks));
    text += describe_line("malformed events", fmt::format("{}", facts.malformed));
  }
  text += describe_line("usage", usage_text(facts.usage));
  text += describe_line("output tokens", tokens_text(facts));
  text += describe_line("end", end_text(facts));
  text += describe_line("text", text_text(facts));
  if (const std::string times = server_text(facts.server); !times.empty()) {
    text += describe_line("server's times", times);
  }
  if (!facts.broken.empty()) {
    text += describe_line("unread", fmt::format("the rest: {}", facts.broken));
  }
  if (streamed && facts.first_token_event) {
    text += describe_line("TTFT elsewhere", ttft_text(facts));
  }
  return text;
}

std::string describe_events(const StreamFacts& facts) {
  report::Table table({{"event"},
                       {"name", base::Align::kLeft},
                       {"what", base::Align::kLeft},
                       {"tokens"},
                       {"text", base::Align::kLeft}});
  for (std::size_t i = 0; i < facts.events.size(); ++i) {
    const InspectedEvent& event = facts.events[i];
    std::string text = event.text.empty() ? "" : in_quotes(event.text);
    if (!event.finish_reason.empty()) {
      text += fmt::format("{}finish_reason {}", text.empty() ? "" : ", ",
                          in_quotes(event.finish_reason));
    }
    if (event.usage) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", usage_text(event.usage));
    }
    table.add({fmt::format("{}", i + 1), base::shorten(event.type, 40), std::string(event.what),
               event.tokens == 0 ? "" : fmt::format("{}", event.tokens), text});
  }
  return "\n" + table.to_text();
}

std::string describe_by(std::span<const measure::ToolDefinition* const> tools,
                        const StreamFacts& facts) {
  std::string text;
  const measure::RequestLog log = completed_log(facts);
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
