// What caches do to each other when threads share data: the part of a profile that knows of coherence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/histogram.hpp"
#include "cachescape/line.hpp"
#include "cachescape/places.hpp"

namespace cachescape {

/// How a line was used by the thread that lost it and by the one that took it away.
enum class SharingKind : std::uint8_t {
  true_sharing = 0,   ///< others wrote bytes that are used here
  false_sharing = 1,  ///< others wrote only other bytes of the line
};
inline constexpr std::size_t sharing_kinds = 2;
/// Indices into what is kept by SharingKind.
inline constexpr auto truly = static_cast<std::size_t>(SharingKind::true_sharing);
inline constexpr auto falsely = static_cast<std::size_t>(SharingKind::false_sharing);

/// Misses by SharingKind.
using SharingCounts = std::array<std::uint64_t, sharing_kinds>;
/// What is falsely shared is worse: it need not be.
constexpr bool is_worse(const SharingCounts& a, const SharingCounts& b) {
  return a[falsely] != b[falsely] ? a[falsely] > b[falsely] : a[truly] > b[truly];
}

/// Masks of the bytes of a line have 64 bits: one for each byte, or for each 2^n bytes of longer lines.
constexpr unsigned mask_granule_bits(LineSize line) { return line.log2() > 6 ? line.log2() - 6 : 0; }

/// Touches of one kind in LRU caches of any size that lose lines to each other's writes. A touch is kept, first or
/// lost.
struct CoherentCounts {
  /// Bins: touches of lines that no other cache has taken: caches of more lines than `value` hit. cold: the cache's
  /// first touches of a line.
  Histogram kept;
  /// Touches of lines that another cache's write has taken: no cache hits. Those of more lines than `value` have lost
  /// the line by that, smaller ones had evicted it before. By SharingKind.
  std::array<std::vector<Bin>, sharing_kinds> lost;

  friend bool operator==(const CoherentCounts&, const CoherentCounts&) = default;
};

/// The same for caches with some number of sets, below a number of ways.
struct CoherentSets {
  std::uint64_t sets = 1;
  std::array<std::vector<std::uint64_t>, access_kinds> kept;  ///< by kind, then depth in the set
  std::array<std::array<std::vector<std::uint64_t>, sharing_kinds>, access_kinds> lost;

  friend bool operator==(const CoherentSets&, const CoherentSets&) = default;
};

/// Caches that serve `degree` threads each, the first ones together, then the next ones: thread i, by order of
/// appearance, has cache ⌊i / degree⌋. All of them added up.
struct CoherentProfile {
  std::uint32_t degree = 1;
  LineSize line{6};
  std::uint32_t caches = 0;  ///< that the threads come to
  std::array<CoherentCounts, access_kinds> kinds;
  /// Lines that others' writes have taken, touched again or not: from caches of more lines than `value`.
  std::vector<Bin> taken{};
  /// Touches for which another cache had the line, changed and not written back: caches of more lines than `value`.
  std::vector<Bin> remote{};
  /// Writes of lines that other caches hold too: caches of more lines than `value` have it and must ask first.
  std::vector<Bin> upgrades{};
  /// The same where reading never makes a line one's own (MSI): caches of more lines than `value` of the first must
  /// ask, but not those of more than `value` of the second.
  std::array<std::vector<Bin>, 2> msi_upgrades{};
  /// As StackProfile::write_backs; values from 2^32 on: in caches of any size.
  std::vector<Bin> write_backs{};
  std::uint32_t ways = 0;            ///< length of every vector of `sets`
  std::vector<CoherentSets> sets{};  ///< by ascending number of sets

  friend bool operator==(const CoherentProfile&, const CoherentProfile&) = default;
};

/// Who lost lines to whom, at degree 1 and in caches without end.
struct SharingPair {
  std::uint32_t site = nowhere;  ///< that found the line gone
  std::uint32_t object = nowhere;
  std::uint32_t writer_site = nowhere;  ///< that took it away
  std::uint32_t writer_object = nowhere;
  SharingCounts misses{};

  friend auto operator<=>(const SharingPair&, const SharingPair&) = default;
};

/// How one thread uses a line that it shares.
struct LineUse {
  std::uint32_t thread = 0;  ///< as ThreadId
  std::uint32_t site = nowhere;
  std::uint32_t object = nowhere;
  bool writes = false;
  std::uint64_t bytes = 0;  ///< that it uses: a mask (mask_granule_bits)

  friend auto operator<=>(const LineUse&, const LineUse&) = default;
};

struct SharedLine {
  Address address;
  SharingCounts misses{};
  std::vector<LineUse> uses{};

  friend bool operator==(const SharedLine&, const SharedLine&) = default;
};

struct Sharing {
  std::vector<CoherentProfile> degrees;  ///< by (degree, line)
  std::vector<SharingPair> pairs;        ///< in ascending order
  std::vector<SharedLine> lines;         ///< the worst ones, worst first

  bool empty() const { return degrees.empty(); }
  friend bool operator==(const Sharing&, const Sharing&) = default;
};

}  // namespace cachescape
