#include "command/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "load/message.h"
#include "platform/emulated.h"
#include "platform/recognise.h"
#include "wire/fetch.h"

namespace steelyard::command {
namespace {

using base::Json;

constexpr std::int64_t kTokens = 32;
// Its natural answer is shorter than kTokens: what is longer was held to it.
constexpr std::string_view kPrompt = "Answer with the single word yes.";
constexpr int kMostRequests = 16;

// What a benchmark might send beside the prompt and the limit. `value` "limit" stands for kTokens.
struct FieldOf {
  std::string_view dialect;
  std::string_view name;
  std::string_view value;
  bool holds_length = false;
};
constexpr std::array<FieldOf, 22> kFields = {{
    {"openai-chat", "stream_options.include_usage", "true"},
    {"openai-chat", "ignore_eos", "true", true},
    {"openai-chat", "min_tokens", "limit", true},
    {"openai-chat", "return_token_ids", "true"},
    {"openai-chat", "seed", "1"},
    {"openai-chat", "temperature", "0"},
    {"openai", "stream_options.include_usage", "true"},
    {"openai", "ignore_eos", "true", true},
    {"openai", "min_tokens", "limit", true},
    {"openai", "return_token_ids", "true"},
    {"openai", "seed", "1"},
    {"openai", "temperature", "0"},
    {"sglang", "sampling_params.ignore_eos", "true", true},
    {"sglang", "sampling_params.min_new_tokens", "limit", true},
    {"llama.cpp", "ignore_eos", "true", true},
    {"llama.cpp", "return_tokens", "true"},
    {"llama.cpp", "seed", "1"},
    {"tgi", "parameters.seed", "1"},
    {"ollama", "options.seed", "1"},
    {"triton", "parameters.ignore_eos", "true", true},
    {"triton", "parameters.min_tokens", "limit", true},
    {"triton-trtllm", "min_length", "limit", true},
}};

using FieldSet = std::vector<const FieldOf*>;

FieldSet fields_of(const platform::Dialect& dialect) {
  FieldSet fields;
  for (const FieldOf& field : kFields) {
    if (field.dialect == dialect.name) {
      fields.push_back(&field);
    }
  }
  return fields;
}

Json extra_of(const FieldSet& fields) {
  Json extra = Json::object();
  for (const FieldOf* field : fields) {
    Json* at = &extra;
    for (const std::string_view part : base::split(field->name, '.')) {
      at = &(*at)[std::string(part)];
    }
    *at = field->value == "limit" ? Json(kTokens) : base::parse_json(field->value).value();
  }
  return extra;
}

// Whether `words` have `name` in them as a word of its own.
bool names(std::string_view words, std::string_view name) {
  const auto inside = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = words.find(name); at != std::string_view::npos;
       at = words.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !inside(words[at - 1])) && (end == words.size() || !inside(words[end]))) {
      return true;
    }
  }
  return false;
}

// "stream_options.include_usage" is named by either of its parts, the common ones of a dialect's
// own objects (parameters, options) by the last alone.
bool names_field(std::string_view words, const FieldOf& field) {
  const std::size_t dot = field.name.rfind('.');
  const std::string_view last =
      dot == std::string_view::npos ? field.name : field.name.substr(dot + 1);
  return names(words, last) ||
         (field.name.starts_with("stream_options.") && names(words, "stream_options"));
}

class Prober {
 public:
  Prober(const load::Target& target, const platform::RequestOptions& request)
      : target_(target), request_(request) {
    request_.ask_usage = false;  // it is one of the fields
    request_.ignore_eos = false;
    given_ =
        request.extra_body.empty() ? Json::object() : base::parse_json(request.extra_body).value();
  }

  base::Result<ProbeFacts> run() {
    FieldSet left = fields_of(*request_.dialect);
    for (;;) {
      auto refused = refuses(left);
      if (!refused) {
        return tl::unexpected(refused.error());
      }
      if (!*refused || facts_.requests >= kMostRequests || !adapt(left)) {
        break;
      }
    }
    return unreachable_ ? base::Result<ProbeFacts>(tl::unexpected(*unreachable_)) : conclude(left);
  }

 private:
  // Whether the request is refused for what it says: with these fields.
  base::Result<bool> refuses(const FieldSet& fields) {
    return ask(fields).map([&] { return last_.status == 400 || last_.status == 422; });
  }

  base::Status ask(const FieldSet& fields) {
    ++facts_.requests;
    platform::RequestOptions options = request_;
    Json extra = extra_of(fields);
    extra.merge_patch(given_);
    options.extra_body = extra.empty() ? "" : base::dump_json(extra);
    std::string body;
    platform::body_template(options).write({}, kPrompt, kTokens, body);
    return load::fields_beside(target_, {"POST", target_.path, body})
        .and_then([&](wire::Fields all) {
          all.emplace_back("Content-Type", "application/json");
          all.emplace_back("Accept", options.stream ? "text/event-stream, application/json"
                                                    : "application/json");
          return wire::fetch(target_.url, {target_.path, all, "POST", body},
                             {target_.tls, target_.request_timeout, nullptr, target_.proxy});
        })
        .map([&](wire::Fetched answer) { last_ = std::move(answer); });
  }

  // After a refusal: takes out of `left` what it is for. False: nothing is left to try.
  bool adapt(FieldSet& left) {
    const std::string words = refusal_words();
    if (!request_.completion_limit && names(words, "max_completion_tokens")) {
      request_.completion_limit = true;
      facts_.fields.push_back({"max_tokens", true, words});
      return true;
    }
    FieldSet named;
    std::ranges::copy_if(left, std::back_inserter(named),
                         [&](const FieldOf* field) { return names_field(words, *field); });
    if (named.empty() && request_.stream && names(words, "stream")) {
      request_.stream = false;
      facts_.fields.push_back({"stream", true, words});
      return true;
    }
    if (named.empty() && !left.empty()) {
      named = isolate(left);
    }
    for (const FieldOf* field : named) {
      std::erase(left, field);
      facts_.fields.push_back({std::string(field->name), true, words});
    }
    return !named.empty();
  }

  // One of `left` that is refused by itself; none: the request is refused without them too.
  FieldSet isolate(const FieldSet& left) {
    const wire::Fetched refusal = last_;
    auto without = refuses({});
    if (!without || *without) {
      keep(without);
      return {};
    }
    FieldSet suspects = left;
    while (suspects.size() > 1 && facts_.requests < kMostRequests) {
      const auto middle = suspects.begin() + static_cast<std::ptrdiff_t>(suspects.size() / 2);
      const FieldSet first(suspects.begin(), middle);
      const auto refused = refuses(first);
      if (!refused) {
        keep(refused);
        return {};
      }
      suspects = *refused ? first : FieldSet(middle, suspects.end());
    }
    last_ = refusal;
    return suspects;
  }

  void keep(const base::Result<bool>& failed) {
    if (!failed) {
      unreachable_ = failed.error();
    }
  }

  [[nodiscard]] std::string refusal_words() const {
    const auto reader = request_.dialect->make_reader();
    const platform::AnswerEvent event = reader->read_whole(last_.body);
    const bool told = event.kind == platform::AnswerEvent::Kind::kError;
    const std::string_view words = told ? event.error : std::string_view(last_.body);
    return base::valid_utf8(words.substr(0, 500));
  }

  base::Result<ProbeFacts> conclude(const FieldSet& left) {
    facts_.address = target_.url.to_text() + target_.path;
    facts_.model = request_.model;
    facts_.asked = request_.dialect;
    facts_.asked_tokens = kTokens;
    facts_.content_type = base::valid_utf8(last_.head.field("content-type"));
    facts_.emulated = !last_.head.field(platform::kEmulatedField).empty();
    facts_.reads = last_.reads;
    return decoded().map([&](StreamFacts answer) {
      facts_.answer = std::move(answer);
      if (facts_.answer.http_status < 400) {
        for (const FieldOf* field : left) {
          facts_.fields.push_back({std::string(field->name), false, ""});
        }
      }
      weigh(left);
      return std::move(facts_);
    });
  }

  // As it was asked for; where that reader knows nothing of it, as what it is.
  base::Result<StreamFacts> decoded() {
    std::string bytes = fmt::format("HTTP/1.1 {}\r\n\r\n", last_.status);
    bytes += last_.body;
    if (last_.body.empty()) {
      StreamFacts nothing;
      nothing.http_status = last_.status;
      nothing.dialect = request_.dialect;
      nothing.told = true;
      nothing.log.outcome = measure::Outcome::kRefused;
      nothing.failure = fmt::format("HTTP {} and no body", last_.status);
      return nothing;
    }
    auto told = inspect_stream(facts_.address, bytes, request_.dialect);
    if (told && told->log.outcome == measure::Outcome::kProtocol) {
      auto found = inspect_stream(facts_.address, bytes);
      if (found && found->recognised) {
        return found;
      }
    }
    if (!told) {  // HTTP 200 and a page, say
      told.error().code = base::ErrorCode::kEnvironment;
    }
    if (told && last_.status < 400) {
      told->recognised = true;
    }
    return told;
  }

  void weigh(const FieldSet& left) {
    const StreamFacts& answer = facts_.answer;
    facts_.usage = usage_place(answer);
    const std::int64_t chunks =
        answer.content_chunks + answer.reasoning_chunks + answer.tool_call_chunks;
    if (answer.output_tokens && chunks > 0 && answer.origin != TokenOrigin::kChunks) {
      facts_.tokens_a_chunk =
          static_cast<double>(*answer.output_tokens) / static_cast<double>(chunks);
    }
    if (!answer.failure.empty() || !answer.output_tokens ||
        answer.origin == TokenOrigin::kEstimated) {
      return;
    }
    const bool asked = std::ranges::any_of(left, &FieldOf::holds_length);
    facts_.length_held = asked && *answer.output_tokens == kTokens;
  }

  static UsagePlace usage_place(const StreamFacts& answer) {
    if (!answer.usage) {
      return UsagePlace::kNone;
    }
    std::size_t with_usage = 0;
    std::size_t with_tokens = 0;
    std::size_t both = 0;
    const InspectedEvent* last = nullptr;
    for (const InspectedEvent& event : answer.events) {
      const bool tokens =
          event.what == "content" || event.what == "reasoning" || event.what == "tool call";
      // Anthropic's first event counts the input alone.
      const bool usage = event.usage && event.usage->output_tokens;
      with_usage += usage ? 1 : 0;
      with_tokens += tokens ? 1 : 0;
      both += usage && tokens ? 1 : 0;
      last = usage ? &event : last;
    }
    if (last == nullptr) {
      return answer.events.empty() ? UsagePlace::kWhole : UsagePlace::kNone;
    }
    if (with_tokens > 1 && both == with_tokens) {
      return UsagePlace::kEveryEvent;
    }
    return !last->finish_reason.empty() ? UsagePlace::kWithFinish
           : both > 0                   ? UsagePlace::kWithTokens
                                        : UsagePlace::kOwnEvent;
  }

  const load::Target& target_;
  platform::RequestOptions request_;
  Json given_;  // the user's own fields, which are always sent
  wire::Fetched last_;
  std::optional<base::Error> unreachable_;  // meanwhile
  ProbeFacts facts_;
};

}  // namespace

std::string_view words_of(UsagePlace place) {
  switch (place) {
    case UsagePlace::kEveryEvent:
      return "in every event with tokens";
    case UsagePlace::kOwnEvent:
      return "in an event of its own, after the last token";
    case UsagePlace::kWithFinish:
      return "in the event with the finish reason";
    case UsagePlace::kWithTokens:
      return "in the last event with tokens";
    case UsagePlace::kWhole:
      return "in the answer";
    case UsagePlace::kNone:
      break;
  }
  return "none given";
}

base::Result<ProbeFacts> probe(const load::Target& target,
                               const platform::RequestOptions& request) {
  if (request.dialect->make_call != nullptr) {
    return base::bad_input("--platform", "a request there takes more than one exchange",
                           "bench, which follows them");
  }
  return Prober(target, request).run();
}

}  // namespace steelyard::command
