#include "platform/canonical_request.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/text.h"

namespace steelyard::platform {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

void append_value(std::string_view value, FieldValues how, std::string& into) {
  value = base::trim(value);
  if (how == FieldValues::kTrimmed) {
    into += value;
  } else if (how == FieldValues::kLowerCase) {
    into += base::lower(value);
  } else {
    bool within = false;
    for (const char c : value) {
      const bool space = kSpace.find(c) != std::string_view::npos;
      if (!space || !within) {
        into += space ? ' ' : c;
      }
      within = space;
    }
  }
}

}  // namespace

Target split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  return {path.empty() ? "/" : path,
          mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1)};
}

std::string canonical_query(std::string_view query, QueryOrder order) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const std::string_view each : base::split(query, '&')) {
    const std::size_t equals = each.find('=');
    if (!each.empty()) {
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view() : each.substr(equals + 1);
      parameters.emplace_back(base::percent_decode(each.substr(0, equals)),
                              base::percent_decode(value));
    }
  }
  if (order == QueryOrder::kDecoded) {
    std::ranges::sort(parameters);
  }
  for (auto& [name, value] : parameters) {
    name = base::percent_encode(name);
    value = base::percent_encode(value);
  }
  if (order == QueryOrder::kEncoded) {
    std::ranges::sort(parameters);
  }
  std::string text;
  for (const auto& [name, value] : parameters) {
    text.append(text.empty() ? "" : "&").append(name).append("=").append(value);
  }
  return text;
}

std::string normal_path(std::string_view path) {
  std::vector<std::string_view> kept;
  for (const std::string_view segment : base::split(path, '/')) {
    if (segment == "..") {
      if (!kept.empty()) {
        kept.pop_back();
      }
    } else if (!segment.empty() && segment != ".") {
      kept.push_back(segment);
    }
  }
  std::string text;
  for (const std::string_view segment : kept) {
    text.append("/").append(segment);
  }
  return text.empty() || path.ends_with('/') ? text + "/" : text;
}

CanonicalFields canonical_fields(std::span<const wire::Fields::value_type> fields,
                                 std::span<const wire::Fields::value_type> more,
                                 FieldValues values) {
  std::vector<std::pair<std::string, std::string_view>> named;
  named.reserve(fields.size() + more.size());
  for (const auto& part : {fields, more}) {
    for (const auto& [name, value] : part) {
      named.emplace_back(base::lower(name), value);
    }
  }
  std::ranges::stable_sort(named, {}, [](const auto& each) -> const auto& { return each.first; });
  CanonicalFields canonical;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const bool again = i > 0 && named[i - 1].first == named[i].first;
    if (again) {
      canonical.lines.back() = ',';
    } else {
      canonical.lines.append(named[i].first).append(":");
      canonical.names.append(canonical.names.empty() ? "" : ";").append(named[i].first);
    }
    append_value(named[i].second, values, canonical.lines);
    canonical.lines += '\n';
  }
  return canonical;
}

}  // namespace steelyard::platform
