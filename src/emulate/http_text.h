// The bytes of HTTP/1.1 answers.
#pragma once

#include <string>
#include <string_view>

#include "emulate/voice.h"

namespace steelyard::emulate {

// A whole answer with its length. Each of `fields` and `more_fields` is complete lines or "".
[[nodiscard]] std::string http_text(const Answer& answer, std::string_view fields,
                                    std::string_view more_fields, bool keep_alive);

// `data` as one chunk of a chunked body.
void append_http_chunk(std::string_view data, std::string& to);

}  // namespace steelyard::emulate
