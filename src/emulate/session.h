// One connection of the server: requests in, answers and streams out, one after the other.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "emulate/voice.h"
#include "wire/connection.h"
#include "wire/http_reader.h"

namespace steelyard::emulate {

class Session : public wire::Connection::Handler, public std::enable_shared_from_this<Session> {
 public:
  struct Request {
    const wire::HttpHead& head;
    std::string_view body;
    base::Nanos received;  // the kernel's stamp of its last byte
  };
  using OnRequest = std::function<void(const std::shared_ptr<Session>&, const Request&)>;
  using OnClosed = std::function<void(const std::shared_ptr<Session>&)>;

  Session(std::shared_ptr<wire::Connection> connection, std::string extra_fields,
          OnRequest on_request, OnClosed on_closed);

  // Answers the request at hand; then the next one may come.
  void answer(const Answer& answer, std::string_view fields = {});
  // A stream of events: begun, sent in pieces, ended. Each gives the time of its write.
  void begin_stream(std::string_view content_type);
  base::Nanos stream(std::string_view events);
  base::Nanos end_stream(std::string_view events);
  // In the middle of whatever is being sent.
  void cut();

  // Called when the client goes away before the answer ended.
  void set_on_abandoned(std::function<void()> on_abandoned) {
    on_abandoned_ = std::move(on_abandoned);
  }

  void on_bytes(std::string_view bytes, wire::ReadStamp stamp) override;
  void on_closed(const std::string& why) override;

 private:
  void take_waiting();
  [[nodiscard]] bool no_http(const std::string& bytes) const;
  void take(const std::string& bytes);
  void finish_message();

  std::shared_ptr<wire::Connection> connection_;
  std::string extra_fields_;
  OnRequest on_request_;
  OnClosed on_closed_;
  std::function<void()> on_abandoned_;
  wire::HttpReader reader_{wire::HttpReader::Side::kRequests};
  std::string body_;
  std::string waiting_;  // bytes not yet read: of the next request, while this one is answered
  base::Nanos received_ = 0;
  bool answering_ = false;
  bool taking_ = false;
  bool over_ = false;
  bool continue_sent_ = false;
  bool keep_alive_ = true;
  std::string out_;
};

}  // namespace steelyard::emulate
