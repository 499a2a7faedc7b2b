#include "base/file.h"

#include <stdlib.h>

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

}  // namespace
}  // namespace steelyard::base
