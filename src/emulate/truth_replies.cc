// The truth server's requests and answers; truth_server.cc is its loop.
#include <fmt/format.h>

#include "emulate/fault_scripts.h"
#include "emulate/http_text.h"
#include "emulate/openai_voice.h"
#include "emulate/truth_server.h"

namespace steelyard::emulate {
namespace {

// Then the loop looks at what has come meanwhile: a request's stamp is the kernel's, so it may
// wait, but not for thousands of writes.
constexpr int kWritesAtOnce = 128;

iovec piece_of(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

void TruthServer::on_readable(TruthConnection& connection) {
  if (connection.read() == TruthConnection::Read::kClosed) {
    close(connection);
    return;
  }
  take_requests(connection);
}

// A loop and no recursion: a client may send any number of requests ahead.
void TruthServer::take_requests(TruthConnection& connection) {
  const std::uint32_t slot = connection.slot();
  const std::uint32_t turn = connection.turn;
  if (connection.taking) {
    return;
  }
  connection.taking = true;
  while (TruthConnection* open = find(slot, turn)) {
    if (open->reply.active || open->closing || !open->next_request()) {
      open->taking = false;
      break;
    }
    route(*open);
  }
  if (TruthConnection* open = find(slot, turn);
      open != nullptr && !open->fault().empty() && !open->reply.active && !open->closing) {
    open->closing = true;
    answer(*open, error_answer(400, open->fault()));
  }
}

void TruthServer::route(TruthConnection& connection) {
  const std::string_view path = path_of(connection.head().target);
  const std::string_view method = connection.head().method;
  const bool chat = path == "/v1/chat/completions";
  connection.closing = !connection.head().keeps_alive();
  if (chat || path == "/v1/completions") {
    if (method == "POST") {
      begin(connection, chat);
    } else {
      answer(connection, error_answer(405, "this path takes POST"));
    }
  } else if (method == "DELETE" && path == "/truth") {
    tally_.clear();
    answer(connection, {200, "{}"});
  } else if (method == "GET" && path == "/v1/models") {
    answer(connection, models_answer(options_.model));
  } else if (method == "GET" && path == "/health") {
    answer(connection, {200, "", "text/plain"});
  } else if (method == "GET" && path == "/truth") {
    answer(connection, {200, tally_.to_json()});
  } else if (method == "GET" && path == "/truth/summary") {
    answer(connection, {200, tally_.summary_json()});
  } else {
    answer(connection, error_answer(404, fmt::format("no such path: {}", path)));
  }
}

void TruthServer::answer(TruthConnection& connection, const Answer& answer) {
  connection.finish_request();
  if (!connection.write(http_text(answer, kTruthField, {}, !connection.closing))) {
    close(connection);
    return;
  }
  settle(connection);
}

void TruthServer::begin(TruthConnection& connection, bool chat) {
  auto request = requests_.read(connection.body(), chat);
  if (!request) {
    answer(connection, error_answer(400, request.error()));
    return;
  }
  if (request->output_tokens == 0) {
    request->output_tokens = options_.output_tokens;
  }
  TruthReply& reply = connection.reply;
  reply.active = true;
  reply.request = std::move(*request);
  reply.parts_sent = 0;
  reply.truth = tally_.begin(connection.arrival());
  reply.due = connection.arrival();
  if (options_.instant && options_.script == nullptr) {
    advance(connection);
    return;
  }
  reply.due += options_.ttft;
  if (!reply.request.stream && options_.script == nullptr) {
    reply.due += (reply.request.output_tokens - 1) * options_.itl;
  }
  schedule(connection);
}

void TruthServer::schedule(TruthConnection& connection) {
  queue_.push({connection.reply.due, connection.slot(), connection.turn});
}

void TruthServer::write_due() {
  base::Nanos now = base::monotonic_now();
  for (int i = 0; i < kWritesAtOnce && !queue_.empty(); ++i) {
    if (queue_.next_due() > now) {
      now = base::monotonic_now();
      if (queue_.next_due() > now) {
        return;
      }
    }
    const PaceQueue::Entry entry = queue_.pop();
    TruthConnection* connection = find(entry.slot, entry.turn);
    if (connection == nullptr) {
      continue;
    }
    if (connection->has_rest()) {
      connection->reply.waits_for_client = true;
      tally_.blocked(connection->reply.truth);
      continue;
    }
    advance(*connection);
  }
}

void TruthServer::on_writable(TruthConnection& connection) {
  if (!connection.flush()) {
    close(connection);
    return;
  }
  if (connection.has_rest()) {
    return;
  }
  watch(connection, false);
  if (connection.reply.waits_for_client) {
    advance(connection);  // clears the mark once it is written: that write is not late by our fault
    return;
  }
  settle(connection);
}

std::int64_t TruthServer::parts_of(const TruthReply& reply) const {
  if (options_.script != nullptr) {
    return static_cast<std::int64_t>(options_.script->pieces.size());
  }
  return reply.request.stream ? reply.request.output_tokens : 1;
}

void TruthServer::advance(TruthConnection& connection) {
  TruthReply& reply = connection.reply;
  do {
    if (!write_part(connection)) {
      close(connection);
      return;
    }
    if (reply.parts_sent == parts_of(reply)) {
      end_reply(connection);
      return;
    }
    if (options_.instant && options_.script == nullptr && connection.has_rest()) {
      reply.waits_for_client = true;
      watch(connection, true);
      return;
    }
  } while (options_.instant && options_.script == nullptr);
  if (connection.has_rest()) {
    watch(connection, true);
  }
  reply.due += options_.itl;
  schedule(connection);
}

bool TruthServer::write_part(TruthConnection& connection) {
  TruthReply& reply = connection.reply;
  const base::Nanos at = base::monotonic_now();
  if (!options_.instant && !reply.waits_for_client) {
    tally_.late(reply.truth, at - reply.due);
  }
  reply.waits_for_client = false;
  if (options_.script != nullptr) {
    return write_piece(connection, at);
  }
  return reply.request.stream ? write_tokens(connection, at) : write_whole(connection);
}

bool TruthServer::write_tokens(TruthConnection& connection, base::Nanos at) {
  TruthReply& reply = connection.reply;
  const GenerationRequest& request = reply.request;
  const AnswerBytes& bytes = request.chat ? chat_bytes_ : text_bytes_;
  std::int64_t count = options_.instant ? request.output_tokens - reply.parts_sent : 1;
  const std::string_view tokens = bytes.tokens(reply.parts_sent, count);
  const bool first = reply.parts_sent == 0;
  reply.parts_sent += count;
  tally_.wrote(reply.truth, at, count);
  const bool last = reply.parts_sent == request.output_tokens;
  if (!first && !last) {
    return connection.write(tokens);
  }
  ending_.clear();
  if (last) {
    bytes.append_ending(request.include_usage, request.input_tokens, request.output_tokens,
                        ending_);
  }
  std::array<iovec, 3> pieces{piece_of(first ? bytes.head(!connection.closing) : ""),
                              piece_of(tokens), piece_of(ending_)};
  return connection.write(pieces);
}

bool TruthServer::write_piece(TruthConnection& connection, base::Nanos at) {
  TruthReply& reply = connection.reply;
  const auto& piece = options_.script->pieces[static_cast<std::size_t>(reply.parts_sent++)];
  if (piece.tokens > 0) {
    tally_.wrote(reply.truth, at, piece.tokens);
  }
  return piece.bytes.empty() || connection.write(piece.bytes);
}

bool TruthServer::write_whole(TruthConnection& connection) {
  TruthReply& reply = connection.reply;
  reply.request.model = options_.model;
  reply.parts_sent = 1;
  tally_.wrote_whole(reply.truth, reply.request.output_tokens);
  return connection.write(http_text(completion_answer(reply.request, "cmpl-whole"), kTruthField, {},
                                    !connection.closing));
}

void TruthServer::end_reply(TruthConnection& connection) {
  TruthReply& reply = connection.reply;
  reply.active = false;
  measure::Outcome outcome = measure::Outcome::kCompleted;
  if (options_.script != nullptr) {
    outcome = options_.script->outcome;
    connection.closing = connection.closing || options_.script->end != FaultScript::End::kKeepOpen;
    if (options_.script->end == FaultScript::End::kReset) {
      connection.reset_on_close();
    }
  }
  tally_.end(reply.truth, base::monotonic_now(), outcome);
  connection.finish_request();
  const std::uint32_t slot = connection.slot();
  const std::uint32_t turn = connection.turn;
  settle(connection);
  if (TruthConnection* open = find(slot, turn)) {
    take_requests(*open);  // those that came meanwhile
  }
}

// After an answer: what the socket did not take is waited for, and then a connection that is to be
// closed is.
void TruthServer::settle(TruthConnection& connection) {
  watch(connection, connection.has_rest());
  if (!connection.has_rest() && connection.closing && !connection.reply.active) {
    close(connection);
  }
}

}  // namespace steelyard::emulate
