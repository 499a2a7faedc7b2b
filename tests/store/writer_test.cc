#include "store/writer.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "random_log.h"

namespace steelyard::store {
namespace {

class WriterTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + fmt::format("steelyard-writer-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/s.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // How many requests another reader finds within `patience`, once there are `wanted`.
  std::size_t seen(const std::string& id, std::size_t wanted, base::Nanos patience) {
    const base::Nanos until = base::monotonic_now() + patience;
    for (;;) {
      Store store = Store::open(path_).value();
      const std::size_t n = store.load_requests(id, "a").value().size();
      if (n >= wanted || base::monotonic_now() > until) {
        return n;
      }
      usleep(20'000);
    }
  }

  std::string folder_;
  std::string path_;
};

TEST_F(WriterTest, what_it_takes_is_soon_in_the_file) {
  Store store = Store::open(path_).value();
  const std::string id = store.begin_run("bench", "n", "{}").value();
  Writer writer(store, id);
  const auto logs = some_logs(7, 50);
  for (const auto& log : logs) {
    ASSERT_TRUE(writer.take("a", 0, log));
  }
  EXPECT_EQ(seen(id, 50, 20 * base::kSecond), 50U);  // before `finish`
  ASSERT_TRUE(writer.take("b", 1, logs.front()));
  EXPECT_FALSE(writer.finish());
  EXPECT_EQ(store.load_requests(id, "b").value().size(), 1U);
}

TEST_F(WriterTest, a_locked_store_is_tried_again_and_nothing_is_lost) {
  Store store = Store::open(path_, 50 * base::kMillisecond).value();
  const std::string id = store.begin_run("bench", "n", "{}").value();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Writer writer(store, id);
  const auto logs = some_logs(8, 20);
  for (const auto& log : logs) {
    ASSERT_TRUE(writer.take("a", 0, log));
  }
  usleep(900'000);  // one attempt at least has failed
  sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_FALSE(writer.finish());
  EXPECT_EQ(store.load_requests(id, "a").value().size(), 20U);
}

TEST_F(WriterTest, says_what_the_store_lacks_at_the_end) {
  Store store = Store::open(path_, 50 * base::kMillisecond).value();
  Writer writer(store, "no-such-run");
  ASSERT_TRUE(writer.take("a", 0, some_logs(9, 1).front()));
  const auto failure = writer.finish();
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->what.find("no-such-run"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::store
