// How the API of a platform sounds: which paths ask for tokens, what the requests look like, and
// what is said in return. One for each protocol; the server behind them is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace steelyard::emulate {

// The most that a request may ask for.
inline constexpr std::int64_t kMostOutputTokens = 1'000'000;

struct GenerationRequest {
  bool chat = false;
  std::string model;  // empty where the protocol does not name it
  bool stream = false;
  bool include_usage = false;
  bool in_list = false;            // TGI's root path answers with a list of one
  std::int64_t input_tokens = 0;   // words of the prompt: there is no tokenizer here
  std::int64_t output_tokens = 0;  // 0: no limit was set
};

// The error is the message that the client gets with a 400.
using ParsedRequest = tl::expected<GenerationRequest, std::string>;

// An answer other than a stream.
struct Answer {
  int status = 200;
  std::string body;  // JSON, unless content_type says otherwise
  std::string content_type = "application/json";
};

// The bytes of one stream. Everything that does not change from token to token is written once.
class StreamWriter {
 public:
  virtual ~StreamWriter() = default;
  // What comes before any token; it bears none.
  [[nodiscard]] virtual std::string_view opening() const { return {}; }
  // Appends the event of tokens [first, first + count).
  virtual void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const = 0;
  [[nodiscard]] virtual std::string ending(std::int64_t output_tokens) const = 0;
  [[nodiscard]] virtual std::string error(std::string_view message) const = 0;
};

class Voice {
 public:
  virtual ~Voice() = default;
  // POST there asks for tokens.
  [[nodiscard]] virtual bool takes(std::string_view path) const = 0;
  [[nodiscard]] virtual ParsedRequest parse(std::string_view path, std::string_view body) const = 0;
  [[nodiscard]] virtual Answer error(int status, std::string_view message) const = 0;
  // The whole of it at once.
  [[nodiscard]] virtual Answer whole(const GenerationRequest& request,
                                     std::string_view id) const = 0;
  [[nodiscard]] virtual std::unique_ptr<StreamWriter> stream(const GenerationRequest& request,
                                                             std::string_view id) const = 0;
  // What it calls a request that the client (X-Request-Id), else the server, numbered so.
  [[nodiscard]] virtual std::string id_of(const GenerationRequest& /*request*/,
                                          std::string_view given) const {
    return std::string(given);
  }
  [[nodiscard]] virtual std::string_view stream_type() const { return "text/event-stream"; }
  // Of its other paths, those that a GET asks for; absent: it has no such path.
  [[nodiscard]] virtual std::optional<Answer> look(std::string_view path,
                                                   std::string_view model) const = 0;
};

inline constexpr std::string_view kEmulatedPlatforms =
    "openai, vllm, sglang, tgi, llama.cpp, ollama, triton, triton-trtllm";
// The voices of a platform, the first of them its own; none: it has no emulator. Names as in
// platform/platforms.h.
[[nodiscard]] std::vector<std::shared_ptr<const Voice>> voices_of(std::string_view platform);

// For parsers: the object of a body, a count in it (absent or null: `otherwise`) and a flag.
[[nodiscard]] tl::expected<base::Json, std::string> body_object(std::string_view body);
[[nodiscard]] tl::expected<std::int64_t, std::string> limit_in(const base::Json& object,
                                                               const char* key);
[[nodiscard]] tl::expected<bool, std::string> flag_in(const base::Json& object, const char* key,
                                                      bool otherwise);

// "data: {...}\n\n"
[[nodiscard]] std::string sse_data(const base::Json& json);

// An event with words in it, cut where they go, so that they can be put in without writing it anew.
class EventAround {
 public:
  // `event` has kWords as a string value.
  explicit EventAround(std::string_view event);
  static constexpr std::string_view kWords = "<words>";
  [[nodiscard]] std::string_view before() const { return before_; }
  [[nodiscard]] std::string_view after() const { return after_; }
  void append(std::int64_t first, std::int64_t count, std::string& to) const;

 private:
  std::string before_;
  std::string after_;
};

}  // namespace steelyard::emulate
