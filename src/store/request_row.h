// One row of the table `requests` from a request's event log, and back.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <optional>
#include <string_view>

#include "measure/event_log.h"

namespace steelyard::store {

// The columns that follow run_id, platform, round and seq, in the order in which they are bound.
inline constexpr std::string_view kRequestColumns =
    "request_index, due_ns, sent_ns, connect_ns, first_byte_ns, end_ns, streamed, outcome, "
    "http_status, input_tokens, output_tokens, token_source, failure, chunks, ttft_ns, tpot_ns, "
    "e2e_ns, asked_input_tokens, asked_output_tokens, written_ns, tls_ns, "
    "server_queue_ns, server_load_ns, server_prefill_ns, server_decode_ns, server_execute_ns";
inline constexpr int kRequestColumnCount = 26;

// Binds them from parameter `first` on.
void bind_request(SQLite::Statement& statement, int first, const measure::RequestLog& log);

// From a row that selects them. Absent when the row holds what no version has written.
[[nodiscard]] std::optional<measure::RequestLog> read_request(SQLite::Statement& row);

}  // namespace steelyard::store
