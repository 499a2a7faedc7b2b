#include <nlohmann/json.hpp>

#include "base/text.h"
#include "command/inspect_text.h"

namespace steelyard::command {
namespace {

using base::Json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json() : Json(base::valid_utf8(text));
}

Json usage_json(const std::optional<platform::Usage>& usage) {
  if (!usage) {
    return nullptr;
  }
  return {{"input_tokens", or_null(usage->input_tokens)},
          {"output_tokens", or_null(usage->output_tokens)},
          {"cached_input_tokens", or_null(usage->cached_input_tokens)},
          {"reasoning_tokens", or_null(usage->reasoning_tokens)}};
}

Json milliseconds(const std::optional<base::Nanos>& time) {
  return time ? Json(static_cast<double>(*time) / base::kMillisecond) : Json();
}

Json server_json(const platform::ServerTimes& server) {
  return {{"queue_ms", milliseconds(server.queue)},
          {"load_ms", milliseconds(server.load)},
          {"prefill_ms", milliseconds(server.prefill)},
          {"decode_ms", milliseconds(server.decode)},
          {"execute_ms", milliseconds(server.execute)}};
}

std::string_view origin_key(TokenOrigin origin) {
  return origin == TokenOrigin::kTokenIds ? "token_ids"
         : origin == TokenOrigin::kChunks ? "chunks"
                                          : name_of(origin);
}

Json events_json(const StreamFacts& facts) {
  Json events = Json::array();
  for (std::size_t i = 0; i < facts.events.size(); ++i) {
    const InspectedEvent& event = facts.events[i];
    events.push_back({{"event", i + 1},
                      {"name", text_or_null(event.type)},
                      {"what", event.what},
                      {"text", text_or_null(event.text)},
                      {"tokens", event.tokens == 0 ? Json() : Json(event.tokens)},
                      {"finish_reason", text_or_null(event.finish_reason)},
                      {"usage", usage_json(event.usage)}});
  }
  return events;
}

// Which event each tool takes for the first token, and for the last.
Json by_tool_json(const StreamFacts& facts) {
  Json by_tool = Json::object();
  measure::RequestLog log = facts.log;
  log.outcome = measure::Outcome::kCompleted;
  for (const measure::ToolDefinition& tool : measure::tool_definitions()) {
    const measure::ToolMetrics metrics = measure::metrics_by(tool, log);
    const measure::ToolWords words = measure::words_of(tool);
    by_tool[std::string(tool.name)] = {{"version", tool.version},
                                       {"ttft_event", or_null(metrics.ttft)},
                                       {"ttft_ends_at", words.ttft},
                                       {"e2e_event", or_null(metrics.e2e)},
                                       {"e2e_ends_at", words.e2e}};
  }
  return by_tool;
}

}  // namespace

Json inspect_json(const std::string& name, const StreamFacts& facts) {
  const bool streamed = facts.framing != Shape::kWhole;
  const bool within = facts.inner != Shape::kWhole;
  return {{"schema_version", 1},
          {"file", base::valid_utf8(name)},
          {"verdict", verdict(facts)},
          {"outcome", key_of(facts.log.outcome)},
          {"error", text_or_null(facts.error)},
          {"http_status", facts.http_status == 0 ? Json() : Json(facts.http_status)},
          {"dialect", facts.dialect->name},
          {"recognised", facts.recognised},
          {"framing", key_of(facts.framing)},
          {"inner_framing", within ? Json(key_of(facts.inner)) : Json()},
          {"events", facts.events.size()},
          {"first_token_event", or_null(facts.first_token_event)},
          {"chunks",
           {{"content", facts.content_chunks},
            {"reasoning", facts.reasoning_chunks},
            {"tool_call", facts.tool_call_chunks},
            {"without_token", facts.empty_chunks}}},
          {"malformed", facts.malformed},
          {"usage", usage_json(facts.usage)},
          {"output_tokens", or_null(facts.output_tokens)},
          {"output_tokens_from", origin_key(facts.origin)},
          {"finished", facts.finished},
          {"finish_reason", text_or_null(facts.finish_reason)},
          {"end_mark", facts.done},
          {"cut_short", facts.cut_short},
          {"unread", text_or_null(facts.broken)},
          {"content", base::valid_utf8(facts.content)},
          {"reasoning", base::valid_utf8(facts.reasoning)},
          {"server", server_json(facts.server)},
          {"by_definition", streamed ? by_tool_json(facts) : Json()},
          {"event_list", events_json(facts)}};
}

}  // namespace steelyard::command
