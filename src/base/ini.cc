#include "base/ini.h"

#include <fmt/format.h>

#include "base/text.h"

namespace steelyard::base {
namespace {

constexpr std::string_view kRight = "[section] or key = value";

bool is_comment(std::string_view text) { return text.starts_with('#') || text.starts_with(';'); }

}  // namespace

struct IniFile::Cursor {
  int line = 0;
  Section* section = nullptr;
  bool after_key = false;
  std::size_t key_indent = 0;
};

Result<IniFile> IniFile::parse(std::string name, std::string_view text) {
  IniFile file;
  file.name_ = std::move(name);
  text.remove_prefix(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  Cursor cursor;
  for (const std::string_view line : split(text, '\n')) {
    ++cursor.line;
    if (Status taken = file.take_line(line, cursor); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  return file;
}

const IniFile::Section* IniFile::section(std::string_view name) const {
  const auto found = sections_.find(name);
  return found == sections_.end() ? nullptr : &found->second;
}

std::string IniFile::place(int line) const { return fmt::format("{}:{}", name_, line); }

Status IniFile::take_line(std::string_view line, Cursor& cursor) {
  const std::string_view text = trim(line);
  if (text.empty() || is_comment(text)) {
    return {};
  }
  const std::size_t indent = line.find_first_not_of(" \t");
  if (cursor.after_key && indent > cursor.key_indent) {
    return {};
  }
  return text.starts_with('[') ? take_section(text, cursor) : take_entry(text, indent, cursor);
}

Status IniFile::take_section(std::string_view text, Cursor& cursor) {
  const std::size_t end = text.find(']');
  const std::string_view after =
      end == std::string_view::npos ? std::string_view() : trim(text.substr(end + 1));
  if (end == std::string_view::npos || !(after.empty() || is_comment(after))) {
    return bad_input(place(cursor.line), "a section that is not closed by ]", std::string(kRight));
  }
  cursor.section = &sections_[std::string(trim(text.substr(1, end - 1)))];
  cursor.after_key = false;
  return {};
}

Status IniFile::take_entry(std::string_view text, std::size_t indent, Cursor& cursor) {
  const std::size_t mark = text.find_first_of("=:");
  const std::string_view key = trim(text.substr(0, mark));
  if (mark == std::string_view::npos || key.empty()) {
    return bad_input(place(cursor.line), "neither a section nor a key with a value",
                     std::string(kRight));
  }
  if (cursor.section == nullptr) {
    return bad_input(place(cursor.line), "a key before any section", std::string(kRight));
  }
  (*cursor.section)[lower(key)] = Entry{std::string(trim(text.substr(mark + 1))), cursor.line};
  cursor.after_key = true;
  cursor.key_indent = indent;
  return {};
}

}  // namespace steelyard::base
