// Who takes lines from whom: what a report of sharing needs beyond distances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/sharing.hpp"

namespace cachescape::analyze {

/// Single-threaded. Memory: one entry per pair of places, and uses of at most `most_lines` lines.
class SharingEvents {
 public:
  static constexpr std::size_t most_lines = std::size_t{1} << 16;
  static constexpr std::size_t most_uses = 32;
  /// As many of the worst lines are told of.
  static constexpr std::size_t told_lines = 256;

  /// An access, as far as one line is concerned.
  struct Use {
    std::uint32_t thread = 0;
    std::uint32_t place = nowhere;
    std::uint64_t bytes = 0;  ///< as LineUse::bytes
  };
  /// `user` finds the line gone because `writer` wrote it. `report` is the line's, 0 at first, and is kept by the
  /// caller.
  void add(std::uint32_t& report, Address line, SharingKind sharing, const Use& user, bool user_writes,
           const Use& writer);

  /// Where a site is asked for, the number of the place stands.
  std::vector<SharingPair> pairs() const;
  std::vector<SharedLine> worst_lines() const;
  std::uint64_t memory_bytes() const;

 private:
  static void add_use(SharedLine& line, const Use& use, bool writes);

  boost::unordered_flat_map<std::uint64_t, SharingCounts> pairs_;
  std::vector<SharedLine> lines_;  ///< a line's report is 1 + its index
};

}  // namespace cachescape::analyze
