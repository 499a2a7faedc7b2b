// The canonical form of a request, which client and server each make and sign: what the signatures
// of AWS (Signature Version 4), Huawei Cloud and Tencent Cloud, which stem from one another, have
// in common.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "wire/http_reader.h"

namespace steelyard::platform {

// What a signature covers. Every field given is signed: leave out what a proxy may change.
struct SignedParts {
  std::string_view method;
  std::string_view target;                           // as on the request line: path and query
  std::span<const wire::Fields::value_type> fields;  // "host" is one of them
  std::string_view body;
};

struct Target {
  std::string_view path;  // "/" at least
  std::string_view query;
};
[[nodiscard]] Target split_target(std::string_view target);

// By what parameters are put in order: their encoded text (AWS), or what it stands for (Huawei).
enum class QueryOrder { kEncoded, kDecoded };
// Name and value of each parameter, percent-encoded, in order; a name alone has an empty value. The
// encoding of `query` is undone first.
[[nodiscard]] std::string canonical_query(std::string_view query, QueryOrder order);

// Dot segments resolved and empty ones left out (RFC 3986, section 5.2.4, and the AWS rules).
[[nodiscard]] std::string normal_path(std::string_view path);

enum class FieldValues {
  kTrimmed,
  kOneSpace,   // and white space within them is one space
  kLowerCase,  // trimmed
};
struct CanonicalFields {
  std::string lines;  // "name:value\n" in the names' order; equal names are joined with ","
  std::string names;  // "content-type;host"
};
[[nodiscard]] CanonicalFields canonical_fields(std::span<const wire::Fields::value_type> fields,
                                               std::span<const wire::Fields::value_type> more,
                                               FieldValues values);

}  // namespace steelyard::platform
