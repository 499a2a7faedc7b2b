#include "report/table.h"

#include "base/check.h"

namespace steelyard::report {
namespace {

constexpr std::string_view kBetween = "  ";

std::string line_of(const std::vector<std::string>& cells,
                    const std::vector<Table::Column>& columns,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line +=
        (i == 0 ? "" : std::string(kBetween)) + base::pad(cells[i], widths[i], columns[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMeaning = R"(\`*_[]|~)";
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '&') {
      out += c == '<' ? "&lt;" : "&amp;";
      continue;
    }
    out += kMeaning.find(c) == std::string_view::npos ? "" : "\\";
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  STEELYARD_CHECK(cells.size() == columns_.size(), "a row has one cell a column");
  rows_.push_back(std::move(cells));
}

std::string Table::to_text() const {
  std::vector<std::string> headers;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    headers.push_back(column.header);
    widths.push_back(base::display_width(column.header));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], base::display_width(row[i]));
    }
  }
  std::string text = line_of(headers, columns_, widths);
  std::size_t whole = kBetween.size() * (widths.size() - 1);
  for (const std::size_t width : widths) {
    whole += width;
  }
  for (std::size_t i = 0; i < whole; ++i) {
    text += "─";
  }
  text += "\n";
  for (const auto& row : rows_) {
    text += line_of(row, columns_, widths);
  }
  return text;
}

std::string Table::to_markdown() const {
  std::string text = "|";
  std::string rule = "|";
  for (const Column& column : columns_) {
    text += " " + markdown_text(column.header) + " |";
    rule += column.align == base::Align::kRight ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (const std::string& cell : row) {
      text += " " + markdown_text(cell) + " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace steelyard::report
