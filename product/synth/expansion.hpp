// A seed made larger and longer: accesses without end, in constant memory.
#pragma once

#include <cstdint>
#include <optional>

#include "cachescape/source.hpp"
#include "product/synth/seed.hpp"

namespace cachescape::synth {

struct ExpansionOptions {
  std::uint64_t footprint = 0;                  ///< bytes, at least; 0 = as little as keeps the seed's behaviour
  std::uint64_t length = 0;                     ///< accesses; 0 = until every replication was made once
  std::uint64_t base = std::uint64_t{1} << 32;  ///< address of the first byte, a multiple of 512
};

/// How an expansion is laid out.
struct ExpansionPlan {
  std::uint64_t replications = 1;  ///< of the seed, on memory of their own
  std::uint64_t round = 0;         ///< accesses until the first memory is used again
  std::uint64_t footprint = 0;     ///< bytes
  std::uint64_t length = 0;        ///< accesses
};
/// Error where the memory does not fit into the address space.
Result<ExpansionPlan> plan(const Seed& seed, const ExpansionOptions& options);

/// The seed on one piece of memory after another, each phase as often as it says, and then again from the first. The
/// seed must outlive it.
class Expansion : public AccessSource {
 public:
  Expansion(const Seed& seed, const ExpansionPlan& plan, std::uint64_t base);

  Result<bool> next(AccessBatch& batch) override;
  SourceStatus status() const override;

  /// Whether the next access is the first of a phase's first round on its memory, and what then comes.
  bool at_phase() const { return at_ == 0 && repeat_ == 0; }
  const SeedPhase& phase() const { return seed_.phases[phase_]; }
  /// Accesses that are still to come.
  std::uint64_t left() const { return plan_.length - made_; }
  /// Goes on behind the next round of the phase. Precondition: it has just ended one, and left() is enough.
  void pass_over_round();

 private:
  void advance();

  const Seed& seed_;
  ExpansionPlan plan_;
  std::uint64_t base_;
  std::uint64_t made_ = 0;
  std::uint64_t replication_ = 0;
  std::size_t phase_ = 0;
  std::uint64_t phase_begin_ = 0;  ///< its first reference
  std::uint64_t repeat_ = 0;
  std::uint64_t at_ = 0;  ///< reference within the phase
};

}  // namespace cachescape::synth
