// Columns for a terminal: aligned by display width, so that Chinese stands straight too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace steelyard::report {

// Text that Markdown shows as it is, on one line: its own signs and HTML's are escaped.
[[nodiscard]] std::string markdown_text(std::string_view text);

class Table {
 public:
  struct Column {
    std::string header;
    base::Align align = base::Align::kRight;
  };
  explicit Table(std::vector<Column> columns);
  // As many cells as there are columns.
  void add(std::vector<std::string> cells);
  // A header, a rule, the rows; each line ends in a line feed and has no spaces at its end.
  [[nodiscard]] std::string to_text() const;
  // GitHub's table syntax; cells are `markdown_text`.
  [[nodiscard]] std::string to_markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace steelyard::report
