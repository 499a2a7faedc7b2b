// Files, whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace steelyard::base {

// The whole file. A missing or unreadable file is bad input, named by its path.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

// Written beside the target and renamed over it, so that a reader, a crash or a full disk never
// leaves half a file. Creates missing folders. What is no file (/dev/null) is written to as it is.
[[nodiscard]] Status write_file(const std::string& path, std::string_view content);

// Asks before hours of work whether their result can be written: creates the folder, and the path
// must be free, or a file that may be written.
[[nodiscard]] Status check_writable_folder(const std::string& folder);
[[nodiscard]] Status check_writable_file(const std::string& path);

// Adds one line at the end (with O_APPEND, in one write); creates the file when missing.
[[nodiscard]] Status append_line(const std::string& path, std::string_view line);

}  // namespace steelyard::base
