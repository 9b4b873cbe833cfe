#include "product/synth/write_expansion.hpp"

#include <algorithm>
#include <cstdint>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace cachescape::synth {
namespace {

constexpr std::size_t round_accesses = std::size_t{1} << 16;

/// Packs rounds on all processors, and appends them in the order in which they were begun.
class RoundsUnderWay {
 public:
  explicit RoundsUnderWay(trace::TraceWriter& writer) : writer_(writer) {
    const std::size_t count = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t i = 0; i < count; ++i) slots_.push_back({AccessBatch(round_accesses), {}});
  }

  /// The next accesses; how many.
  Result<std::size_t> begin(Expansion& expansion) {
    if (begun_ - ended_ == slots_.size()) CACHESCAPE_CHECK(end_one());
    Slot& slot = slots_[begun_ % slots_.size()];
    CACHESCAPE_CHECK(expansion.next(slot.batch));
    // Where no thread can be had, the round is packed when it is asked for.
    slot.packed = std::async(std::launch::async | std::launch::deferred,
                             [this, &batch = slot.batch] { return writer_.pack(batch); });
    ++begun_;
    return slot.batch.size();
  }
  Result<void> end_all() {
    while (ended_ < begun_) CACHESCAPE_CHECK(end_one());
    return {};
  }
  /// Rounds that end from now on are kept, in `rounds`; null: they are not.
  void keep_in(std::vector<trace::PackedRound>* rounds) { kept_ = rounds; }

 private:
  struct Slot {
    AccessBatch batch;
    std::future<trace::PackedRound> packed;  ///< ends before the batch does
  };

  Result<void> end_one() {
    trace::PackedRound round = slots_[ended_++ % slots_.size()].packed.get();
    CACHESCAPE_CHECK(writer_.append(round));
    if (kept_ != nullptr) kept_->push_back(std::move(round));
    return {};
  }

  trace::TraceWriter& writer_;
  std::vector<trace::PackedRound>* kept_ = nullptr;
  std::vector<Slot> slots_;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace

Result<void> write_expansion(Expansion& expansion, trace::TraceWriter& writer,
                             const std::function<void(const AccessSource&)>& progress) {
  RoundsUnderWay rounds(writer);
  std::vector<trace::PackedRound> packed;
  while (expansion.left() > 0) {
    const std::uint64_t length = expansion.phase().length;
    const std::uint64_t repeats = expansion.phase().repeats;
    const bool again = expansion.at_phase() && repeats > 1;
    if (again) {
      CACHESCAPE_CHECK(rounds.end_all());
      packed.clear();
      rounds.keep_in(&packed);
    }
    for (std::uint64_t made = 0; made < length && expansion.left() > 0;) {
      CACHESCAPE_TRY(const std::size_t accesses, rounds.begin(expansion));
      made += accesses;
      progress(expansion);
    }
    if (!again) continue;
    CACHESCAPE_CHECK(rounds.end_all());
    rounds.keep_in(nullptr);
    for (std::uint64_t repeat = 1; repeat < repeats && expansion.left() >= length; ++repeat) {
      for (const trace::PackedRound& round : packed) CACHESCAPE_CHECK(writer.append(round));
      expansion.pass_over_round();
      progress(expansion);
    }
  }
  return rounds.end_all();
}

}  // namespace cachescape::synth
