#include "store/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <array>

namespace steelyard::store {
namespace {

// "Stly": tells our files from other SQLite files (PRAGMA application_id).
constexpr int kApplicationId = 0x53746C79;

// Entry i turns version i into i + 1. One that was released is never edited: add another.
//
// Times are nanoseconds on CLOCK_MONOTONIC but for started_at and ended_at, which are since 1970;
// wall_offset_ns added to a monotonic time of the run gives the latter. ttft_ns, tpot_ns and e2e_ns
// are service times, there for whoever queries the file; all else is the event log itself.
constexpr std::array<const char*, 6> kMigrations = {
    R"sql(
CREATE TABLE runs (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  wall_offset_ns INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted')),
  config TEXT NOT NULL CHECK (json_valid(config)),
  result TEXT CHECK (result IS NULL OR json_valid(result))
) STRICT;
CREATE TABLE requests (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  platform TEXT NOT NULL,
  round INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  due_ns INTEGER NOT NULL,
  sent_ns INTEGER NOT NULL,
  connect_ns INTEGER,
  first_byte_ns INTEGER,
  end_ns INTEGER,
  streamed INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  http_status INTEGER NOT NULL,
  input_tokens INTEGER,
  output_tokens INTEGER,
  token_source TEXT NOT NULL,
  failure TEXT NOT NULL,
  chunks BLOB NOT NULL,
  ttft_ns INTEGER,
  tpot_ns REAL,
  e2e_ns INTEGER,
  PRIMARY KEY (run_id, platform, round, seq)
) STRICT;
)sql",
    // process_mark.h's mark of the process that writes the run. A run from before has none: it is
    // taken as killed, and if its process does go on, that says how it ended when it ends.
    R"sql(
ALTER TABLE runs ADD COLUMN process TEXT;
UPDATE runs SET status = 'interrupted' WHERE status = 'running';
)sql",
    // Which requests of a run there are, so that a killed one can be resumed with those that
    // follow.
    R"sql(
ALTER TABLE requests ADD COLUMN request_index INTEGER;
)sql",
    // Lengths as they were planned, so that a resumed run can still say which answers ended early.
    R"sql(
ALTER TABLE requests ADD COLUMN asked_input_tokens INTEGER;
ALTER TABLE requests ADD COLUMN asked_output_tokens INTEGER;
)sql",
    // sent_ns is the kernel's word on when a request left; written_ns is the client's own time.
    R"sql(
ALTER TABLE requests ADD COLUMN written_ns INTEGER;
ALTER TABLE requests ADD COLUMN tls_ns INTEGER;
)sql",
    // The platform's own account of a request.
    R"sql(
ALTER TABLE requests ADD COLUMN server_queue_ns INTEGER;
ALTER TABLE requests ADD COLUMN server_load_ns INTEGER;
ALTER TABLE requests ADD COLUMN server_prefill_ns INTEGER;
ALTER TABLE requests ADD COLUMN server_decode_ns INTEGER;
ALTER TABLE requests ADD COLUMN server_execute_ns INTEGER;
)sql"};
constexpr int kVersion = kMigrations.size();

int pragma(const SQLite::Database& database, const char* name) {
  SQLite::Statement query(database, fmt::format("PRAGMA {}", name));
  query.executeStep();
  return query.getColumn(0).getInt();
}

bool is_empty(const SQLite::Database& database) {
  SQLite::Statement query(database, "SELECT count(*) FROM sqlite_schema");
  query.executeStep();
  return query.getColumn(0).getInt() == 0;
}

}  // namespace

base::Status check_ours(const std::string& path, SQLite::Database& database) {
  // One view of the file: another process may be creating the tables between two reads.
  const SQLite::Transaction view(database);
  const int id = pragma(database, "application_id");
  const int version = pragma(database, "user_version");
  if (id != kApplicationId && !(id == 0 && version == 0 && is_empty(database))) {
    return base::bad_input(path, "an SQLite file, but no store of Steelyard",
                           "another path for --store");
  }
  if (version > kVersion) {
    return base::bad_input(path,
                           fmt::format("written by a newer Steelyard (store version {}, this one "
                                       "knows {})",
                                       version, kVersion),
                           "that version, or another path for --store");
  }
  return {};
}

void migrate(SQLite::Database& database) {
  if (pragma(database, "user_version") == kVersion) {
    return;
  }
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Read again: another process may have done it while this one waited for the lock.
  for (int version = pragma(database, "user_version"); version < kVersion; ++version) {
    database.exec(kMigrations[static_cast<std::size_t>(version)]);
  }
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", kVersion));
  transaction.commit();
}

}  // namespace steelyard::store
