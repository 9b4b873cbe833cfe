// What one stream of touches, at one line size, does in a cache of any geometry.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cachescape/profile.hpp"
#include "model/miss_curve.hpp"
#include "model/scaling.hpp"

namespace cachescape::model {

/// How a number of misses was found.
enum class Method : std::uint8_t {
  exact_set_distance,       ///< set distances for this number of sets: what an LRU cache does
  exact_fully_associative,  ///< stack distances: what a fully associative LRU cache does
  sdcm,                     ///< stack distances and chance: the stack-distance cache model
};

/// Immutable; safe from any thread. LRU, allocating on reads and writes.
class StreamModel {
 public:
  /// O(bins + set counts × ways). `sets` may be null. Set distances of a sample of lines are not used: a set of few
  /// ways is too coarse a ruler for a few lines in a hundred.
  StreamModel(const StackProfile& stack, const SetProfile* sets, const Scaling& scaling);

  struct Estimate {
    KindCounts misses{};
    Method method = Method::sdcm;
  };
  /// Misses of `sets` × `ways` lines. A `stretch` other than 1 multiplies every distance first, as others in between
  /// would (level_view.hpp). Exact where sets is 1 or the profile holds set distances for it, for at least as many
  /// ways. O(log set counts) then, else as sdcm_hits. No allocation. Precondition: sets ≥ 1, ways ≥ 1, stretch > 0.
  Estimate misses(std::uint64_t sets, std::uint64_t ways, double stretch = 1) const;

  /// Misses of a fully associative cache of as many lines.
  KindCounts fully_associative_misses(std::uint64_t lines, double stretch = 1) const;

  struct WriteBacks {
    std::uint64_t count = 0;
    bool exact = false;  ///< false: by chance, as the SDCM
  };
  /// What a cache of `sets` × `ways` lines that writes back does write back, lines held at the end left out. Exact for
  /// one set. With several sets the greatest distance of each write's data is judged as the SDCM judges a touch,
  /// whatever set distances there are: they do not tell what was dirty. None where the profile does not hold
  /// write-backs.
  std::optional<WriteBacks> write_backs(std::uint64_t sets, std::uint64_t ways, double stretch = 1) const;

  bool knows_write_backs() const { return write_back_curve_.has_value(); }

  const MissCurve& curve() const { return curve_; }
  const Scaling& scaling() const { return scaling_; }
  std::uint64_t footprint_lines() const { return footprint_lines_; }
  /// Kept for sampled streams only.
  const std::vector<Bin>& popularity() const { return popularity_; }

  /// Set counts that are answered exactly, ascending, and for up to how many ways.
  std::vector<std::uint64_t> exact_set_counts() const;
  std::uint64_t exact_ways() const { return exact_ways_; }

 private:
  struct SetTable {
    std::uint64_t sets = 1;
    /// misses[w]: of w ways, 0 ≤ w ≤ exact_ways_.
    std::vector<KindCounts> misses;
  };

  const SetTable* table_for(std::uint64_t sets) const;

  Scaling scaling_;
  MissCurve curve_;
  /// Of touches that write, as if each were a read at the greatest distance that its data see.
  std::optional<MissCurve> write_back_curve_;
  std::uint64_t footprint_lines_ = 0;
  std::vector<Bin> popularity_;
  std::vector<SetTable> tables_;  ///< by ascending sets
  std::uint64_t exact_ways_ = 0;
};

}  // namespace cachescape::model
