// How one kind of server is asked for tokens and how it gives them: its path, its body, its events.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "platform/body_template.h"
#include "platform/call.h"
#include "platform/event_reader.h"
#include "wire/url.h"

namespace steelyard::platform {

struct Dialect;
extern const Dialect kOpenAiChat;  // the one that most platforms speak

// What every request of a run has in common.
struct RequestOptions {
  const Dialect* dialect = &kOpenAiChat;  // a constant, never null
  std::string model;
  bool stream = true;
  bool ask_usage = true;          // where the dialect has to be asked
  bool ignore_eos = false;        // go on to the limit, where the dialect can be told
  bool completion_limit = false;  // OpenAI's newer name: max_completion_tokens, not max_tokens
  std::optional<double> temperature;
  std::string extra_body;   // a JSON object, whose keys win; "" for none
  std::string api_version;  // of Azure OpenAI; "" for the last that is no preview
};

// What says that a stream is whole.
enum class StreamEnd : std::uint8_t {
  kDoneOrFinish,  // [DONE], or an event with the reason why the answer ends
  kBytes,         // nothing but the end of the message
};

struct Dialect {
  std::string_view name;
  StreamEnd end;
  PromptForm prompt;
  // Under a base URL; with the model in it where the dialect puts it there.
  std::string (*path)(const RequestOptions& options);
  // With kPromptMark and kLimitMark where those go; the extra body is not in it yet.
  base::Json (*body)(const RequestOptions& options);
  std::unique_ptr<EventReader> (*make_reader)();
  bool takes_ignore_eos;  // else the output length cannot be fixed
  // Where a request takes more than one exchange; else null.
  std::unique_ptr<Call> (*make_call)(const RequestOptions& options) = nullptr;
};

// A body's template, with the extra body's keys in the place of ours: an object in it replaces the
// keys that it has of one of ours, and no others.
[[nodiscard]] BodyTemplate body_template(const RequestOptions& options);

// Then the model must be known before anything is asked.
[[nodiscard]] bool names_model_in_path(const Dialect& dialect);

// `ignore_eos` that the dialect cannot say is bad input; `where` names it.
[[nodiscard]] base::Status check_ignore_eos(const std::string& where,
                                            const RequestOptions& options);
// `extra_body` that is no JSON object is bad input; `where` names it.
[[nodiscard]] base::Status check_extra_body(const std::string& where, const std::string& text);

// A path of ours put after a base URL's own, which may end in /v1 already, as the OpenAI SDK wants
// it.
[[nodiscard]] std::string path_under(const wire::Url& base_url, std::string_view path);

}  // namespace steelyard::platform
