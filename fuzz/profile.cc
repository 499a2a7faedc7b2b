// Any YAML is a profile or one complaint with its place.
#include <cstdint>
#include <cstdlib>

#include "emulate/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto file = steelyard::base::YamlFile::parse("f.yaml", text);
  if (!file) {
    return 0;
  }
  auto root = file->root();
  (void)steelyard::emulate::read_profile(root);
  const auto read = root.finish();
  if (!read && read.error().where.find("f.yaml:") != 0) {
    std::abort();
  }
  return 0;
}
