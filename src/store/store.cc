#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>

#include "base/text.h"
#include "measure/summary.h"
#include "store/process_mark.h"
#include "store/request_row.h"
#include "store/schema.h"

namespace steelyard::store {
namespace {

constexpr std::array<std::string_view, 3> kStatuses = {"running", "done", "interrupted"};

bool is_busy(const SQLite::Exception& thrown) {
  const int code = thrown.getErrorCode() & 0xFF;
  return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

tl::unexpected<base::Error> error_of(const std::string& path, base::Nanos patience,
                                     const SQLite::Exception& thrown) {
  if (is_busy(thrown)) {
    return base::environment_error(
        path, fmt::format("locked by another process for over {} s", base::to_seconds(patience)),
        "let it finish, or use another path for --store");
  }
  switch (thrown.getErrorCode() & 0xFF) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return base::bad_input(path, fmt::format("no store of Steelyard: {}", thrown.what()),
                             "another path for --store, or move the file away");
    case SQLITE_CONSTRAINT:
      return base::bad_input(path, fmt::format("refused: {}", thrown.what()));
    default:
      return base::environment_error(path, fmt::format("cannot use it: {}", thrown.what()),
                                     "a file in a folder that exists, can be written and has room");
  }
}

// Runs `work`, which gives a Result, and turns what SQLite throws into an error.
template <typename Work>
auto guarded(const std::string& path, base::Nanos patience, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& thrown) {
    return error_of(path, patience, thrown);
  }
}

// Known by its second, and unlike any other by eight random digits.
std::string new_run_id(base::Nanos wall) {
  return fmt::format("{}-{:08x}", base::compact_utc(wall), std::random_device()());
}

std::string shown(const std::string& id) { return base::valid_utf8(id); }

tl::unexpected<base::Error> no_run(const std::string& path, const std::string& run_id) {
  return base::bad_input(path, fmt::format("it has no run \"{}\"", shown(run_id)),
                         "`steelyard runs list` shows them");
}

bool has_run(SQLite::Database& database, const std::string& run_id) {
  SQLite::Statement query(database, "SELECT 1 FROM runs WHERE id = ?");
  query.bind(1, run_id);
  return query.executeStep();
}

std::int64_t next_seq(SQLite::Database& database, const std::string& run_id,
                      const std::string& platform, std::int64_t round) {
  SQLite::Statement query(database,
                          "SELECT coalesce(max(seq) + 1, 0) FROM requests "
                          "WHERE run_id = ? AND platform = ? AND round = ?");
  query.bind(1, run_id);
  query.bind(2, platform);
  query.bind(3, round);
  query.executeStep();
  return query.getColumn(0).getInt64();
}

std::string insert_request() {
  std::string marks = "?, ?, ?, ?";
  for (int i = 0; i < kRequestColumnCount; ++i) {
    marks += ", ?";
  }
  return fmt::format("INSERT INTO requests (run_id, platform, round, seq, {}) VALUES ({})",
                     kRequestColumns, marks);
}

RunRecord read_run(SQLite::Statement& row) {
  RunRecord run;
  run.id = row.getColumn(0).getString();
  run.kind = row.getColumn(1).getString();
  run.name = row.getColumn(2).getString();
  run.started_at = row.getColumn(3).getInt64();
  if (!row.getColumn(4).isNull()) {
    run.ended_at = row.getColumn(4).getInt64();
  }
  run.wall_offset = row.getColumn(5).getInt64();
  const auto* const status =
      std::find(kStatuses.begin(), kStatuses.end(), row.getColumn(6).getString());
  run.status = static_cast<RunStatus>(status - kStatuses.begin());  // the table allows no other
  run.config_json = row.getColumn(7).getString();
  if (!row.getColumn(8).isNull()) {
    run.result_json = row.getColumn(8).getString();
  }
  return run;
}

// A killed process could not say that its run is over; whoever opens the store next does.
void end_killed_runs(SQLite::Database& database) {
  std::vector<std::string> killed;
  SQLite::Statement query(database, "SELECT id, process FROM runs WHERE status = 'running'");
  while (query.executeStep()) {
    if (has_ended(query.getColumn(1).getString())) {
      killed.push_back(query.getColumn(0).getString());
    }
  }
  query.reset();
  for (const std::string& id : killed) {
    SQLite::Statement update(
        database, "UPDATE runs SET status = 'interrupted' WHERE id = ? AND status = 'running'");
    update.bind(1, id);
    update.exec();
  }
}

base::Result<std::unique_ptr<SQLite::Database>> connect(const std::string& path,
                                                        base::Nanos patience) {
  auto database =
      std::make_unique<SQLite::Database>(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                         static_cast<int>(patience / base::kMillisecond));
  return check_ours(path, *database).map([&] {
    database->exec("PRAGMA journal_mode = WAL");
    database->exec("PRAGMA synchronous = NORMAL");  // a killed process loses nothing
    database->exec("PRAGMA foreign_keys = ON");
    migrate(*database);
    end_killed_runs(*database);
    return std::move(database);
  });
}

}  // namespace

std::string_view name_of(RunStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }

Store::Store(std::string path, base::Nanos patience, std::unique_ptr<SQLite::Database> database)
    : path_(std::move(path)), patience_(patience), database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

base::Result<Store> Store::open(const std::string& path, base::Nanos patience) {
  if (path.empty()) {
    return base::bad_input("--store", "an empty path", "a file, such as steelyard.db");
  }
  // Two processes that both turn a new file to write-ahead logging are told so at once and not
  // after the timeout, as each holds what the other waits for; hence the tries.
  const base::Nanos until = base::monotonic_now() + patience;
  for (;;) {
    try {
      return connect(path, patience).map([&](std::unique_ptr<SQLite::Database>&& database) {
        return Store(path, patience, std::move(database));
      });
    } catch (const SQLite::Exception& thrown) {
      if (!is_busy(thrown) || base::monotonic_now() >= until) {
        return error_of(path, patience, thrown);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

base::Result<std::string> Store::begin_run(const std::string& kind, const std::string& name,
                                           const std::string& config_json) {
  return guarded(path_, patience_, [&]() -> base::Result<std::string> {
    const base::Nanos wall = base::wall_now();
    std::string id = new_run_id(wall);
    SQLite::Statement insert(*database_,
                             "INSERT INTO runs (id, kind, name, started_at, wall_offset_ns, "
                             "status, config, process) VALUES (?, ?, ?, ?, ?, 'running', ?, ?)");
    insert.bind(1, id);
    insert.bind(2, kind);
    insert.bind(3, name);
    insert.bind(4, wall);
    insert.bind(5, wall - base::monotonic_now());
    insert.bind(6, config_json);
    insert.bind(7, own_process_mark());
    insert.exec();
    return id;
  });
}

base::Status Store::resume_run(const std::string& run_id) {
  return guarded(path_, patience_, [&]() -> base::Status {
    SQLite::Statement update(*database_,
                             "UPDATE runs SET status = 'running', ended_at = NULL, process = ? "
                             "WHERE id = ? AND status = 'interrupted'");
    update.bind(1, own_process_mark());
    update.bind(2, run_id);
    return update.exec() == 1 ? base::Status() : no_run(path_, run_id);
  });
}

base::Status Store::append(const std::string& run_id, const std::string& platform,
                           std::int64_t round, std::span<const measure::RequestLog> logs) {
  return guarded(path_, patience_, [&]() -> base::Status {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    if (!has_run(*database_, run_id)) {
      return no_run(path_, run_id);
    }
    std::int64_t seq = next_seq(*database_, run_id, platform, round);
    SQLite::Statement insert(*database_, insert_request());
    for (const measure::RequestLog& log : logs) {
      insert.bind(1, run_id);
      insert.bind(2, platform);
      insert.bind(3, round);
      insert.bind(4, seq++);
      bind_request(insert, 5, log);
      insert.exec();
      insert.reset();
    }
    transaction.commit();
    return {};
  });
}

base::Status Store::finish_run(const std::string& run_id, RunStatus status,
                               const std::optional<std::string>& result_json) {
  return guarded(path_, patience_, [&]() -> base::Status {
    SQLite::Statement update(*database_,
                             "UPDATE runs SET status = ?, ended_at = ?, result = ? WHERE id = ?");
    update.bind(1, std::string(name_of(status)));
    update.bind(2, base::wall_now());
    if (result_json) {
      update.bind(3, *result_json);
    }
    update.bind(4, run_id);
    return update.exec() == 1 ? base::Status() : no_run(path_, run_id);
  });
}

base::Result<std::vector<RunRecord>> Store::list_runs() {
  return guarded(path_, patience_, [&]() -> base::Result<std::vector<RunRecord>> {
    SQLite::Statement query(*database_,
                            "SELECT id, kind, name, started_at, ended_at, wall_offset_ns, status, "
                            "config, result FROM runs ORDER BY started_at, id");
    std::vector<RunRecord> runs;
    while (query.executeStep()) {
      runs.push_back(read_run(query));
    }
    return runs;
  });
}

base::Result<std::vector<PlatformRecord>> Store::list_platforms(const std::string& run_id) {
  return guarded(path_, patience_, [&]() -> base::Result<std::vector<PlatformRecord>> {
    SQLite::Statement query(*database_,
                            "SELECT platform, count(*), sum(outcome = ?) FROM requests "
                            "WHERE run_id = ? GROUP BY platform ORDER BY platform");
    query.bind(1, std::string(measure::name_of(measure::Outcome::kCompleted)));
    query.bind(2, run_id);
    std::vector<PlatformRecord> platforms;
    while (query.executeStep()) {
      platforms.push_back({query.getColumn(0).getString(), query.getColumn(1).getInt64(),
                           query.getColumn(2).getInt64()});
    }
    return platforms;
  });
}

base::Status Store::delete_run(const std::string& run_id) {
  return guarded(path_, patience_, [&]() -> base::Status {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    if (!has_run(*database_, run_id)) {
      return no_run(path_, run_id);
    }
    SQLite::Statement erase(*database_, "DELETE FROM runs WHERE id = ? AND status <> 'running'");
    erase.bind(1, run_id);
    if (erase.exec() == 0) {
      return base::bad_input(path_, fmt::format("run \"{}\" is being measured", shown(run_id)),
                             "end it first");
    }
    transaction.commit();
    return {};
  });
}

base::Status Store::erase_requests(const std::string& run_id, const std::string& platform,
                                   std::int64_t round) {
  return guarded(path_, patience_, [&]() -> base::Status {
    SQLite::Statement erase(*database_,
                            "DELETE FROM requests WHERE run_id = ? AND platform = ? AND round = ?");
    erase.bind(1, run_id);
    erase.bind(2, platform);
    erase.bind(3, round);
    erase.exec();
    return {};
  });
}

base::Result<std::vector<measure::RequestLog>> Store::load_requests(
    const std::string& run_id, const std::string& platform, std::optional<std::int64_t> round) {
  return guarded(path_, patience_, [&]() -> base::Result<std::vector<measure::RequestLog>> {
    SQLite::Statement query(
        *database_, fmt::format("SELECT {} FROM requests WHERE run_id = ? AND platform = ?{} "
                                "ORDER BY round, seq",
                                kRequestColumns, round ? " AND round = ?" : ""));
    query.bind(1, run_id);
    query.bind(2, platform);
    if (round) {
      query.bind(3, *round);
    }
    std::vector<measure::RequestLog> logs;
    while (query.executeStep()) {
      auto log = read_request(query);
      if (!log) {
        return base::bad_input(
            path_, fmt::format("damaged: request {} of run \"{}\" cannot be read", logs.size(),
                               shown(run_id)));
      }
      logs.push_back(std::move(*log));
    }
    return logs;
  });
}

}  // namespace steelyard::store
