#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "random_log.h"

namespace steelyard::store {
namespace {

using measure::RequestLog;
using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + fmt::format("steelyard-store-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/runs.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::string path_;
};

Store opened(const std::string& path) { return std::move(Store::open(path).value()); }
std::string begun(Store& store) { return store.begin_run("bench", "a", "{}").value(); }

void expect_all_equal(const std::vector<RequestLog>& left, const std::vector<RequestLog>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    expect_equal(left[i], right[i]);
  }
}

// Another process, which ends with the value of `work`. It must not touch the parent's stores.
template <typename Work>
pid_t start(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work());
  }
  return child;
}
int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(StoreTest, gives_back_every_log_as_it_was) {
  const std::vector<RequestLog> first = some_logs(1, 300);
  const std::vector<RequestLog> second = some_logs(2, 200);
  const std::vector<RequestLog> other = some_logs(3, 10);
  std::string id;
  {
    Store store = opened(path_);
    id = begun(store);
    ASSERT_TRUE(store.append(id, "a", 2, second));
    ASSERT_TRUE(store.append(id, "a", 1, std::span(first).first(100)));
    ASSERT_TRUE(store.append(id, "b", 1, other));
    ASSERT_TRUE(store.append(id, "a", 1, std::span(first).subspan(100)));
  }
  Store store = opened(path_);
  expect_all_equal(store.load_requests(id, "a", 1).value(), first);
  expect_all_equal(store.load_requests(id, "a", 2).value(), second);
  expect_all_equal(store.load_requests(id, "b").value(), other);
  std::vector<RequestLog> both = first;
  both.insert(both.end(), second.begin(), second.end());
  expect_all_equal(store.load_requests(id, "a").value(), both);
  EXPECT_TRUE(store.load_requests(id, "c").value().empty());
}

TEST_F(StoreTest, lists_runs_with_what_became_of_them) {
  Store store = opened(path_);
  const std::string done = store.begin_run("bench", "one", R"({"rate": 5})").value();
  const std::string cut = store.begin_run("watch", "二", "{}").value();
  const std::string running = begun(store);
  ASSERT_TRUE(store.finish_run(done, RunStatus::kDone, R"({"p99": null})"));
  ASSERT_TRUE(store.finish_run(cut, RunStatus::kInterrupted, std::nullopt));
  const std::vector<RunRecord> runs = store.list_runs().value();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].id, done);
  EXPECT_EQ(runs[0].kind, "bench");
  EXPECT_EQ(runs[0].config_json, R"({"rate": 5})");
  EXPECT_EQ(runs[0].result_json, R"({"p99": null})");
  EXPECT_EQ(runs[0].status, RunStatus::kDone);
  EXPECT_GE(*runs[0].ended_at, runs[0].started_at);
  EXPECT_EQ(runs[1].name, "二");
  EXPECT_EQ(runs[1].status, RunStatus::kInterrupted);
  EXPECT_FALSE(runs[1].result_json);
  EXPECT_EQ(runs[2].id, running);
  EXPECT_EQ(runs[2].status, RunStatus::kRunning);
  EXPECT_FALSE(runs[2].ended_at);
}

TEST_F(StoreTest, deletes_a_run_with_its_requests_and_no_other) {
  Store store = opened(path_);
  std::vector<RequestLog> logs = some_logs(4, 20);
  for (RequestLog& log : logs) {
    log.outcome = measure::Outcome::kTimeout;
  }
  logs.front().outcome = measure::Outcome::kCompleted;
  const std::string one = begun(store);
  const std::string other = begun(store);
  for (const std::string& id : {one, other}) {
    ASSERT_TRUE(store.append(id, "b", 0, logs));
    ASSERT_TRUE(store.append(id, "a", 0, std::span(logs).first(1)));
  }
  ASSERT_TRUE(store.append(one, "b", 1, logs));
  ASSERT_TRUE(store.erase_requests(one, "b", 0));
  EXPECT_TRUE(store.load_requests(one, "b", 0).value().empty());
  EXPECT_EQ(store.load_requests(one, "b").value().size(), 20U);
  EXPECT_FALSE(store.delete_run(one)) << "it is being written";
  ASSERT_TRUE(store.finish_run(one, RunStatus::kDone, std::nullopt));
  ASSERT_TRUE(store.delete_run(one));
  EXPECT_FALSE(store.delete_run(one));
  EXPECT_TRUE(store.list_platforms(one).value().empty());
  EXPECT_TRUE(store.load_requests(one, "b").value().empty());
  const auto left = store.list_platforms(other).value();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].platform, "a");
  EXPECT_EQ(left[1].requests, 20);
  EXPECT_EQ(left[1].completed, 1);
}

TEST_F(StoreTest, a_monotonic_time_and_the_offset_are_a_wall_time) {
  Store store = opened(path_);
  begun(store);
  const RunRecord run = store.list_runs().value().at(0);
  const base::Nanos off = base::monotonic_now() + run.wall_offset - base::wall_now();
  EXPECT_LT(std::abs(off), base::kSecond);
  EXPECT_LT(base::wall_now() - run.started_at, 60 * base::kSecond);
}

// The columns for whoever queries the file: null where there is no such latency.
TEST_F(StoreTest, latencies_can_be_queried) {
  RequestLog good;
  good.due_at = good.sent_at = 1000;
  good.chunks = {{6000, measure::ChunkKind::kContent, 1}, {8000, measure::ChunkKind::kContent, 1}};
  good.end_at = 9000;
  good.output_tokens = 2;
  RequestLog refused;
  refused.outcome = measure::Outcome::kRefused;
  Store store = opened(path_);
  ASSERT_TRUE(store.append(begun(store), "a", 0, std::vector{good, refused}));
  const SQLite::Database database(path_);
  SQLite::Statement query(database,
                          "SELECT outcome, ttft_ns, tpot_ns, e2e_ns FROM requests ORDER BY seq");
  ASSERT_TRUE(query.executeStep());
  EXPECT_EQ(query.getColumn(0).getString(), "completed");
  EXPECT_EQ(query.getColumn(1).getInt64(), 5000);
  EXPECT_EQ(query.getColumn(2).getDouble(), 2000);
  EXPECT_EQ(query.getColumn(3).getInt64(), 8000);
  ASSERT_TRUE(query.executeStep());
  EXPECT_EQ(query.getColumn(0).getString(), "refused");
  EXPECT_TRUE(query.getColumn(1).isNull());
}

TEST_F(StoreTest, refuses_an_unknown_run_and_what_is_no_json) {
  Store store = opened(path_);
  const base::Error unknown = store.append("x", "a", 0, some_logs(1, 1)).error();
  EXPECT_EQ(unknown.code, base::ErrorCode::kBadInput);
  EXPECT_EQ(unknown.where, path_);
  EXPECT_THAT(unknown.what, HasSubstr("no run \"x\""));
  EXPECT_FALSE(store.finish_run("x", RunStatus::kDone, "{}"));
  EXPECT_FALSE(store.begin_run("bench", "a", "{"));
  EXPECT_TRUE(store.list_runs().value().empty());
}

TEST_F(StoreTest, a_file_that_is_not_ours_is_left_as_it_was) {
  ASSERT_TRUE(base::write_file(path_, std::string(5000, 'x')));
  const base::Error text = Store::open(path_).error();
  EXPECT_EQ(text.code, base::ErrorCode::kBadInput);
  EXPECT_EQ(text.where, path_);
  EXPECT_THAT(text.hint, HasSubstr("another path"));
  EXPECT_EQ(base::read_file(path_).value(), std::string(5000, 'x'));

  const std::string theirs = folder_ + "/theirs.db";
  SQLite::Database(theirs, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (x)");
  const std::string before = base::read_file(theirs).value();
  EXPECT_EQ(base::to_line(Store::open(theirs).error()),
            theirs + ": an SQLite file, but no store of Steelyard (another path for --store)");
  EXPECT_EQ(base::read_file(theirs).value(), before);
}

TEST_F(StoreTest, a_file_of_a_newer_version_says_so) {
  (void)opened(path_);
  SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const base::Error newer = Store::open(path_).error();
  EXPECT_EQ(newer.code, base::ErrorCode::kBadInput);
  EXPECT_THAT(newer.what, HasSubstr("newer Steelyard (store version 99"));
}

TEST_F(StoreTest, a_missing_folder_is_the_environment) {
  const std::string path = folder_ + "/no/such.db";
  const base::Error missing = Store::open(path).error();
  EXPECT_EQ(missing.code, base::ErrorCode::kEnvironment);
  EXPECT_EQ(missing.where, path);
  EXPECT_EQ(Store::open("").error().code, base::ErrorCode::kBadInput);
}

// As nobody, because root may write everywhere.
TEST_F(StoreTest, a_folder_that_cannot_be_written_is_the_environment) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  const pid_t child = start([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) {
      return 2;
    }
    const auto store = Store::open(path_);
    return !store && store.error().code == base::ErrorCode::kEnvironment ? 0 : 1;
  });
  EXPECT_EQ(end_of(child), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
}

TEST_F(StoreTest, a_lock_held_elsewhere_is_waited_for_and_then_named) {
  constexpr base::Nanos kPatience = 100 * base::kMillisecond;
  Store store = std::move(Store::open(path_, kPatience).value());
  const std::string id = begun(store);
  SQLite::Database other(path_, SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  const base::Nanos before = base::monotonic_now();
  const base::Error locked = store.append(id, "a", 0, some_logs(1, 1)).error();
  EXPECT_GE(base::monotonic_now() - before, kPatience / 2);
  EXPECT_EQ(locked.code, base::ErrorCode::kEnvironment);
  EXPECT_EQ(locked.what, "locked by another process for over 0.1 s");
  EXPECT_TRUE(store.load_requests(id, "a")) << "reading needs no lock";
  other.exec("ROLLBACK");
  EXPECT_TRUE(store.append(id, "a", 0, some_logs(1, 1)));
}

TEST_F(StoreTest, a_killed_process_leaves_what_it_had_appended) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const std::vector<RequestLog> batch = some_logs(5, 40);
  const pid_t child = start([&] {
    Store store = opened(path_);
    const std::string id = begun(store);
    for (int i = 0; store.append(id, "a", 0, batch); ++i) {
      if (i == 4 && ::write(ready[1], "x", 1) != 1) {
        break;
      }
    }
    return 1;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(7));  // in the middle of an append
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), -SIGKILL);
  ::close(ready[0]);
  ::close(ready[1]);

  Store store = opened(path_);
  const RunRecord run = store.list_runs().value().at(0);
  EXPECT_EQ(run.status, RunStatus::kInterrupted);
  EXPECT_FALSE(run.ended_at) << "nobody saw it end";
  const std::vector<RequestLog> logs = store.load_requests(run.id, "a").value();
  EXPECT_GE(logs.size(), 5 * batch.size());
  EXPECT_EQ(logs.size() % batch.size(), 0U) << "all of a batch or none";
  for (std::size_t i = 0; i < logs.size(); ++i) {
    expect_equal(logs[i], batch[i % batch.size()]);
  }
  EXPECT_TRUE(store.append(run.id, "a", 0, batch));
}

TEST_F(StoreTest, a_run_goes_on_while_its_process_does) {
  std::array<int, 2> begun_pipe{};
  std::array<int, 2> end_pipe{};
  ASSERT_EQ(::pipe(begun_pipe.data()), 0);
  ASSERT_EQ(::pipe(end_pipe.data()), 0);
  const pid_t child = start([&] {
    Store store = opened(path_);
    const std::string id = begun(store);
    char byte = 0;
    const bool told = ::write(begun_pipe[1], "x", 1) == 1 && ::read(end_pipe[0], &byte, 1) == 1;
    return told && store.finish_run(id, RunStatus::kDone, "{}") ? 0 : 1;
  });
  char byte = 0;
  ASSERT_EQ(::read(begun_pipe[0], &byte, 1), 1);
  EXPECT_EQ(opened(path_).list_runs().value().at(0).status, RunStatus::kRunning);
  ASSERT_EQ(::write(end_pipe[1], "x", 1), 1);
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(opened(path_).list_runs().value().at(0).status, RunStatus::kDone);
  for (const int fd : {begun_pipe[0], begun_pipe[1], end_pipe[0], end_pipe[1]}) {
    ::close(fd);
  }
}

// Killed, and its parent has not asked for it: the system still lists the process.
TEST_F(StoreTest, a_process_that_nobody_collected_is_gone) {
  const pid_t child = start([&] {
    Store store = opened(path_);
    begun(store);
    ::raise(SIGKILL);
    return 1;
  });
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(opened(path_).list_runs().value().at(0).status, RunStatus::kInterrupted);
  EXPECT_EQ(end_of(child), -SIGKILL);
}

TEST_F(StoreTest, a_store_of_version_1_becomes_ours) {
  Store store = opened(path_);
  const std::string done = begun(store);
  begun(store);
  ASSERT_TRUE(store.finish_run(done, RunStatus::kDone, "{}"));
  SQLite::Database(path_, SQLite::OPEN_READWRITE)
      .exec(
          "ALTER TABLE runs DROP COLUMN process; "
          "ALTER TABLE requests DROP COLUMN request_index; "
          "ALTER TABLE requests DROP COLUMN asked_input_tokens; "
          "ALTER TABLE requests DROP COLUMN asked_output_tokens; "
          "ALTER TABLE requests DROP COLUMN written_ns; "
          "ALTER TABLE requests DROP COLUMN tls_ns; "
          "ALTER TABLE requests DROP COLUMN server_queue_ns; "
          "ALTER TABLE requests DROP COLUMN server_load_ns; "
          "ALTER TABLE requests DROP COLUMN server_prefill_ns; "
          "ALTER TABLE requests DROP COLUMN server_decode_ns; "
          "ALTER TABLE requests DROP COLUMN server_execute_ns; PRAGMA user_version = 1");
  const std::vector<RunRecord> runs = opened(path_).list_runs().value();
  EXPECT_EQ(runs[0].status, RunStatus::kDone);
  EXPECT_EQ(runs[1].status, RunStatus::kInterrupted);
  EXPECT_TRUE(opened(path_).begin_run("bench", "a", "{}"));
}

// Both make the file, both begin a run of their own, and both write to one of the two runs.
TEST_F(StoreTest, two_processes_write_at_once) {
  constexpr int kBatches = 30;
  const std::vector<RequestLog> batch = some_logs(9, 10);
  const auto write = [&] {
    auto store = Store::open(path_);
    if (!store) {
      return 1;
    }
    const std::string own = begun(*store);
    for (int i = 0; i < kBatches; ++i) {
      const std::string shared = store->list_runs().value().at(0).id;
      if (!store->append(own, "a", 0, batch) || !store->append(shared, "b", 0, batch)) {
        return 2;
      }
    }
    return store->finish_run(own, RunStatus::kDone, "{}") ? 0 : 3;
  };
  const pid_t first = start(write);
  const pid_t second = start(write);
  EXPECT_EQ(end_of(first), 0);
  EXPECT_EQ(end_of(second), 0);

  Store store = opened(path_);
  const std::vector<RunRecord> runs = store.list_runs().value();
  ASSERT_EQ(runs.size(), 2U);
  std::size_t shared = 0;
  for (const RunRecord& run : runs) {
    EXPECT_EQ(store.load_requests(run.id, "a").value().size(), kBatches * batch.size());
    shared += store.load_requests(run.id, "b").value().size();
  }
  EXPECT_EQ(shared, 2 * kBatches * batch.size());
}

// Six processes, because two seldom meet where a new file is made.
TEST_F(StoreTest, many_processes_make_one_store) {
  for (int round = 0; round < 10; ++round) {
    const std::string path = fmt::format("{}/{}.db", folder_, round);
    std::vector<pid_t> children(6);
    std::generate(children.begin(), children.end(), [&] {
      return start([&] {
        auto store = Store::open(path);
        return store && store->begin_run("bench", "a", "{}") ? 0 : 1;
      });
    });
    for (const pid_t child : children) {
      EXPECT_EQ(end_of(child), 0);
    }
    EXPECT_EQ(opened(path).list_runs().value().size(), children.size());
  }
}

}  // namespace
}  // namespace steelyard::store
