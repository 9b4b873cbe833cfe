// A set of numbers below some bound whose greatest is known: bits, above which a bit for each word that is not empty,
// and so on.
//
// Time: of adding and of removing the greatest, one word where neighbours are near, at most log64 of the bound.
// 1.02 bits per number of the bound. Single-threaded.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "analyze/distance/last_touch_memory.hpp"

namespace cachescape::analyze {

class HoleTimes {
 public:
  /// Precondition: 0 < bound ≤ 2^32.
  explicit HoleTimes(std::uint64_t bound) {
    std::uint64_t words = 0;
    for (std::uint64_t parts = bound; depth_ == 0 || parts > 1;) {
      parts = (parts + 63) / 64;
      begin_[depth_++] = words;
      words += parts;
    }
    memory_ = Mapping(words * sizeof(std::uint64_t));
    words_ = memory_.as<std::uint64_t>();
  }

  /// 0 where there is none.
  std::uint32_t greatest() const { return greatest_; }

  /// Precondition: 0 < time < bound.
  void add(std::uint32_t time) {
    if (time > greatest_) greatest_ = time;
    std::uint64_t at = time;
    for (unsigned level = 0; level < depth_; ++level, at /= 64) {
      std::uint64_t& word = words_[begin_[level] + at / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << (at % 64);
      if (!was_empty) return;
    }
  }

  /// Precondition: there is one.
  void remove_greatest() {
    std::uint64_t at = greatest_;
    unsigned level = 0;
    for (; level < depth_; ++level, at /= 64) {
      std::uint64_t& word = words_[begin_[level] + at / 64];
      word &= ~(std::uint64_t{1} << (at % 64));
      if (word != 0) break;
    }
    greatest_ = 0;
    if (level == depth_) return;
    for (at /= 64;; --level) {
      const std::uint64_t word = words_[begin_[level] + at];
      at = at * 64 + 63 - static_cast<unsigned>(std::countl_zero(word));
      if (level == 0) break;
    }
    greatest_ = static_cast<std::uint32_t>(at);
  }

  void prefetch(std::uint32_t time) const { __builtin_prefetch(words_ + time / 64, 1); }

  std::uint64_t memory_bytes() const { return memory_.bytes(); }

 private:
  Mapping memory_;
  std::uint64_t* words_ = nullptr;
  std::array<std::uint64_t, 6> begin_{};  ///< first word of each level
  unsigned depth_ = 0;
  std::uint32_t greatest_ = 0;
};

}  // namespace cachescape::analyze
