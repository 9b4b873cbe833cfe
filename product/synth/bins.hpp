// Bins of distances: by powers of two, or by quarters between these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cachescape/signature.hpp"
#include "product/signature/signature.hpp"

namespace cachescape::synth {

inline constexpr std::size_t most_depths = signature_depths + signature::between_depths;
/// Two more hold what is farther, and what was never touched.
inline constexpr std::size_t most_bins = most_depths + 2;

/// A bin holds the distances from the end of the one before to below its own.
class Bins {
 public:
  constexpr explicit Bins(bool quartered) {
    for (std::size_t b = 0; b < signature_depths; ++b) {
      for (std::size_t i = 0; quartered && i < signature::between_depths; ++i) {
        const std::uint64_t depth = signature::between_depth(i);
        if (depth > (std::uint64_t{1} << b) / 2 && depth < std::uint64_t{1} << b) add(depth, b);
      }
      add(std::uint64_t{1} << b, b);
    }
  }

  constexpr std::size_t depths() const { return count_; }
  constexpr std::size_t far() const { return count_; }       ///< touched before, but farther away than all bins
  constexpr std::size_t cold() const { return count_ + 1; }  ///< never touched before
  constexpr std::size_t count() const { return count_ + 2; }
  constexpr std::uint64_t begin(std::size_t bin) const { return bin == 0 ? 0 : ends_[bin - 1]; }
  constexpr std::uint64_t end(std::size_t bin) const { return ends_[bin]; }
  /// The signature's bin in which this one lies.
  constexpr std::size_t octave(std::size_t bin) const {
    return bin < count_ ? octaves_[bin] : bin - count_ + signature_depths;
  }
  constexpr std::size_t of(std::uint64_t distance) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.begin() + count_, distance) - ends_.begin());
  }

 private:
  constexpr void add(std::uint64_t end, std::size_t octave) {
    ends_[count_] = end;
    octaves_[count_++] = static_cast<std::uint8_t>(octave);
  }

  std::array<std::uint64_t, most_depths> ends_{};
  std::array<std::uint8_t, most_depths> octaves_{};
  std::size_t count_ = 0;
};

inline constexpr Bins octaves{false};
inline constexpr Bins quarters{true};

}  // namespace cachescape::synth
