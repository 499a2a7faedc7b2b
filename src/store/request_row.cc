#include "store/request_row.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "measure/request_metrics.h"
#include "measure/summary.h"
#include "store/chunk_codec.h"

namespace steelyard::store {
namespace {

using measure::Outcome;
using measure::RequestLog;
using measure::TokenSource;

// Binds one value after another; an absent one is NULL.
class Binder {
 public:
  Binder(SQLite::Statement& statement, int first) : statement_(statement), next_(first) {}
  void integer(std::int64_t value) { statement_.bind(next_++, value); }
  void text(const std::string& value) { statement_.bind(next_++, value); }
  void bytes(const std::string& value) {
    statement_.bind(next_++, static_cast<const void*>(value.data()),
                    static_cast<int>(value.size()));
  }
  template <typename Value>
  void maybe(const std::optional<Value>& value) {
    value ? statement_.bind(next_++, *value) : statement_.bind(next_++);
  }

 private:
  SQLite::Statement& statement_;
  int next_;
};

class Columns {
 public:
  explicit Columns(SQLite::Statement& row) : row_(row) {}
  std::int64_t integer() { return row_.getColumn(next_++).getInt64(); }
  void skip(int columns) { next_ += columns; }
  std::string text() { return row_.getColumn(next_++).getString(); }
  std::optional<std::int64_t> maybe_integer() {
    const SQLite::Column column = row_.getColumn(next_++);
    return column.isNull() ? std::nullopt : std::optional<std::int64_t>(column.getInt64());
  }

 private:
  SQLite::Statement& row_;
  int next_ = 0;
};

// Stored by name, so that a query can read them and their numbers may change.
template <typename Enum>
bool by_name(std::string_view name, Enum last, Enum& value) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    value = static_cast<Enum>(i);
    if (name_of(value) == name) {
      return true;
    }
  }
  return false;
}

}  // namespace

void bind_request(SQLite::Statement& statement, int first, const RequestLog& log) {
  // A field that is added to the log stops this line from compiling, and so is not forgotten here.
  const auto& [index, due_at, sent_at, written_at, connect, tls_handshake, first_byte_at, end_at,
               chunks, streamed, outcome, http_status, input_tokens, output_tokens, token_source,
               asked_input_tokens, asked_output_tokens, server, failure] = log;
  const auto& [queue, load, prefill, decode, execute] = server;
  const measure::RequestMetrics metrics = measure::metrics_of(log);
  Binder next(statement, first);
  next.integer(index);
  next.integer(due_at);
  next.integer(sent_at);
  next.maybe(connect);
  next.maybe(first_byte_at);
  next.maybe(end_at);
  next.integer(streamed ? 1 : 0);
  next.text(std::string(name_of(outcome)));
  next.integer(http_status);
  next.maybe(input_tokens);
  next.maybe(output_tokens);
  next.text(std::string(name_of(token_source)));
  next.text(failure);
  next.bytes(encode_chunks(sent_at, chunks));
  next.maybe(metrics.ttft);
  next.maybe(metrics.tpot_ns);
  next.maybe(metrics.e2e);
  next.maybe(asked_input_tokens);
  next.maybe(asked_output_tokens);
  next.integer(written_at);
  next.maybe(tls_handshake);
  for (const auto& time : {queue, load, prefill, decode, execute}) {
    next.maybe(time);
  }
}

std::optional<RequestLog> read_request(SQLite::Statement& row) {
  Columns next(row);
  RequestLog log;
  log.index = next.maybe_integer().value_or(0);
  log.due_at = next.integer();
  log.sent_at = next.integer();
  log.connect = next.maybe_integer();
  log.first_byte_at = next.maybe_integer();
  log.end_at = next.maybe_integer();
  log.streamed = next.integer() != 0;
  const bool outcome_known = by_name(next.text(), Outcome::kNotStreamed, log.outcome);
  log.http_status = static_cast<int>(next.integer());
  log.input_tokens = next.maybe_integer();
  log.output_tokens = next.maybe_integer();
  const bool source_known = by_name(next.text(), TokenSource::kUsage, log.token_source);
  log.failure = next.text();
  auto chunks = decode_chunks(log.sent_at, next.text());
  next.skip(3);  // computed from the others
  log.asked_input_tokens = next.maybe_integer();
  log.asked_output_tokens = next.maybe_integer();
  log.written_at = next.maybe_integer().value_or(log.sent_at);
  log.tls_handshake = next.maybe_integer();
  for (auto* const time : {&log.server.queue, &log.server.load, &log.server.prefill,
                           &log.server.decode, &log.server.execute}) {
    *time = next.maybe_integer();
  }
  if (!outcome_known || !source_known || !chunks) {
    return std::nullopt;
  }
  log.chunks = std::move(*chunks);
  return log;
}

}  // namespace steelyard::store
