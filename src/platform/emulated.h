// The header field by which an emulator names itself, so that nobody takes it for a platform.
#pragma once

#include <string_view>

namespace steelyard::platform {

inline constexpr std::string_view kEmulatedField = "x-steelyard-emulated";

}  // namespace steelyard::platform
