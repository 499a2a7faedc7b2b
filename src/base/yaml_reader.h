// YAML as people write it, read strictly: every complaint names file:line:column, a key nobody
// asked for is an error with the nearest right one, and nothing converts by itself. A reader is a
// cursor on one mapping; it remembers the first complaint and the keys that were asked for.
//
//   auto file = YamlFile::load("suite.yaml");
//   YamlMap root = file->root();
//   std::string name = root.text("name");
//   YamlMap sla = root.map("sla");
//   for (YamlMap& p : root.maps("platforms")) ...
//   if (Status ok = root.finish(); !ok) return unexpected(ok.error());   // unknown keys, first
//   error
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace steelyard::base {

struct YamlState;  // shared by all cursors on one file

// A scalar with its place, for values that a domain type parses ("0.79 USD/h").
struct YamlText {
  std::string value;
  std::string where;  // "suite.yaml:12:5"
};

class YamlMap {
 public:
  // A missing required value records an error and gives an empty default; `finish` reports it.
  std::string text(std::string_view key);
  std::int64_t integer(std::string_view key);
  double number(std::string_view key);
  YamlMap map(std::string_view key);
  std::vector<YamlMap> maps(std::string_view key);
  std::vector<YamlText> texts(std::string_view key);
  YamlText located(std::string_view key);

  // Absent gives nullopt or empty; present but of the wrong kind is an error.
  std::optional<std::string> maybe_text(std::string_view key);
  std::optional<std::int64_t> maybe_integer(std::string_view key);
  std::optional<double> maybe_number(std::string_view key);
  std::optional<bool> maybe_bool(std::string_view key);
  std::optional<YamlMap> maybe_map(std::string_view key);
  std::vector<YamlMap> maybe_maps(std::string_view key);
  std::vector<YamlText> maybe_texts(std::string_view key);
  std::optional<YamlText> maybe_located(std::string_view key);

  [[nodiscard]] bool has(std::string_view key) const;
  // Every key of this mapping, in file order, each counted as asked for: for maps keyed by the
  // user.
  std::vector<std::string> keys();
  // "file:line:column" of the key's value, or of the mapping when the key is absent.
  [[nodiscard]] std::string where(std::string_view key = {}) const;

  // Records a complaint about a value that a domain type refused. Only the first is kept.
  void complain(const Error& error);
  // The first complaint of the file, or an unknown key of this mapping or any mapping read from it.
  [[nodiscard]] Status finish();

  struct Node;

 private:
  friend class YamlFile;
  YamlMap(std::shared_ptr<YamlState> state, std::shared_ptr<Node> node);
  std::shared_ptr<YamlState> state_;
  std::shared_ptr<Node> node_;
};

class YamlFile {
 public:
  // Reads and parses; syntax errors carry line and column. The root must be a mapping.
  [[nodiscard]] static Result<YamlFile> load(const std::string& path);
  // The same from memory; `name` stands in complaints.
  [[nodiscard]] static Result<YamlFile> parse(const std::string& name, const std::string& content);
  [[nodiscard]] YamlMap root() const { return root_; }

 private:
  explicit YamlFile(YamlMap root) : root_(std::move(root)) {}
  YamlMap root_;
};

}  // namespace steelyard::base
