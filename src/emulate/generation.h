// One request being answered: waits for its first token, then sends chunk after chunk on an
// absolute schedule (a late chunk does not push the next), and keeps the truth of it.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "emulate/profile.h"
#include "emulate/session.h"
#include "emulate/voice.h"
#include "measure/event_log.h"

namespace steelyard::emulate {

class Generation : public std::enable_shared_from_this<Generation> {
 public:
  using OnEnd = std::function<void(const std::shared_ptr<Generation>&)>;

  Generation(boost::asio::io_context& loop, std::shared_ptr<Session> session,
             std::shared_ptr<const Voice> voice, GenerationRequest request, std::string id,
             base::Nanos received, OnEnd on_end);

  // `fault` absent: all goes well. Before `start`.
  void behave(const Profile& profile, base::Random random, std::optional<FailureKind> fault);
  // `begin` is when a slot is free and the platform is warm.
  void start(base::Nanos begin);
  // The client has gone; `on_end` is called unless the generation never started.
  void abandon();

  // Ended, or abandoned before it started.
  [[nodiscard]] bool over() const { return ended_; }
  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] measure::RequestLog& log() { return log_; }

 private:
  void wait_until(base::Nanos at, void (Generation::*then)());
  void send_chunk();
  void send_whole();
  void send_fault();
  void end(measure::Outcome outcome, base::Nanos at);
  [[nodiscard]] std::int64_t tokens_left() const { return request_.output_tokens - sent_; }

  boost::asio::steady_timer timer_;
  std::shared_ptr<Session> session_;
  GenerationRequest request_;
  std::string id_;
  OnEnd on_end_;
  std::shared_ptr<const Voice> voice_;
  std::unique_ptr<StreamWriter> events_;
  Profile profile_;
  base::Random random_{0};
  std::optional<FailureKind> fault_;
  measure::RequestLog log_;
  base::Nanos next_at_ = 0;
  std::int64_t sent_ = 0;  // tokens
  std::string out_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace steelyard::emulate
