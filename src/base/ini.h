// INI files, as the clouds' command lines write them for their keys: "[section]", "key = value" (or
// ":"), comments by "#" or ";" at a line's beginning. A line indented further than the key above it
// belongs to that key's value and is passed over. Their values may be secret: no error shows a
// line.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace steelyard::base {

class IniFile {
 public:
  struct Entry {
    std::string value;  // trimmed; may be empty
    int line = 0;
  };
  using Section = std::map<std::string, Entry, std::less<>>;  // keys in lower case

  // `name` stands in errors as "name:line". A section or key that comes again adds to or takes the
  // place of the earlier one.
  [[nodiscard]] static Result<IniFile> parse(std::string name, std::string_view text);

  // Null where there is none.
  [[nodiscard]] const Section* section(std::string_view name) const;
  [[nodiscard]] const std::string& name() const { return name_; }
  // "name:line"
  [[nodiscard]] std::string place(int line) const;

 private:
  struct Cursor;
  Status take_line(std::string_view line, Cursor& cursor);
  Status take_section(std::string_view text, Cursor& cursor);
  Status take_entry(std::string_view text, std::size_t indent, Cursor& cursor);

  std::string name_;
  std::map<std::string, Section, std::less<>> sections_;
};

}  // namespace steelyard::base
