// How many accesses each place has made, of each kind, and how many bytes they had together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/packed_access.hpp"

namespace cachescape::analyze {

/// Memory: 64 bytes per place.
class PlaceTotals {
 public:
  struct Totals {
    KindCounts accesses{};
    std::uint64_t bytes = 0;
  };

  /// Precondition: none is longer than longest_access.
  void add(std::span<const PackedAccess> accesses) {
    while (!accesses.empty()) {
      const auto some = accesses.first(std::min(accesses.size(), room_));
      for (const PackedAccess& a : some) {
        const std::size_t at = std::size_t{a.place()} * kinds + static_cast<std::size_t>(a.kind());
        if (at >= recent_.size()) [[unlikely]]
          make_room(a.place());
        recent_[at] += std::uint64_t{a.size()} << count_bits | 1;
      }
      accesses = accesses.subspan(some.size());
      room_ -= some.size();
      if (room_ == 0) settle();
    }
  }
  /// One access of a loop, with its repetitions.
  void add(std::uint32_t place, AccessKind kind, std::uint64_t size, std::uint64_t times) {
    if (place >= totals_.size()) [[unlikely]]
      make_room(place);
    totals_[place].accesses[static_cast<std::size_t>(kind)] += times;
    totals_[place].bytes += size * times;
  }

  /// By place, as far as there were accesses.
  const std::vector<Totals>& totals() {
    settle();
    return totals_;
  }

 private:
  static constexpr std::size_t kinds = 4;  ///< one of which there is not
  /// Sums and numbers of so many accesses share a word each, so that one addition counts an access.
  static constexpr unsigned count_bits = 21;
  static constexpr std::size_t at_most = std::size_t{1} << (count_bits - 1);

  void make_room(std::uint32_t place) {
    const std::size_t places = std::max<std::size_t>(std::size_t{place} + 1, totals_.size() * 2);
    totals_.resize(places);
    recent_.resize(places * kinds);
  }
  void settle() {
    for (std::size_t place = 0; place < totals_.size(); ++place) {
      for (std::size_t k = 0; k < access_kinds; ++k) {
        std::uint64_t& recent = recent_[place * kinds + k];
        totals_[place].accesses[k] += recent & ((std::uint64_t{1} << count_bits) - 1);
        totals_[place].bytes += recent >> count_bits;
        recent = 0;
      }
    }
    room_ = at_most;
  }

  std::vector<Totals> totals_;
  std::vector<std::uint64_t> recent_;  ///< by place and kind: not in totals_ yet
  std::size_t room_ = at_most;
};

}  // namespace cachescape::analyze
