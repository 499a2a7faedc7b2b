// Any bytes, cut anywhere, give the same objects as the whole.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/json_array.h"

namespace {

std::string objects_of(std::string_view bytes, std::size_t cut) {
  std::string objects;
  steelyard::wire::JsonArraySplitter splitter;
  const auto keep = [&](std::string_view element) {
    if (!element.starts_with('{')) {
      std::abort();
    }
    objects.append(element).append("\n");
  };
  splitter.feed(bytes.substr(0, cut), keep);
  splitter.feed(bytes.substr(cut), keep);
  return objects.append(splitter.rest()) + (splitter.finish() ? "whole" : "cut");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = size == 0 ? 0 : data[0] % (size + 1);
  if (objects_of(bytes, cut) != objects_of(bytes, size)) {
    std::abort();
  }
  return 0;
}
