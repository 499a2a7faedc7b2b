// A run of a store that a flag names.
#pragma once

#include <string>

#include "base/error.h"
#include "store/store.h"

namespace steelyard::command {

// `where` is the flag, `path` the store's. One that it does not have is bad input.
[[nodiscard]] base::Result<store::RunRecord> find_run(store::Store& store, const std::string& where,
                                                      const std::string& path,
                                                      const std::string& run_id);

// What --resume names: one of that kind that was cut off; any other is bad input, with the words
// why.
[[nodiscard]] base::Result<store::RunRecord> resumable_run(store::Store& store,
                                                           const std::string& path,
                                                           const std::string& kind,
                                                           const std::string& run_id);

}  // namespace steelyard::command
