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
  bool whole_words = true;
  bool moves = false;
  std::uint64_t words = 0;
  for (StridedAccess& a : body) {
    if (!rule_.every_word) a.size = 1;
    whole_words = whole_words && a.step % static_cast<std::int64_t>(rule_.word) == 0;
    moves = moves || a.step != 0;
    words += a.size / rule_.word + 2;
  }
  if (whole_words && moves && words < capacity / 4) return consume_by_stretches({loop.trips, body});
  for_touches(Loop{loop.trips, body}, word_, [this](Line word, AccessKind kind, std::uint32_t times, SiteId site) {
    refer(word_.first_byte(word), kind, times, static_cast<std::uint32_t>(site.value));
  });
}

void SignatureAnalysis::iterate(std::span<const StridedAccess> body, std::uint64_t iteration) {
  for (const StridedAccess& a : body) {
    const Touches words = touches_of(a.at(iteration), a.size, word_);
    for (std::uint64_t word = words.first.value;; ++word) {
      refer(word_.first_byte(Line{word}), a.kind, 1, static_cast<std::uint32_t>(a.site.value));
      if (word == words.last.value) break;
    }
  }
}

// Once all accesses have been made, each in one block, an iteration that stays in them finds these in the order in
// which the one before has left them, and leaves them so: the second iteration's distances are those of all that
// follow.
void SignatureAnalysis::consume_by_stretches(const Loop& loop) {
  constexpr std::uint64_t too_few = 4;
  for (std::uint64_t i = 0; i < loop.trips;) {
    iterate(loop.body, i);
    std::uint64_t stretch = loop.trips - ++i;
    for (const StridedAccess& a : loop.body) {
      // Where an access lies in two blocks, words move from one to the other.
      const bool in_one = touches_of(a.at(i - 1), a.size, signature_block).count() == 1;
      stretch = in_one ? std::min(stretch, repetitions(a, i - 1, signature_block)) : 0;
      if (stretch == 0) break;
    }
    if (stretch < too_few) {
      for (const std::uint64_t end = i + stretch; i < end; ++i) iterate(loop.body, i);
    } else {
      repeat(loop.body, i, stretch - 1);
      i += stretch;
    }
  }
}

void SignatureAnalysis::repeat(std::span<const StridedAccess> body, std::uint64_t iteration, std::uint64_t times) {
  // The iteration stays together, and has its stays to itself.
  if (pending_ >= capacity * 3 / 4) process_pending();
  staying_ = false;
  const std::size_t first_stay = stays_;
  std::size_t reference = pending_;
  iterate(body, iteration);
  for (const StridedAccess& a : body) {
    const std::uint64_t words = touches_of(a.at(iteration), a.size, word_).count();
    for (std::uint64_t w = 0; w < words; ++w) steps_of_[reference++] = static_cast<std::int16_t>(a.step);
  }
  repetitions_.push_back({first_stay, stays_, pending_, times});
  staying_ = false;
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
  repetitions_.clear();
  staying_ = false;
}

template <std::uint32_t Word>
void SignatureAnalysis::walk_pending() {
  std::size_t stay = 0;
  for (const Repetition& r : repetitions_) {
    walk_stays<Word>(stay, r.end_stay);
    walk_again<Word>(r);
    stay = r.end_stay;
  }
  walk_stays<Word>(stay, stays_);
}

template <std::uint32_t Word>
void SignatureAnalysis::walk_again(const Repetition& repetition) {
  repeated_.clear();
  for (std::size_t s = repetition.first_stay; s < repetition.end_stay; ++s) {
    // Both have been made by the iteration itself, so that neither moves.
    BlockTree* const tree = &tree_of(blocks_[s]);
    std::size_t bin = signature_bin(distances_[s]);
    const std::size_t end = s + 1 < repetition.end_stay ? stay_[s + 1].first : repetition.end_reference;
    for (std::size_t i = stay_[s].first; i < end; ++i, bin = 0) {
      const Reference& r = references_[i];
      repeated_.push_back({tree, &bins_.at(r.place, bin), r.offset, static_cast<std::uint32_t>(steps_of_[i]), r.kind});
    }
  }
  for (std::uint64_t time = 0; time < repetition.times; ++time) {
    for (Repeated& r : repeated_) {
      r.offset += r.step;
      r.counter->add(r.kind, r.tree->touch<Word>(r.offset));
    }
  }
}

template <std::uint32_t Word>
void SignatureAnalysis::walk_stays(std::size_t first_stay, std::size_t end_stay) {
  // A tree is found by its number, and both may be far from the processor. Those of first touches are made, not found.
  constexpr std::size_t ahead = 8;
  constexpr std::uint32_t near = 128;
  const auto is_far = [&](std::size_t s) {
    return s < end_stay && distances_[s] >= near && distances_[s] != cold_distance;
  };
  for (std::size_t s = first_stay; s < end_stay; ++s) {
    if (is_far(s + 2 * ahead)) numbers_.prefetch(blocks_[s + 2 * ahead].value);
    if (is_far(s + ahead)) prefetch_tree(blocks_[s + ahead]);
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
