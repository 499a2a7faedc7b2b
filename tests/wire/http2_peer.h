// The server's side of HTTP/2, its frames made and read by hand (RFC 9113, section 4): it says what
// it is told to, also what no server says.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "two_ends.h"
#include "wire/connection.h"

namespace steelyard::wire::http2 {

enum class Type : std::uint8_t {
  kData,
  kHeaders,
  kPriority,
  kReset,
  kSettings,
  kPush,
  kPing,
  kGoAway,
  kWindow
};
constexpr std::uint8_t kNoFlags = 0;
constexpr std::uint8_t kEndStream = 0x1;
constexpr std::uint8_t kEndHeaders = 0x4;
constexpr std::uint32_t kInternalError = 0x2;
constexpr std::uint32_t kRefusedStream = 0x7;

inline std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> static_cast<unsigned>(shift));
  }
  return text;
}

inline std::string frame(Type type, std::uint8_t flags, std::uint32_t stream,
                         const std::string& payload) {
  return number(payload.size(), 3) + number(static_cast<std::uint8_t>(type), 1) + number(flags, 1) +
         number(stream, 4) + payload;
}

inline std::string settings() { return frame(Type::kSettings, kNoFlags, 0, ""); }
inline std::string settings_with_streams(std::uint32_t most) {
  return frame(Type::kSettings, kNoFlags, 0, number(0x3, 2) + number(most, 4));
}
// A field as a literal without indexing (RFC 7541, section 6.2.2); both shorter than 127 bytes.
inline std::string field(const std::string& name, const std::string& value) {
  return std::string(1, '\0') + number(name.size(), 1) + name + number(value.size(), 1) + value;
}
inline std::string head(std::uint32_t stream, const std::string& status,
                        const std::string& fields = "", std::uint8_t flags = kNoFlags) {
  return frame(Type::kHeaders, kEndHeaders | flags, stream, field(":status", status) + fields);
}
inline std::string event_stream(std::uint32_t stream) {
  return head(stream, "200", field("content-type", "text/event-stream"));
}
inline std::string data(std::uint32_t stream, const std::string& bytes,
                        std::uint8_t flags = kNoFlags) {
  return frame(Type::kData, flags, stream, bytes);
}
inline std::string reset(std::uint32_t stream, std::uint32_t code) {
  return frame(Type::kReset, kNoFlags, stream, number(code, 4));
}
inline std::string go_away(std::uint32_t last_stream) {
  return frame(Type::kGoAway, kNoFlags, 0, number(last_stream, 4) + number(0, 4));
}
inline std::string more_window(std::uint32_t stream, std::uint32_t bytes) {
  return frame(Type::kWindow, kNoFlags, stream, number(bytes, 4));
}
inline std::string whole(std::uint32_t stream, const std::string& body) {
  return event_stream(stream) + data(stream, body, kEndStream);
}

// Takes every connection that comes, and answers each with what `on_request` and `on_other` say.
class Peer {
 public:
  class Session : public Connection::Handler {
   public:
    Session(Peer& peer, std::shared_ptr<Connection> connection)
        : peer_(peer), connection_(std::move(connection)) {
      connection_->set_handler(this);
    }
    ~Session() override {
      connection_->set_handler(nullptr);
      connection_->close();
    }

    void say(std::string_view bytes) { connection_->send(bytes); }
    void close() { connection_->close(); }

    std::map<std::uint32_t, std::string> bodies;  // of requests, by stream
    std::map<std::uint32_t, std::uint32_t> resets;
    bool closed = false;

   private:
    void on_open() override { say(peer_.first_words); }
    void on_closed(const std::string& /*why*/) override { closed = true; }
    void on_bytes(std::string_view bytes, ReadStamp /*stamp*/) override {
      received_ += bytes;
      constexpr std::size_t kPreface = 24;
      constexpr std::size_t kHead = 9;
      if (!greeted_ && received_.size() >= kPreface) {
        greeted_ = true;
        received_.erase(0, kPreface);
      }
      const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(received_[i]); };
      while (greeted_ && received_.size() >= kHead) {
        const std::size_t size = (at(0) << 16U) | (at(1) << 8U) | at(2);
        if (received_.size() < kHead + size) {
          return;
        }
        const auto type = static_cast<Type>(at(3));
        const std::uint8_t flags = at(4);
        const std::uint32_t stream = (at(5) << 24U) | (at(6) << 16U) | (at(7) << 8U) | at(8);
        const std::string payload = received_.substr(kHead, size);
        received_.erase(0, kHead + size);
        take(type, flags, stream, payload);
      }
    }
    void take(Type type, std::uint8_t flags, std::uint32_t stream, const std::string& payload) {
      if (type == Type::kSettings && (flags & 1U) == 0 && !peer_.first_words.empty()) {
        say(frame(Type::kSettings, 1, 0, ""));
      } else if (type == Type::kData) {
        bodies[stream] += payload;
      } else if (type == Type::kReset) {
        resets[stream] = static_cast<std::uint8_t>(payload.back());
      }
      const bool asks = type == Type::kHeaders || type == Type::kData;
      if (asks && (flags & kEndStream) != 0) {
        ++peer_.requests;
        peer_.on_request(*this, stream);
      }
    }

    Peer& peer_;
    std::shared_ptr<Connection> connection_;
    std::string received_;
    bool greeted_ = false;
  };

  explicit Peer(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls = nullptr)
      : listener_(loop, std::move(tls), [this](const std::shared_ptr<Connection>& connection) {
          sessions.push_back(std::make_unique<Session>(*this, connection));
        }) {}

  [[nodiscard]] Resolved address() const { return listener_.address(); }

  std::string first_words = settings();
  std::function<void(Session& session, std::uint32_t stream)> on_request = [](auto&, auto) {};
  int requests = 0;
  std::vector<std::unique_ptr<Session>> sessions;

 private:
  Listener listener_;
};

}  // namespace steelyard::wire::http2
