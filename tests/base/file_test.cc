#include "base/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace steelyard::base {
namespace {

TEST(File, what_can_be_written_is_told_before_the_work) {
  std::string made = testing::TempDir() + "steelyard-file-XXXXXX";
  ASSERT_NE(::mkdtemp(made.data()), nullptr);
  const std::string folder = made;
  EXPECT_TRUE(check_writable_file(folder + "/new/result.json"));
  EXPECT_TRUE(std::filesystem::is_directory(folder + "/new"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/new/result.json"));
  ASSERT_TRUE(write_file(folder + "/file", "kept"));
  EXPECT_TRUE(check_writable_file(folder + "/file"));
  EXPECT_EQ(read_file(folder + "/file").value(), "kept");
  EXPECT_THAT(to_line(check_writable_file(folder + "/new").error()),
              testing::HasSubstr("it is a folder"));
  for (const auto& refused : {check_writable_folder(folder + "/file/below"),
                              check_writable_file(folder + "/file/below")}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kEnvironment);
    EXPECT_THAT(refused.error().where, testing::HasSubstr(folder + "/file"));
  }
  std::filesystem::remove_all(folder);
}

TEST(File, what_is_no_file_is_written_to_and_not_replaced) {
  std::string made = testing::TempDir() + "steelyard-file-XXXXXX";
  ASSERT_NE(::mkdtemp(made.data()), nullptr);
  const std::filesystem::path folder = made;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(write_file(pipe, "through"));
  std::array<char, 16> read{};
  EXPECT_EQ(::read(reader, read.data(), read.size()), 7);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe)) << "a rename would have put a file there";
  ::close(reader);

  ASSERT_TRUE(write_file(folder / "file", "old"));
  std::filesystem::create_symlink("file", folder / "link");
  ASSERT_TRUE(write_file(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "file").value(), "new");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace steelyard::base
