// Who takes lines from whom: what a report of sharing needs beyond distances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/sharing.hpp"

namespace cachescape::analyze {

/// Single-threaded. Memory: one entry per pair of places, and uses of at most `most_lines` lines. These are far apart:
/// what is added waits until there is enough of it to ask memory for many at a time.
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

  void flush();

  /// Precondition: flushed. Where a site is asked for, the number of the place stands.
  std::vector<SharingPair> pairs() const;
  /// Precondition: flushed.
  std::vector<SharedLine> worst_lines() const;
  std::uint64_t memory_bytes() const;

 private:
  struct KeptUse {
    std::uint64_t by = 0;  ///< place, thread, whether it writes
    std::uint64_t bytes = 0;
  };
  struct Report {
    Address address;
    SharingCounts misses{};
    std::vector<KeptUse> uses{};
  };
  struct Waiting {
    std::uint32_t report = 0;
    SharingKind sharing = SharingKind::true_sharing;
    bool user_writes = false;
    Use user;
    Use writer;
  };
  static void add_use(Report& report, const Use& use, bool writes);
  static SharedLine told(const Report& report);

  boost::unordered_flat_map<std::uint64_t, SharingCounts> pairs_;
  std::vector<Report> reports_;  ///< a line's number is 1 + its index
  std::size_t count_ = 0;
  std::array<Waiting, 64> waiting_;
};

}  // namespace cachescape::analyze
