#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "command/inspect_text.h"
#include "command/probe.h"

namespace steelyard::command {
namespace {

using base::Json;

std::string names_of(const std::vector<ProbedField>& fields) {
  std::string names;
  for (const ProbedField& field : fields) {
    if (!field.refused) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", field.name);
    }
  }
  return names.empty() ? "none" : names;
}

std::string length_text(const ProbeFacts& facts) {
  if (!facts.length_held) {
    return "not known";
  }
  const std::int64_t came = facts.answer.output_tokens.value_or(0);
  const std::string counts = fmt::format("{} tokens asked for, {} came", facts.asked_tokens, came);
  const bool asked = std::ranges::any_of(facts.fields, [](const ProbedField& field) {
    return !field.refused && (field.name.find("ignore_eos") != std::string::npos ||
                              field.name.find("min_") != std::string::npos);
  });
  return fmt::format("{}: {}{}", *facts.length_held ? "can be held" : "cannot be held", counts,
                     asked ? "" : ", and no field that would hold it was taken");
}

std::string refused_text(const std::vector<ProbedField>& fields) {
  std::string text;
  for (const ProbedField& field : fields) {
    if (field.refused) {
      text += describe_line(text.empty() ? "fields refused" : "",
                            fmt::format("{}: {}", field.name, in_quotes(field.words)));
    }
  }
  return text.empty() ? describe_line("fields refused", "none") : text;
}

}  // namespace

std::string describe(const ProbeFacts& facts) {
  std::string text = describe_line("asked", facts.address);
  text += describe_line("requests", fmt::format("{}", facts.requests));
  if (facts.emulated) {
    text += describe_line("emulated", "yes: no platform's figures");
  }
  text += describe_line("content type",
                        facts.content_type.empty() ? "none given" : in_quotes(facts.content_type));
  text += describe_line("fields taken", names_of(facts.fields));
  text += refused_text(facts.fields);
  text += describe_line("usage stands", words_of(facts.usage));
  text += describe_line("output length", length_text(facts));
  if (facts.tokens_a_chunk) {
    text +=
        describe_line("tokens a chunk",
                      base::without_trailing_zeros(fmt::format("{:.2f}", *facts.tokens_a_chunk)));
  }
  if (!facts.answer.events.empty()) {
    text += describe_line("reads",
                          fmt::format("{} for {} events", facts.reads, facts.answer.events.size()));
  }
  return text + "\n" + describe(facts.answer);
}

Json probe_json(const ProbeFacts& facts) {
  Json fields = Json::array();
  for (const ProbedField& field : facts.fields) {
    fields.push_back({{"name", field.name},
                      {"refused", field.refused},
                      {"words", field.words.empty() ? Json() : Json(field.words)}});
  }
  return {{"schema_version", 1},
          {"address", facts.address},
          {"model", facts.model.empty() ? Json() : Json(base::valid_utf8(facts.model))},
          {"asked_dialect", facts.asked->name},
          {"requests", facts.requests},
          {"emulated", facts.emulated},
          {"content_type", facts.content_type.empty() ? Json() : Json(facts.content_type)},
          {"fields", fields},
          {"usage_stands", words_of(facts.usage)},
          {"asked_tokens", facts.asked_tokens},
          {"length_held", facts.length_held ? Json(*facts.length_held) : Json()},
          {"tokens_a_chunk", facts.tokens_a_chunk ? Json(*facts.tokens_a_chunk) : Json()},
          {"reads", facts.reads},
          {"answer", inspect_json(facts.address, facts.answer)}};
}

}  // namespace steelyard::command
