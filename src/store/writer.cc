#include "store/writer.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace steelyard::store {
namespace {

constexpr auto kEvery = std::chrono::milliseconds(500);
constexpr std::size_t kMostBytes = 256U << 20U;

std::size_t size_of(const measure::RequestLog& log) {
  return sizeof log + log.chunks.size() * sizeof(measure::ChunkEvent) + log.failure.size();
}

}  // namespace

Writer::Writer(Store& store, std::string run_id)
    : store_(store), run_id_(std::move(run_id)), thread_([this] { work(); }) {}

Writer::~Writer() { (void)finish(); }

bool Writer::take(const std::string& platform, std::int64_t round, const measure::RequestLog& log) {
  const std::lock_guard lock(mutex_);
  if (waiting_bytes_ > kMostBytes) {
    return false;
  }
  if (waiting_.empty() || waiting_.back().round != round || waiting_.back().platform != platform) {
    waiting_.push_back({platform, round, {}});
  }
  waiting_bytes_ += size_of(log);
  waiting_.back().logs.push_back(log);
  return true;
}

void Writer::work() {
  std::deque<Block> blocks;  // those that were refused before come first
  std::unique_lock lock(mutex_);
  for (bool last = false; !last;) {
    wake_.wait_for(lock, kEvery, [this] { return over_; });
    last = over_;
    std::ranges::move(waiting_, std::back_inserter(blocks));
    waiting_.clear();
    lock.unlock();
    write(blocks);
    lock.lock();
  }
}

void Writer::write(std::deque<Block>& blocks) {
  while (!blocks.empty()) {
    const Block& block = blocks.front();
    const auto kept = store_.append(run_id_, block.platform, block.round, block.logs);
    const std::lock_guard lock(mutex_);
    if (!kept) {
      failure_ = kept.error();
      return;
    }
    failure_.reset();
    for (const measure::RequestLog& log : block.logs) {
      waiting_bytes_ -= size_of(log);
    }
    blocks.pop_front();
  }
}

std::optional<base::Error> Writer::finish() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  if (thread_.joinable()) {
    wake_.notify_one();
    thread_.join();
  }
  return failure_;
}

}  // namespace steelyard::store
