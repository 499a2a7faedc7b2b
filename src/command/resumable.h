// A run of a store that --resume names.
#pragma once

#include <string>

#include "base/error.h"
#include "store/store.h"

namespace steelyard::command {

// One of that kind that was cut off; any other is bad input, with the words why. `path` is the
// store's.
[[nodiscard]] base::Result<store::RunRecord> resumable_run(store::Store& store,
                                                           const std::string& path,
                                                           const std::string& kind,
                                                           const std::string& run_id);

}  // namespace steelyard::command
