// Any bytes are an INI file or one complaint with its place.
#include <cstdint>
#include <cstdlib>

#include "base/ini.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = steelyard::base::IniFile::parse("f", text);
  if (!file && !file.error().where.starts_with("f:")) {
    std::abort();
  }
  return 0;
}
