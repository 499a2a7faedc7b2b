// The tables of a store, and how an older file becomes a newer one.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>

#include "base/error.h"

namespace steelyard::store {

// Nothing is written to a file that is not ours or that a newer Steelyard wrote: it is bad input.
// An empty file is ours to fill. `path` stands in the error; SQLite's own errors are thrown.
[[nodiscard]] base::Status check_ours(const std::string& path, SQLite::Database& database);

// Creates or alters what is missing, in one transaction.
void migrate(SQLite::Database& database);

}  // namespace steelyard::store
