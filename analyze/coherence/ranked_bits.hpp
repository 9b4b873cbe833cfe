// A row of bits that grows at its end and tells how many set bits come before any of them.
//
// Above the bits stand four levels of counts, each of what comes before within the next larger part: of a word in its
// group of 64 words, of a group in its block of 16, of a block in its region of 64, and of a region in all. A question
// reads one number of each. Clearing a bit takes one from all that come after it in the same part, which is adding a
// row of masks to two or three vectors' worth of neighbours; nothing waits for anything else.
//
// Time: constant for a question; for clearing, constant and one step per 2^22 bits. About 1.3 bits per bit.
// Single-threaded. Throws std::bad_alloc where memory runs out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/last_touch_memory.hpp"

namespace cachescape::analyze {

class RankedBits {
 public:
  static constexpr std::uint64_t most_bits = std::uint64_t{1} << 32;

  /// No bits yet, room for so many. Precondition: at most `most_bits`.
  explicit RankedBits(std::uint64_t room);

  std::uint64_t room() const { return room_; }
  /// Bits so far, set and cleared ones.
  std::uint64_t size() const { return size_; }
  bool full() const { return size_ == room_; }
  /// Set bits.
  std::uint32_t count() const { return count_; }

  /// Adds a set bit at the end and returns its number. Precondition: !full().
  std::uint32_t append() {
    const auto at = static_cast<std::uint32_t>(size_);
    if (at % 64 == 0) begin_word(at / 64);
    words_[at / 64] |= std::uint64_t{1} << (at % 64);
    ++count_;
    ++size_;
    return at;
  }
  /// Precondition: the bit is set.
  void clear(std::uint32_t at);
  /// Set bits before this one.
  std::uint32_t rank(std::uint32_t at) const {
    const std::uint64_t before = words_[at >> word_bits] & ((std::uint64_t{1} << (at % 64)) - 1);
    return ones(before) + in_group_[at >> word_bits] + in_block_[at >> group_bits] + in_region_[at >> block_bits] +
           in_all_[at >> region_bits];
  }
  /// Brings what rank() and clear() of a bit use nearer to the processor.
  void prefetch(std::uint32_t at) const {
    __builtin_prefetch(words_ + (at >> word_bits), 1);
    __builtin_prefetch(in_group_ + (at >> word_bits), 1);
  }

  /// Forgets everything and starts with so many set bits. Precondition: there is room for them.
  void restart(std::uint64_t set_bits);

  std::uint64_t memory_bytes() const { return memory_.bytes(); }

 private:
  static constexpr unsigned word_bits = 6;
  static constexpr unsigned group_bits = 12;
  static constexpr unsigned block_bits = 16;
  static constexpr unsigned region_bits = 22;

  /// std::popcount, which is a call where the processor is not known to have it.
  static std::uint32_t ones(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<std::uint32_t>(bits * 0x0101010101010101 >> 56);
  }
  void begin_word(std::uint32_t word);

  Mapping memory_;
  std::uint64_t room_;
  std::uint64_t size_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t* words_;
  // Set bits before each word, group, block and region. 16 bits hold what 15 groups have.
  std::uint16_t* in_group_;
  std::uint16_t* in_block_;
  std::uint32_t* in_region_;
  std::uint32_t* in_all_;
};

}  // namespace cachescape::analyze
