// Any body is a request or a complaint that can be sent back as JSON; a request can be answered.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "emulate/openai_voice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const bool chat : {true, false}) {
    auto request = steelyard::emulate::parse_openai_request(body, chat);
    if (!request) {
      const std::string answer = steelyard::emulate::error_answer(400, request.error()).body;
      if (!nlohmann::json::accept(answer)) {
        std::abort();
      }
      continue;
    }
    if (request->input_tokens < 0 || request->output_tokens < 0) {
      std::abort();
    }
    const steelyard::emulate::OpenAiStream events(*request, "id");
    std::string text;
    events.append_tokens(0, 2, text);
    if (text.find("data: {") != 0 || events.ending(2).find("[DONE]") == std::string::npos) {
      std::abort();
    }
  }
  return 0;
}
