#include "wire/poller.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>

namespace steelyard::wire {
namespace {

// Both ends of a stream; `mine` is the one that is watched.
struct Pair {
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0); }
  ~Pair() {
    ::close(mine);
    ::close(theirs);
  }
  void say(char c) const { EXPECT_EQ(::write(theirs, &c, 1), 1); }
  void drain() const {
    char c;
    while (::read(mine, &c, 1) > 0) {
    }
  }

  int ends[2] = {-1, -1};
  int& mine = ends[0];
  int& theirs = ends[1];
};

struct Ear : Poller::Watched {
  void on_ready(Poller::Ready ready) override {
    if (ready.readable) {
      ++told;
      ended = ended || ready.ended;
      if (then) {
        then();
      }
    }
  }
  int told = 0;
  bool ended = false;
  std::function<void()> then;
};

TEST(Poller, what_is_ready_already_is_told_and_then_each_arrival_once) {
  boost::asio::io_context loop(1);
  const Pair pair;
  const auto ear = std::make_shared<Ear>();
  pair.say('a');
  Poller& poller = Poller::of(loop);
  poller.watch(pair.mine, ear);
  while (ear->told == 0) {
    loop.run_one();
  }
  pair.drain();
  loop.poll();
  EXPECT_EQ(ear->told, 1);
  pair.say('b');
  while (ear->told == 1) {
    loop.run_one();
  }
  EXPECT_EQ(ear->told, 2);
  EXPECT_FALSE(ear->ended);
  ::shutdown(pair.theirs, SHUT_WR);
  while (!ear->ended) {
    loop.run_one();
  }
  poller.forget(pair.mine);
}

TEST(Poller, one_forgotten_by_another_of_its_batch_is_not_told) {
  boost::asio::io_context loop(1);
  const Pair pairs[2];
  const std::shared_ptr<Ear> ears[2] = {std::make_shared<Ear>(), std::make_shared<Ear>()};
  Poller& poller = Poller::of(loop);
  for (int i = 0; i < 2; ++i) {
    ears[i]->then = [&, other = 1 - i] { poller.forget(pairs[other].mine); };
    poller.watch(pairs[i].mine, ears[i]);
    pairs[i].say('a');
  }
  while (ears[0]->told + ears[1]->told == 0) {
    loop.run_one();
  }
  loop.poll();
  EXPECT_EQ(ears[0]->told + ears[1]->told, 1);
  poller.forget(pairs[ears[0]->told == 1 ? 0 : 1].mine);
}

TEST(Poller, who_forgets_itself_lives_until_it_has_been_told_and_no_longer) {
  boost::asio::io_context loop(1);
  const Pair pair;
  Poller& poller = Poller::of(loop);
  std::weak_ptr<Ear> alive;
  bool alive_behind_forget = false;
  {
    const auto ear = std::make_shared<Ear>();
    alive = ear;
    ear->then = [&] {
      poller.forget(pair.mine);
      alive_behind_forget = !alive.expired();
    };
    poller.watch(pair.mine, ear);
  }
  pair.say('a');
  while (!alive.expired()) {
    loop.run_one();
  }
  EXPECT_TRUE(alive_behind_forget);
}

TEST(Poller, a_loop_that_watches_nothing_ends) {
  boost::asio::io_context loop(1);
  const Pair pair;
  const auto ear = std::make_shared<Ear>();
  Poller& poller = Poller::of(loop);
  poller.watch(pair.mine, ear);
  poller.forget(pair.mine);
  poller.watch(pair.mine, ear);
  pair.say('a');
  ear->then = [&] { poller.forget(pair.mine); };
  loop.run();
  EXPECT_EQ(ear->told, 1);
}

TEST(Poller, a_loop_that_is_destroyed_lets_go_of_whom_it_watches) {
  const Pair pair;
  const auto ear = std::make_shared<Ear>();
  {
    boost::asio::io_context loop(1);
    Poller::of(loop).watch(pair.mine, ear);
    EXPECT_EQ(ear.use_count(), 2);
  }
  EXPECT_EQ(ear.use_count(), 1);
}

}  // namespace
}  // namespace steelyard::wire
