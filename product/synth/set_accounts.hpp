// What caches with sets find of the references made so far, against what they should.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "product/signature/signature.hpp"

namespace cachescape::synth {

/// LRU caches with lines of one width. A line is known by two numbers: its own, small and without gaps, and its place
/// in memory, which decides its set. Not thread-safe.
class SetAccounts {
 public:
  /// More caches than `most` are left out.
  static constexpr std::size_t most = 8;
  explicit SetAccounts(std::span<const signature::SetHitRate> caches);

  /// Finds out what is wanted when there were so many references. A new line stands for one at the distance
  /// `stands_for`: caches of more lines count it as found.
  void weigh(std::uint64_t references, std::uint64_t stands_for);
  /// What a reference to a line is worth to all caches together.
  double worth(std::uint32_t line) const {
    const unsigned mask = found_in_[line];
    return lower_[mask % 16] + upper_[mask / 16];
  }
  double worth_of_new() const { return lower_[new_ % 16] + upper_[new_ / 16]; }
  /// What a miss in all of them is worth: how much more they find than they should.
  double worth_of_miss() const { return worth_of_miss_; }
  /// Room for lines up to this one.
  void reserve(std::uint32_t line) {
    if (line >= found_in_.size()) found_in_.resize(2 * (line + std::size_t{1}), 0);
  }
  void touch(std::uint32_t line, std::uint64_t place, bool is_new);

 private:
  struct Cache {
    std::uint64_t sets = 1;
    std::size_t ways = 1;
    double hit_rate = 0;
    double hits = 0;
    std::vector<std::uint32_t> lines;  ///< by set, most recent first
  };

  std::vector<Cache> caches_;
  std::vector<std::uint8_t> found_in_;  ///< by line: the caches, one bit each
  std::array<double, 16> lower_{};      ///< worth by the caches that find it, for the first four
  std::array<double, 16> upper_{};
  double worth_of_miss_ = 0;
  unsigned new_ = 0;  ///< caches that count a new line as found
};

}  // namespace cachescape::synth
