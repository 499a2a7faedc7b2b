#include "base/version.h"

namespace steelyard::base {

std::string_view version() { return STEELYARD_VERSION; }

}  // namespace steelyard::base
