#include "analyze/signature/signature_analysis.hpp"

#include <algorithm>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "analyze/engine/touches.hpp"

namespace cachescape::analyze {
namespace {

constexpr std::size_t shadow_slack_bytes = std::size_t{32} << 20;

}  // namespace

SignatureAnalysis::SignatureAnalysis(SignatureRule rule, bool by_place)
    : rule_(rule),
      word_(LineSize::of(rule.word)),
      by_place_(by_place),
      numbers_(shadow_slack_bytes),
      steps_(std::size_t{1} << signature_step_bits) {}

void SignatureAnalysis::begin(std::uint32_t thread) {
  // Others may have touched its block since.
  if (thread != thread_ || touchers_ != nullptr) staying_ = false;
  thread_ = thread;
}

void SignatureAnalysis::consume(std::uint32_t thread, std::span<const PackedAccess> accesses) {
  begin(thread);
  if (!rule_.every_word) {
    for (const PackedAccess& a : accesses) refer(a.address(), a.kind(), 1, a.place());
    return;
  }
  for (const PackedAccess& a : accesses) {
    for_touches(a.address(), a.size(), a.kind(), 1, SiteId{}, word_,
                [&](Line word, AccessKind kind, std::uint32_t times, SiteId) {
                  refer(word_.first_byte(word), kind, times, a.place());
                });
  }
}

void SignatureAnalysis::consume(std::uint32_t thread, const Loop& loop) {
  begin(thread);
  boost::container::small_vector<StridedAccess, 16> body(loop.body.begin(), loop.body.end());
  if (!rule_.every_word) {
    for (StridedAccess& a : body) a.size = 1;
  }
  for_touches(Loop{loop.trips, body}, word_, [this](Line word, AccessKind kind, std::uint32_t times, SiteId site) {
    refer(word_.first_byte(word), kind, times, static_cast<std::uint32_t>(site.value));
  });
}

void SignatureAnalysis::arrive(Line block) {
  const bool foreign = touchers_ != nullptr && touchers_->touch(block, thread_);
  stay_[stays_] = {static_cast<std::uint32_t>(pending_), thread_, foreign};
  blocks_[stays_++] = block;
  block_ = block;
  staying_ = true;
}

void SignatureAnalysis::flush() { process_pending(); }

void SignatureAnalysis::follow_touchers(LastToucher& touchers) {
  touchers_ = &touchers;
  staying_ = false;
}

void SignatureAnalysis::process_pending() {
  if (pending_ == 0) return;
  stack_.process(std::span(blocks_).first(stays_), std::span(distances_).first(stays_));
  if (rule_.word == 4) {
    walk_pending<4>();
  } else {
    walk_pending<8>();
  }
  pending_ = stays_ = 0;
  staying_ = false;
}

template <std::uint32_t Word>
void SignatureAnalysis::walk_pending() {
  // A tree is found by its number, and both are likely to be far from the processor.
  constexpr std::size_t ahead = 8;
  for (std::size_t s = 0; s < stays_; ++s) {
    if (s + 2 * ahead < stays_) numbers_.prefetch(blocks_[s + 2 * ahead].value);
    if (s + ahead < stays_) prefetch_tree(blocks_[s + ahead]);
    const bool cold = distances_[s] == cold_distance;
    if (cold) note_first_touch(blocks_[s], stay_[s].thread);
    std::size_t bin = cold ? cold_bin : signature_bin(distances_[s]);
    BlockTree& kept = tree_of(blocks_[s]);
    BlockTree tree = kept;
    const std::size_t first = stay_[s].first;
    const std::size_t end = s + 1 < stays_ ? stay_[s + 1].first : pending_;
    if (stay_[s].foreign) bins_.at(references_[first].place, bin).add_foreign();
    for (std::size_t i = first; i < end; ++i) {
      const Reference& r = references_[i];
      const TreeWalk walk = tree.touch<Word>(r.offset);
      BinCounter& counter = bins_.at(r.place, bin);
      if (r.times == 1) [[likely]] {
        counter.add(r.kind, walk);
      } else {
        counter.add(r.kind, walk, r.times);
      }
      bin = 0;
    }
    kept = tree;
  }
}

BlockTree& SignatureAnalysis::tree_of(Line block) {
  std::uint32_t* number = numbers_.find(block.value);
  if (number == nullptr) [[unlikely]] {
    numbers_.make_room(block.value);
    number = numbers_.find(block.value);
  }
  if (*number == 0) {
    trees_.emplace_back();
    numbers_.add_lines(1);
    *number = static_cast<std::uint32_t>(trees_.size());
  }
  return trees_[*number - 1];
}

void SignatureAnalysis::prefetch_tree(Line block) const {
  const std::uint32_t* const number = numbers_.peek(block.value);
  if (number != nullptr && *number != 0) __builtin_prefetch(&trees_[*number - 1]);
}

void SignatureAnalysis::note_first_touch(Line block, std::uint32_t thread) {
  if (thread >= newest_.size()) newest_.resize(std::size_t{thread} + 1);
  if (newest_[thread]) ++steps_[signature_step(*newest_[thread], block)];
  newest_[thread] = block;
}

SignatureAnalysis SignatureAnalysis::copy() const {
  SignatureAnalysis other(rule_, false);
  const std::vector<Line> order = blocks();
  for (std::size_t from = 0; from < order.size(); from += capacity) {
    const auto part = std::span(order).subspan(from, std::min(capacity, order.size() - from));
    other.stack_.process(part, std::span(other.distances_).first(part.size()));
  }
  for (const Line block : order) other.tree_of(block) = trees_[*numbers_.peek(block.value) - 1];
  other.earlier_ = profile({}).counts;
  other.steps_ = steps_;
  other.newest_ = newest_;
  return other;
}

SignatureProfile SignatureAnalysis::profile(Scope scope) const {
  SignatureProfile profile;
  profile.scope = scope;
  profile.rule = rule_;
  profile.counts = earlier_;
  bins_.for_each([&](std::uint32_t place, const SignatureCounts& counts) {
    add_to(profile.counts, counts);
    if (by_place_) profile.sites.push_back({place, counts});
  });
  for (std::uint64_t step = 0; step < steps_.size(); ++step) {
    if (steps_[step] > 0) profile.steps.push_back({step, steps_[step]});
  }
  return profile;
}

std::uint64_t SignatureAnalysis::memory_bytes() const {
  return sizeof *this + stack_.memory_bytes() + numbers_.memory_bytes() + trees_.capacity() * sizeof(BlockTree) +
         bins_.memory_bytes() + steps_.capacity() * sizeof steps_[0];
}

}  // namespace cachescape::analyze
