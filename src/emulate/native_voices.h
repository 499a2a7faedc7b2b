// The protocols of single servers, one file each; sources as in src/platform's header of that name.
#pragma once

#include <memory>

#include "emulate/voice.h"

namespace steelyard::emulate {

[[nodiscard]] std::shared_ptr<const Voice> tgi_voice();
[[nodiscard]] std::shared_ptr<const Voice> sglang_voice();
[[nodiscard]] std::shared_ptr<const Voice> llama_cpp_voice();
[[nodiscard]] std::shared_ptr<const Voice> ollama_voice();
// Takes both forms: the vLLM backend's and that of TensorRT-LLM's ensemble.
[[nodiscard]] std::shared_ptr<const Voice> triton_voice();

}  // namespace steelyard::emulate
