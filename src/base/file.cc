#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace steelyard::base {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

tl::unexpected<Error> cannot_write(const std::string& path) {
  return environment_error(path, fmt::format("cannot write: {}", std::strerror(errno)));
}

Status make_parent(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code failed;
  if (!parent.empty()) {
    std::filesystem::create_directories(parent, failed);
  }
  if (failed) {
    return environment_error(parent.string(), "cannot create the folder: " + failed.message());
  }
  return {};
}

// A device, a pipe, a terminal: there is no half-written file to fear, and a rename would put a
// file in its place, in /dev for the whole machine.
bool is_no_file(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

Status write_straight(const std::string& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), content)) {
    return cannot_write(path);
  }
  return {};
}

// Where the links of `path` lead, so that what is replaced is the file and not the link to it.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  const auto real = std::filesystem::canonical(path, failed);
  return failed ? path : real.string();
}

Status replace_file(const std::string& path, std::string_view content) {
  const std::string beside = fmt::format("{}.{}.part", path, ::getpid());
  {
    const Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) {
      return cannot_write(path);
    }
    if (!write_all(file.get(), content) || ::fsync(file.get()) != 0) {
      const auto failed = cannot_write(path);
      ::unlink(beside.c_str());
      return failed;
    }
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const auto failed = cannot_write(path);
    ::unlink(beside.c_str());
    return failed;
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    return bad_input(path, fmt::format("cannot read: {}", std::strerror(errno)));
  }
  std::string content;
  std::string block(1U << 16U, '\0');
  for (;;) {
    const ssize_t n = ::read(file.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return bad_input(path, fmt::format("cannot read: {}", std::strerror(errno)));
    }
    if (n == 0) {
      return content;
    }
    content.append(block.data(), static_cast<std::size_t>(n));
  }
}

Status write_file(const std::string& path, std::string_view content) {
  if (Status made = make_parent(path); !made) {
    return made;
  }
  return is_no_file(path) ? write_straight(path, content)
                          : replace_file(behind_links(path), content);
}

Status check_writable_folder(const std::string& folder) {
  const std::string named = folder.empty() ? "." : folder;
  std::error_code failed;
  std::filesystem::create_directories(named, failed);
  if (!failed && ::access(named.c_str(), W_OK | X_OK) != 0) {
    failed = std::error_code(errno, std::generic_category());
  }
  if (failed) {
    return environment_error(named, "cannot write there: " + failed.message(),
                             "a folder that can be made and written");
  }
  return {};
}

Status check_writable_file(const std::string& path) {
  if (Status folder = check_writable_folder(std::filesystem::path(path).parent_path().string());
      !folder) {
    return folder;
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return environment_error(path, "cannot write: it is a folder", "the name of a file");
  }
  if (std::filesystem::exists(path, ignored) && ::access(path.c_str(), W_OK) != 0) {
    return cannot_write(path);
  }
  return {};
}

Status append_line(const std::string& path, std::string_view line) {
  if (Status made = make_parent(path); !made) {
    return made;
  }
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0 || !write_all(file.get(), std::string(line) + "\n")) {
    return cannot_write(path);
  }
  return {};
}

}  // namespace steelyard::base
