// An LRU stack that knows for every line in which bin of distances it lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "product/synth/bins.hpp"

namespace cachescape::synth {

/// Lines are small numbers. A line's bin is the one of its distance if it were touched now. bin() is one look, touch()
/// costs a step for each bin that the line comes from: the line at the end of every shallower bin moves into the next.
/// Not thread-safe.
class DepthBins {
 public:
  explicit DepthBins(const Bins& bins = octaves) : kinds_(&bins) {}

  const Bins& bins() const { return *kinds_; }
  std::size_t bin(std::uint32_t line) const { return line < bins_.size() ? bins_[line] : kinds_->cold(); }
  /// The bin in which it was.
  std::size_t touch(std::uint32_t line);
  std::uint64_t lines() const { return lines_; }
  /// The line at a distance; O(distance). Precondition: distance < lines().
  std::uint32_t at(std::uint64_t distance) const {
    std::uint32_t line = newest_;
    for (; distance > 0; --distance) line = older(line);
    return line;
  }
  /// The line at the next greater distance. Precondition: there is one.
  std::uint32_t older(std::uint32_t line) const { return links_[line].older; }

 private:
  struct Links {
    std::uint32_t newer = 0;
    std::uint32_t older = 0;
  };

  void push(std::uint32_t line);

  const Bins* kinds_;
  std::vector<Links> links_;
  std::vector<std::uint8_t> bins_;
  std::array<std::uint32_t, most_depths> last_{};  ///< of each bin that is full: the line at its greatest distance
  std::size_t full_ = 0;                           ///< bins
  std::uint32_t newest_ = 0;
  std::uint32_t oldest_ = 0;
  std::uint64_t lines_ = 0;
};

}  // namespace cachescape::synth
