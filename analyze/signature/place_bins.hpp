// Bins of distances by the place that made the references.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyze/signature/bin_counter.hpp"

namespace cachescape::analyze {

/// Most places see few distances: a counter is made when it is first used. Memory: 76 bytes for each place up to the
/// greatest, 160 for each bin that it uses.
class PlaceBins {
 public:
  /// Stays where it is until another is made.
  BinCounter& at(std::uint32_t place, std::size_t bin) {
    if (place < numbers_.size() && numbers_[place][bin] != 0) [[likely]]
      return counters_[numbers_[place][bin] - 1];
    return make(place, bin);
  }

  /// Calls visit(place, counts) for each place that made references, ascending.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t place = 0; place < numbers_.size(); ++place) {
      SignatureCounts counts{};
      bool any = false;
      for (std::size_t bin = 0; bin < signature_bins; ++bin) {
        if (numbers_[place][bin] == 0) continue;
        counts[bin] = counters_[numbers_[place][bin] - 1].counts();
        any = true;
      }
      if (any) visit(place, counts);
    }
  }

  std::uint64_t memory_bytes() const {
    return numbers_.capacity() * sizeof(numbers_[0]) + counters_.capacity() * sizeof(BinCounter);
  }

 private:
  [[gnu::noinline]] BinCounter& make(std::uint32_t place, std::size_t bin) {
    if (place >= numbers_.size()) numbers_.resize(std::max<std::size_t>(std::size_t{place} + 1, numbers_.size() * 2));
    counters_.emplace_back();
    numbers_[place][bin] = static_cast<std::uint32_t>(counters_.size());
    return counters_.back();
  }

  std::vector<std::array<std::uint32_t, signature_bins>> numbers_;  ///< 1 + index into counters_; 0 = not used
  std::vector<BinCounter> counters_;
};

}  // namespace cachescape::analyze
