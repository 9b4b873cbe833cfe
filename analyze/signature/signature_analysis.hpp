// What a memory signature is made of, for one stream of accesses (docs/design/signatures.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/distance/last_touch.hpp"
#include "analyze/distance/last_toucher.hpp"
#include "analyze/distance/stack_distances.hpp"
#include "analyze/engine/stretch.hpp"
#include "analyze/signature/block_tree.hpp"
#include "analyze/signature/place_bins.hpp"
#include "cachescape/packed_access.hpp"
#include "cachescape/profile.hpp"

namespace cachescape::analyze {

/// Used by one thread at a time. Time: a few nanoseconds per reference, and what StackDistances takes for each that is
/// not to the block of the one before. Memory per block of the footprint: that of StackDistances and LastTouch, and 32
/// bytes; 4 more with touchers. The naive twin is signature_naive.hpp.
class SignatureAnalysis {
 public:
  /// Precondition: the rule's word is 4 or 8.
  SignatureAnalysis(SignatureRule rule, bool by_place);

  /// Accesses and loops in their order, by threads that are small numbers. Buffered: results are complete after
  /// flush().
  void consume(std::uint32_t thread, std::span<const PackedAccess> accesses);
  void consume(std::uint32_t thread, const Loop& loop);
  void flush();
  /// From now on tells references to blocks that another thread touched last; `touchers` is told of all.
  void follow_touchers(LastToucher& touchers);

  /// An analysis that has seen and counted the same references, without places, and goes its own way from here.
  /// Precondition: flushed.
  SignatureAnalysis copy() const;

  /// Preconditions: flushed. `sites` are by place, and there are some where it counts by place.
  SignatureProfile profile(Scope scope) const;
  /// The blocks touched, from the least to the most recent.
  std::vector<Line> blocks() const {
    return stack_.recency_order([](Line) { return true; });
  }
  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t capacity = 4096;

  struct Reference {
    std::uint32_t place;
    std::uint32_t times;
    std::uint16_t offset;  ///< within its block
    AccessKind kind;
  };
  /// References to one block in a row, by one thread.
  struct Stay {
    std::uint32_t first;  ///< of its references
    std::uint32_t thread;
    bool foreign;  ///< another thread touched the block last
  };

  /// Iterations of a loop in which every reference stays in its block.
  struct Repetition {
    std::size_t first_stay;  ///< of the pending ones, which are an iteration that has been made
    std::size_t end_stay;
    std::size_t end_reference;
    std::uint64_t times;  ///< that it is made again, each time steps_ further
  };
  /// A reference of such an iteration.
  struct Repeated {
    BlockTree* tree;
    BinCounter* counter;
    std::uint32_t offset;
    std::uint32_t step;
    AccessKind kind;
  };

  void begin(std::uint32_t thread);
  /// Of all the body's accesses, the words in one iteration.
  void iterate(std::span<const StridedAccess> body, std::uint64_t iteration);
  /// The same again so many times, if each access then stays in its blocks.
  void repeat(std::span<const StridedAccess> body, std::uint64_t iteration, std::uint64_t times);
  void consume_by_stretches(const Loop& loop);
  void refer(Address address, AccessKind kind, std::uint32_t times, std::uint32_t place) {
    const Line block = signature_block.line_of(address);
    if (!staying_ || block != block_) arrive(block);
    const auto offset = static_cast<std::uint16_t>(address.value & (signature_block.bytes().value - 1));
    references_[pending_++] = {by_place_ ? place : 0, times, offset, kind};
    if (pending_ == capacity) [[unlikely]]
      process_pending();
  }
  void arrive(Line block);
  void process_pending();
  template <std::uint32_t Word>
  void walk_pending();
  template <std::uint32_t Word>
  void walk_stays(std::size_t first, std::size_t end);
  template <std::uint32_t Word>
  void walk_again(const Repetition& repetition);
  BlockTree& tree_of(Line block);
  void prefetch_tree(Line block) const;
  void note_first_touch(Line block, std::uint32_t thread);

  SignatureRule rule_;
  LineSize word_;
  bool by_place_;
  StackDistances stack_;
  LastTouch numbers_;  ///< of blocks: 1 + index into trees_
  std::vector<BlockTree> trees_;
  PlaceBins bins_;
  SignatureCounts earlier_{};  ///< what the original of a copy had counted
  std::vector<std::uint64_t> steps_;
  std::vector<std::optional<Line>> newest_;  ///< by thread, the block that it touched for the first time last
  LastToucher* touchers_ = nullptr;

  std::uint32_t thread_ = 0;
  bool staying_ = false;  ///< the last reference was to block_, by thread_
  Line block_;
  std::size_t pending_ = 0;
  std::size_t stays_ = 0;
  std::array<Reference, capacity> references_;
  std::array<std::int16_t, capacity> steps_of_;  ///< bytes, of references that are repeated
  std::vector<Repetition> repetitions_;          ///< of pending stays
  std::vector<Repeated> repeated_;               ///< room for one iteration's
  std::array<Stay, capacity> stay_;
  std::array<Line, capacity> blocks_;  ///< by stay
  std::array<std::uint32_t, capacity> distances_;
};

}  // namespace cachescape::analyze
