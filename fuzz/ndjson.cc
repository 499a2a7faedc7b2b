// Any bytes, cut anywhere, give the same lines as the whole.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/ndjson.h"

namespace {

std::string lines_of(std::string_view bytes, std::size_t cut) {
  std::string lines;
  steelyard::wire::NdjsonSplitter splitter;
  const auto keep = [&](std::string_view line) {
    if (line.empty() || line.find('\n') != std::string_view::npos) {
      std::abort();
    }
    lines.append(line).append("\n");
  };
  splitter.feed(bytes.substr(0, cut), keep);
  splitter.feed(bytes.substr(cut), keep);
  lines += splitter.finish(keep) ? "unended" : "whole";
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = size == 0 ? 0 : data[0] % (size + 1);
  if (lines_of(bytes, cut) != lines_of(bytes, size)) {
    std::abort();
  }
  return 0;
}
