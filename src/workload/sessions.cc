#include "workload/sessions.h"

#include <fmt/format.h>

#include <map>
#include <queue>

#include "base/file.h"
#include "workload/content.h"
#include "workload/limits.h"
#include "workload/prompts.h"
#include "workload/sharegpt.h"

namespace steelyard::workload {
namespace {

constexpr std::int64_t kDefaultSessions = 100;
constexpr std::int64_t kMostTurns = 1'000;

// What a session will ask, turn after turn; the same whatever the others do meanwhile.
class Script {
 public:
  virtual ~Script() = default;
  [[nodiscard]] virtual std::int64_t turns(std::size_t session) const = 0;
  // Without history; `input_tokens` counts what the turn adds.
  [[nodiscard]] virtual Request turn(std::size_t session, std::int64_t turn,
                                     base::Random& random) const = 0;
};

class Generated final : public Script {
 public:
  Generated(const DatasetOptions& options, LengthRange input, LengthRange output)
      : options_(options.sessions),
        prefix_tokens_(options.random_prefix_len),
        input_(input),
        output_(output),
        random_(base::Random(options.seed).fork(kLengthStream)),
        prompts_(options.seed, PromptPurpose::kMeasured) {}

  [[nodiscard]] std::int64_t turns(std::size_t session) const override {
    return random_.fork(session).integer(options_.least_turns, options_.most_turns);
  }
  [[nodiscard]] Request turn(std::size_t session, std::int64_t turn,
                             base::Random& random) const override {
    Request request;
    const std::int64_t own = draw(input_, random);
    request.output_tokens = draw(output_, random);
    const std::int64_t prefix = turn == 0 ? prefix_tokens_ : 0;
    request.input_tokens = prefix + own;
    prompts_.append_shared(request.prompt, 0, prefix);
    prompts_.append(request.prompt, session * kMostTurns + static_cast<std::size_t>(turn), own);
    return request;
  }

 private:
  SessionOptions options_;
  std::int64_t prefix_tokens_;
  LengthRange input_;
  LengthRange output_;
  base::Random random_;
  Prompts prompts_;
};

class FromFile final : public Script {
 public:
  FromFile(std::vector<Conversation> conversations, std::optional<std::int64_t> output_len)
      : conversations_(std::move(conversations)), output_len_(output_len) {}
  [[nodiscard]] std::int64_t turns(std::size_t session) const override {
    return static_cast<std::int64_t>(conversations_[session].size());
  }
  [[nodiscard]] Request turn(std::size_t session, std::int64_t turn,
                             base::Random& /*random*/) const override {
    const Turn& said = conversations_[session][static_cast<std::size_t>(turn)];
    Request request;
    request.prompt = said.user;
    request.input_tokens = estimated_tokens(said.user);
    request.output_tokens = output_len_.value_or(estimated_tokens(said.assistant));
    return request;
  }

 private:
  std::vector<Conversation> conversations_;
  std::optional<std::int64_t> output_len_;
};

class Sessions final : public Source {
 public:
  Sessions(std::unique_ptr<Script> script, Arrivals arrivals, const DatasetOptions& options,
           std::int64_t sessions)
      : script_(std::move(script)),
        arrivals_(std::move(arrivals)),
        options_(options.sessions),
        sessions_(sessions),
        requests_left_(options.num_prompts.value_or(std::numeric_limits<std::int64_t>::max())),
        random_(base::Random(options.seed).fork(kSessionStream)) {
    plan_begin();
  }

  std::optional<base::Nanos> next_due() override {
    const auto begin = begin_due();
    if (requests_left_ == 0 || (waiting_.empty() && !begin)) {
      return std::nullopt;
    }
    if (waiting_.empty() || (begin && *begin < waiting_.top().due)) {
      return begin;
    }
    return waiting_.top().due;
  }

  Request next() override {
    const base::Nanos due = *next_due();
    const auto begin = begin_due();
    const bool begins = begin && (waiting_.empty() || *begin < waiting_.top().due);
    const std::size_t session = begins ? begin_session() : waiting_.top().session;
    if (!begins) {
      waiting_.pop();
    }
    --requests_left_;
    out_.emplace(taken_++, session);
    return ask(active_.at(session), session, due);
  }

  [[nodiscard]] bool over() const override {
    return requests_left_ == 0 || (active_.empty() && !begin_);
  }
  [[nodiscard]] std::optional<std::int64_t> planned() const override { return std::nullopt; }
  [[nodiscard]] bool wants_answers() const override { return true; }
  [[nodiscard]] SourceFacts facts() const override {
    SourceFacts facts;
    facts.sessions = static_cast<std::int64_t>(begun_);
    facts.sessions_broken = broken_;
    return facts;
  }

  void ended(std::size_t index, base::Nanos at, bool completed, std::string_view answer) override {
    const auto found = out_.find(index);
    if (found == out_.end()) {
      return;
    }
    const std::size_t session = found->second;
    out_.erase(found);
    Talk& talk = active_.at(session);
    talk.history.push_back({std::move(talk.asked), std::string(answer)});
    talk.input_tokens += estimated_tokens(answer);
    if (completed && ++talk.turn < talk.turns) {
      waiting_.push({at + options_.think.draw(talk.random), session});
      return;
    }
    broken_ += completed ? 0 : 1;
    freed_at_ = full() ? at : freed_at_;
    active_.erase(session);
  }

 private:
  struct Talk {
    std::int64_t turns = 0;
    base::Random random;
    std::int64_t turn = 0;
    std::int64_t input_tokens = 0;  // of all that was said so far, about
    std::string asked{};
    std::vector<Turn> history{};
  };
  struct Waiting {
    base::Nanos due = 0;
    std::size_t session = 0;
    bool operator>(const Waiting& other) const {
      return std::pair(due, session) > std::pair(other.due, other.session);
    }
  };

  void plan_begin() {
    begin_ = static_cast<std::int64_t>(begun_) < sessions_ ? arrivals_.next() : std::nullopt;
  }
  [[nodiscard]] bool full() const {
    return options_.at_once && static_cast<std::int64_t>(active_.size()) >= *options_.at_once;
  }
  // When the next conversation begins; absent while it waits for one to end.
  [[nodiscard]] std::optional<base::Nanos> begin_due() const {
    return begin_ && !full() ? std::optional(std::max(*begin_, freed_at_)) : std::nullopt;
  }
  std::size_t begin_session() {
    const std::size_t session = begun_++;
    active_.emplace(session, Talk{script_->turns(session), random_.fork(session)});
    plan_begin();
    return session;
  }
  Request ask(Talk& talk, std::size_t session, base::Nanos due) {
    Request request = script_->turn(session, talk.turn, talk.random);
    talk.input_tokens += request.input_tokens;
    talk.asked = request.prompt;
    request.input_tokens = talk.input_tokens;
    request.history = talk.history;
    request.due = due;
    return request;
  }

  std::unique_ptr<Script> script_;
  Arrivals arrivals_;
  SessionOptions options_;
  std::int64_t sessions_;
  std::int64_t requests_left_;
  base::Random random_;
  std::optional<base::Nanos> begin_;  // of the next session; absent: there is none
  base::Nanos freed_at_ = 0;          // when a session last made room for one that waited
  std::size_t begun_ = 0;
  std::int64_t broken_ = 0;
  std::size_t taken_ = 0;
  std::map<std::size_t, Talk> active_;
  std::map<std::size_t, std::size_t> out_;  // request to session
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

base::Status check(const SessionOptions& sessions) {
  return within("--num-sessions", sessions.sessions.value_or(1), "sessions", 1, kMostRequests)
      .and_then(
          [&] { return within("--session-turns", sessions.least_turns, "turns", 1, kMostTurns); })
      .and_then([&] {
        return within("--session-turns", sessions.most_turns, "turns", sessions.least_turns,
                      kMostTurns);
      })
      .and_then([&] {
        return within("--session-concurrency", sessions.at_once.value_or(1), "sessions", 1,
                      kMostAtOnce);
      });
}

base::Result<std::vector<Conversation>> read_conversations(const DatasetOptions& options) {
  auto conversations = base::read_file(options.path).and_then([&](const std::string& content) {
    return parse_sharegpt(options.path, content);
  });
  const auto wanted = static_cast<std::size_t>(options.sessions.sessions.value_or(0));
  if (conversations && wanted > conversations->size()) {
    return base::bad_input("--num-sessions",
                           fmt::format("{} has {} conversations, and {} are asked for",
                                       options.path, conversations->size(), wanted),
                           fmt::format("at most {}", conversations->size()));
  }
  if (conversations && options.shuffle) {
    base::Random random = base::Random(options.seed).fork(kShuffleStream);
    shuffle(*conversations, random);
  }
  return conversations;
}

base::Result<std::unique_ptr<Script>> script_of(const DatasetOptions& options,
                                                std::int64_t& sessions) {
  if (!options.path.empty()) {
    auto conversations = read_conversations(options);
    if (!conversations) {
      return tl::unexpected(conversations.error());
    }
    sessions = options.sessions.sessions.value_or(static_cast<std::int64_t>(conversations->size()));
    return std::make_unique<FromFile>(std::move(*conversations), options.output_len);
  }
  sessions = options.sessions.sessions.value_or(options.endless ? kMostRequests : kDefaultSessions);
  // Says what is wrong with lengths.
  if (const auto content = random_content(options, PromptPurpose::kMeasured); !content) {
    return tl::unexpected(content.error());
  }
  const auto range = [&](std::int64_t mean) {
    return *length_range(mean, options.range_ratio, options.range_style);
  };
  return std::make_unique<Generated>(options, range(options.random_input_len),
                                     range(options.random_output_len));
}

}  // namespace

base::Result<std::unique_ptr<Source>> session_source(const DatasetOptions& options,
                                                     const ArrivalOptions& arrivals) {
  if (const auto ok = check(options.sessions); !ok) {
    return tl::unexpected(ok.error());
  }
  std::int64_t sessions = 0;
  auto script = script_of(options, sessions);
  if (!script) {
    return tl::unexpected(script.error());
  }
  auto schedule =
      Arrivals::create(arrivals, base::Random(options.seed).fork(kArrivalStream), sessions);
  if (!schedule) {
    return tl::unexpected(schedule.error());
  }
  return std::make_unique<Sessions>(std::move(*script), std::move(*schedule), options, sessions);
}

}  // namespace steelyard::workload
