#include "base/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>

#include "base/file.h"
#include "base/text.h"

namespace steelyard::base {

struct YamlMap::Node {
  YAML::Node yaml;
  std::set<std::string, std::less<>> asked;
};

// Shared because a cursor may outlive the file it came from, and all report into one place.
struct YamlState {
  std::string name;
  std::optional<Error> first_error;
  std::vector<std::shared_ptr<YamlMap::Node>> maps;
};

namespace {

std::string place(const YamlState& state, const YAML::Mark& mark) {
  if (mark.is_null()) {
    return state.name;
  }
  return fmt::format("{}:{}:{}", state.name, mark.line + 1, mark.column + 1);
}

void complain_once(YamlState& state, Error error) {
  if (!state.first_error) {
    state.first_error = std::move(error);
  }
}

// A file that is no YAML at all reads as one long text; it may be a key, which is nobody's to see.
std::string quoted(const std::string& text) {
  constexpr std::size_t kMostQuoted = 60;
  return text.size() > kMostQuoted ? fmt::format("a text of {} bytes", text.size())
                                   : fmt::format("\"{}\"", text);
}

std::string kind_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Null:
      return "nothing";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Map:
      return "a mapping";
    default:
      return quoted(node.Scalar());
  }
}

template <typename T>
std::optional<T> convert(YamlState& state, const YAML::Node& node, std::string_view expected) {
  T value{};
  if (node.IsScalar() && YAML::convert<T>::decode(node, value)) {
    return value;
  }
  complain_once(state, Error{ErrorCode::kBadInput, place(state, node.Mark()),
                             fmt::format("expected {}, found {}", expected, kind_of(node)), ""});
  return std::nullopt;
}

void check_keys(YamlState& state, const YamlMap::Node& map) {
  std::vector<std::string_view> known(map.asked.begin(), map.asked.end());
  std::set<std::string> seen;
  for (const auto& entry : map.yaml) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const std::string where = place(state, entry.first.Mark());
    if (!seen.insert(key).second) {
      complain_once(state, Error{ErrorCode::kBadInput, where,
                                 fmt::format("the key \"{}\" stands twice", key), ""});
    }
    if (map.asked.contains(key)) {
      continue;
    }
    const std::string near = nearest(key, known);
    std::vector<std::string> all(map.asked.begin(), map.asked.end());
    complain_once(state, Error{ErrorCode::kBadInput, where, fmt::format("unknown key \"{}\"", key),
                               near.empty() ? "known here: " + join(all, ", ")
                                            : fmt::format("did you mean \"{}\"?", near)});
  }
}

}  // namespace

YamlMap::YamlMap(std::shared_ptr<YamlState> state, std::shared_ptr<Node> node)
    : state_(std::move(state)), node_(std::move(node)) {
  state_->maps.push_back(node_);
}

namespace {
// The value under a key, or nullopt when it is absent or null.
std::optional<YAML::Node> find(YamlMap::Node& map, std::string_view key) {
  map.asked.insert(std::string(key));
  if (!map.yaml.IsMap()) {
    return std::nullopt;
  }
  const YAML::Node& readable = map.yaml;  // operator[] on a const node does not insert
  YAML::Node value = readable[std::string(key)];
  if (!value.IsDefined() || value.IsNull()) {
    return std::nullopt;
  }
  return value;
}

void missing(YamlState& state, const YamlMap::Node& map, std::string_view key) {
  complain_once(state, Error{ErrorCode::kBadInput, place(state, map.yaml.Mark()),
                             fmt::format("\"{}\" is missing", key), ""});
}

// A value or its stand-in, and a complaint in that case.
template <typename T>
T required(YamlState& state, const YamlMap::Node& map, std::string_view key,
           const std::optional<T>& value, T stand_in) {
  if (!value) {
    missing(state, map, key);
  }
  return value.value_or(std::move(stand_in));
}

bool is_list(YamlState& state, const YAML::Node& value, std::string_view key) {
  if (!value.IsSequence()) {
    complain_once(state, Error{ErrorCode::kBadInput, place(state, value.Mark()),
                               fmt::format("\"{}\" must be a list", key), ""});
  }
  return value.IsSequence();
}
}  // namespace

std::optional<std::string> YamlMap::maybe_text(std::string_view key) {
  const auto value = find(*node_, key);
  return value ? convert<std::string>(*state_, *value, "text") : std::nullopt;
}
std::optional<std::int64_t> YamlMap::maybe_integer(std::string_view key) {
  const auto value = find(*node_, key);
  return value ? convert<std::int64_t>(*state_, *value, "a whole number") : std::nullopt;
}
std::optional<double> YamlMap::maybe_number(std::string_view key) {
  const auto value = find(*node_, key);
  return value ? convert<double>(*state_, *value, "a number") : std::nullopt;
}
std::optional<bool> YamlMap::maybe_bool(std::string_view key) {
  const auto value = find(*node_, key);
  return value ? convert<bool>(*state_, *value, "true or false") : std::nullopt;
}
std::optional<YamlText> YamlMap::maybe_located(std::string_view key) {
  const auto text = maybe_text(key);
  return text ? std::optional(YamlText{*text, where(key)}) : std::nullopt;
}

std::optional<YamlMap> YamlMap::maybe_map(std::string_view key) {
  const auto value = find(*node_, key);
  if (!value) {
    return std::nullopt;
  }
  if (!value->IsMap()) {
    complain_once(
        *state_,
        Error{ErrorCode::kBadInput, place(*state_, value->Mark()),
              fmt::format("\"{}\" must be a mapping, found {}", key, kind_of(*value)), ""});
    return std::nullopt;
  }
  return YamlMap(state_, std::make_shared<Node>(Node{*value, {}}));
}

std::vector<YamlMap> YamlMap::maybe_maps(std::string_view key) {
  std::vector<YamlMap> out;
  const auto value = find(*node_, key);
  if (!value || !is_list(*state_, *value, key)) {
    return out;
  }
  for (const YAML::Node& item : *value) {
    if (!item.IsMap()) {
      complain_once(
          *state_,
          Error{ErrorCode::kBadInput, place(*state_, item.Mark()),
                fmt::format("each of \"{}\" must be a mapping, found {}", key, kind_of(item)), ""});
      continue;
    }
    out.push_back(YamlMap(state_, std::make_shared<Node>(Node{item, {}})));
  }
  return out;
}

std::vector<YamlText> YamlMap::maybe_texts(std::string_view key) {
  std::vector<YamlText> out;
  const auto value = find(*node_, key);
  if (!value) {
    return out;
  }
  if (value->IsScalar()) {  // one value may stand without brackets
    out.push_back({value->Scalar(), place(*state_, value->Mark())});
    return out;
  }
  if (!is_list(*state_, *value, key)) {
    return out;
  }
  for (const YAML::Node& item : *value) {
    if (const auto text = convert<std::string>(*state_, item, "text")) {
      out.push_back({*text, place(*state_, item.Mark())});
    }
  }
  return out;
}

std::string YamlMap::text(std::string_view key) {
  return required(*state_, *node_, key, maybe_text(key), std::string{});
}
std::int64_t YamlMap::integer(std::string_view key) {
  return required(*state_, *node_, key, maybe_integer(key), std::int64_t{0});
}
double YamlMap::number(std::string_view key) {
  return required(*state_, *node_, key, maybe_number(key), 0.0);
}
YamlMap YamlMap::map(std::string_view key) {
  if (auto value = maybe_map(key)) {
    return *value;
  }
  missing(*state_, *node_, key);
  return YamlMap(state_, std::make_shared<Node>(Node{YAML::Node(YAML::NodeType::Map), {}}));
}
std::vector<YamlMap> YamlMap::maps(std::string_view key) {
  auto value = maybe_maps(key);
  if (value.empty()) {
    missing(*state_, *node_, key);
  }
  return value;
}
std::vector<YamlText> YamlMap::texts(std::string_view key) {
  auto value = maybe_texts(key);
  if (value.empty()) {
    missing(*state_, *node_, key);
  }
  return value;
}
YamlText YamlMap::located(std::string_view key) {
  return required(*state_, *node_, key, maybe_located(key), YamlText{"", where()});
}

bool YamlMap::has(std::string_view key) const { return find(*node_, key).has_value(); }

std::vector<std::string> YamlMap::keys() {
  std::vector<std::string> out;
  for (const auto& entry : node_->yaml) {
    if (const auto key = convert<std::string>(*state_, entry.first, "a key")) {
      node_->asked.insert(*key);
      out.push_back(*key);
    }
  }
  return out;
}

std::string YamlMap::where(std::string_view key) const {
  const YAML::Node& readable = node_->yaml;
  if (!key.empty() && readable.IsMap()) {
    const YAML::Node value = readable[std::string(key)];
    if (value.IsDefined()) {
      return place(*state_, value.Mark());
    }
  }
  return place(*state_, readable.Mark());
}

void YamlMap::complain(const Error& error) { complain_once(*state_, error); }

Status YamlMap::finish() {
  for (const auto& map : state_->maps) {
    check_keys(*state_, *map);
  }
  if (state_->first_error) {
    return tl::unexpected(*state_->first_error);
  }
  return {};
}

Result<YamlFile> YamlFile::load(const std::string& path) {
  const auto content = read_file(path);
  if (!content) {
    return tl::unexpected(content.error());
  }
  return parse(path, *content);
}

Result<YamlFile> YamlFile::parse(const std::string& name, const std::string& content) {
  auto state = std::make_shared<YamlState>();
  state->name = name;
  try {
    const YAML::Node root = YAML::Load(content);
    if (!root.IsMap()) {
      return bad_input(name, "expected a mapping at the top, found " + kind_of(root));
    }
    return YamlFile(YamlMap(state, std::make_shared<YamlMap::Node>(YamlMap::Node{root, {}})));
  } catch (const YAML::Exception& broken) {
    return bad_input(place(*state, broken.mark), "not valid YAML: " + broken.msg);
  }
}

}  // namespace steelyard::base
