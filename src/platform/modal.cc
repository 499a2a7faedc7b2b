#include "platform/modal.h"

#include <fmt/format.h>

#include "platform/openai_dialect.h"

namespace steelyard::platform {
namespace {

constexpr int kOk = 200;
constexpr int kSeeOther = 303;

class ModalCall : public Call {
 public:
  void reset() override { redirects_ = 0; }
  [[nodiscard]] bool takes(int status) const override {
    return status == kOk || status == kSeeOther;
  }
  CallStep take(const wire::HttpHead& head, std::string_view /*body*/) override;
  CallStep stream_ended() override {
    CallStep step;
    step.kind = CallStep::Kind::kEnd;
    return step;
  }

 private:
  // Each stands for 150 s: more than a day and a half, which no request timeout allows.
  static constexpr int kMostRedirects = 1'000;
  int redirects_ = 0;
};

CallStep ModalCall::take(const wire::HttpHead& head, std::string_view /*body*/) {
  CallStep step;
  if (head.status != kSeeOther) {
    return step;
  }
  step.next.url = head.field("location");
  step.next.accept = "text/event-stream, application/json";
  const bool lost = step.next.url.empty() || ++redirects_ > kMostRedirects;
  step.kind = lost ? CallStep::Kind::kFail : CallStep::Kind::kFollow;
  step.words = lost ? fmt::format("redirect {} leads nowhere", redirects_ + 1) : "";
  return step;
}

Dialect with_redirects(const Dialect& openai) {
  Dialect dialect = openai;
  dialect.make_call = [](const RequestOptions&) -> std::unique_ptr<Call> {
    return std::make_unique<ModalCall>();
  };
  return dialect;
}

}  // namespace

const Dialect kModalChat = with_redirects(kOpenAiChat);
const Dialect kModalCompletions = with_redirects(kOpenAiCompletions);

}  // namespace steelyard::platform
