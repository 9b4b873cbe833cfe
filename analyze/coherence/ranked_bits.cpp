#include "analyze/coherence/ranked_bits.hpp"

#include <algorithm>
#include <cstring>

namespace cachescape::analyze {
namespace {

/// Read from Parts - 1 - i on, Parts elements: minus one for those after the i-th, else zero.
template <unsigned Parts>
struct OneLessAfter {
  alignas(64) std::uint16_t element[2 * Parts] = {};
  constexpr OneLessAfter() {
    for (unsigned i = Parts; i < 2 * Parts; ++i) element[i] = 0xffff;
  }
};

/// Takes one from all that come after the given one of so many.
template <unsigned Parts>
void take_one_after(std::uint16_t* counts, unsigned part) {
  static constexpr OneLessAfter<Parts> table;
  const std::uint16_t* const less = table.element + Parts - 1 - part;
  for (unsigned i = 0; i < Parts; ++i) counts[i] = static_cast<std::uint16_t>(counts[i] + less[i]);
}

constexpr std::uint64_t parts(std::uint64_t bits, unsigned log2) {
  return (bits + (std::uint64_t{1} << log2) - 1) >> log2;
}

}  // namespace

RankedBits::RankedBits(std::uint64_t room) : room_(room) {
  // Whole regions, so that every level is whole and begins on a cache line.
  const std::uint64_t groups = parts(room, block_bits) << (block_bits - group_bits);
  const std::uint64_t words = groups << (group_bits - word_bits);
  const std::uint64_t blocks = parts(room, region_bits) << (region_bits - block_bits);
  const std::uint64_t regions = parts(room, region_bits);
  memory_ = Mapping(words * (sizeof *words_ + sizeof *in_group_) + groups * sizeof *in_block_ +
                    blocks * sizeof *in_region_ + regions * sizeof *in_all_);
  words_ = memory_.as<std::uint64_t>();
  in_group_ = reinterpret_cast<std::uint16_t*>(words_ + words);
  in_block_ = in_group_ + words;
  in_region_ = reinterpret_cast<std::uint32_t*>(in_block_ + groups);
  in_all_ = in_region_ + blocks;
}

void RankedBits::begin_word(std::uint32_t word) {
  // What the level above has so far is what comes before its next part.
  words_[word] = 0;
  if (word == 0) return;
  const std::uint32_t of_group = in_group_[word - 1] + ones(words_[word - 1]);
  in_group_[word] = static_cast<std::uint16_t>(of_group);
  if (word % 64 != 0) return;
  in_group_[word] = 0;
  const std::uint32_t group = word / 64;
  const std::uint32_t of_block = in_block_[group - 1] + of_group;
  in_block_[group] = static_cast<std::uint16_t>(of_block);
  if (group % 16 != 0) return;
  in_block_[group] = 0;
  const std::uint32_t block = group / 16;
  const std::uint32_t of_region = in_region_[block - 1] + of_block;
  in_region_[block] = of_region;
  if (block % 64 != 0) return;
  in_region_[block] = 0;
  const std::uint32_t region = block / 64;
  in_all_[region] = in_all_[region - 1] + of_region;
}

void RankedBits::clear(std::uint32_t at) {
  words_[at >> word_bits] &= ~(std::uint64_t{1} << (at % 64));
  take_one_after<64>(in_group_ + (at >> group_bits << (group_bits - word_bits)), (at >> word_bits) % 64);
  take_one_after<16>(in_block_ + (at >> block_bits << (block_bits - group_bits)), (at >> group_bits) % 16);
  const auto last = static_cast<std::uint32_t>((size_ - 1) >> block_bits);
  const std::uint32_t end = std::min(last, (at >> block_bits) | 63);
  for (std::uint32_t block = (at >> block_bits) + 1; block <= end; ++block) --in_region_[block];
  for (std::uint32_t region = (at >> region_bits) + 1; region <= last / 64; ++region) --in_all_[region];
  --count_;
}

void RankedBits::restart(std::uint64_t set_bits) {
  size_ = 0;
  count_ = 0;
  in_group_[0] = in_block_[0] = 0;
  in_region_[0] = in_all_[0] = 0;
  for (; size_ + 64 <= set_bits; size_ += 64) {
    begin_word(static_cast<std::uint32_t>(size_ / 64));
    words_[size_ / 64] = ~std::uint64_t{0};
  }
  count_ = static_cast<std::uint32_t>(size_);
  while (size_ < set_bits) append();
}

}  // namespace cachescape::analyze
