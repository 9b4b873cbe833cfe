// What coherent caches do, one for every so many threads, of any geometry.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cachescape/sharing.hpp"
#include "machine/machine.hpp"
#include "model/stream_model.hpp"

namespace cachescape::model {

/// Counts of things that happen in caches of more lines than some number.
class Beyond {
 public:
  Beyond() = default;
  explicit Beyond(const std::vector<Bin>& bins);
  /// In a cache of so many lines. O(log bins).
  std::uint64_t operator()(std::uint64_t lines) const;

 private:
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> sums_{0};  ///< one longer
};

/// Immutable; safe from any thread. All caches of one degree of sharing together; LRU, allocating on reads and writes.
class CoherentModel {
 public:
  /// O(bins + set counts × ways).
  explicit CoherentModel(const CoherentProfile& profile);

  struct Estimate {
    KindCounts misses{};  ///< all of them
    std::array<KindCounts, sharing_kinds>
        lost{};  ///< those of lines that another cache's write has taken from this one
    Method method = Method::sdcm;
  };
  /// Exact as StreamModel::misses(). Preconditions: sets ≥ 1, ways ≥ 1.
  Estimate misses(std::uint64_t sets, std::uint64_t ways) const;
  std::optional<StreamModel::WriteBacks> write_backs(std::uint64_t sets, std::uint64_t ways) const {
    return kept_.write_backs(sets, ways);
  }
  /// Of fully associative caches.
  std::uint64_t invalidations(std::uint64_t lines) const { return taken_(lines); }
  std::uint64_t remote_hits(std::uint64_t lines) const { return remote_(lines); }
  /// Writes that hit but must ask first. MESI: as if caches still held what nobody took from them.
  std::uint64_t upgrades(std::uint64_t lines, machine::Coherence protocol) const;

  const KindCounts& touches() const { return touches_; }
  const KindCounts& cold() const { return kept_.curve().cold(); }
  std::uint32_t caches() const { return caches_; }
  const StreamModel& kept() const { return kept_; }

 private:
  StreamModel kept_;
  std::array<StreamModel, sharing_kinds> lost_;
  Beyond taken_;
  Beyond remote_;
  Beyond upgrades_;
  std::array<Beyond, 2> msi_upgrades_;
  KindCounts touches_{};
  std::uint32_t caches_ = 0;
};

}  // namespace cachescape::model
