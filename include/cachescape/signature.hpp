// What a memory signature is made of: how often blocks of 512 bytes are touched again, at which distance, and how often
// two touches of a part of a block fall into the same half of it (the memory signature of Weinberg's Chameleon).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/histogram.hpp"
#include "cachescape/line.hpp"

namespace cachescape {

/// The blocks of a signature.
inline constexpr LineSize signature_block{9};

/// Bins of stack distances D among blocks: 0 holds D = 0, k holds 2^(k−1) ≤ D < 2^k; two more hold what no cache of up
/// to 2^16 blocks finds.
inline constexpr std::size_t signature_depths = 17;
inline constexpr std::size_t far_bin = signature_depths;       ///< touched before, 2^16 or more other blocks ago
inline constexpr std::size_t cold_bin = signature_depths + 1;  ///< never touched before
inline constexpr std::size_t signature_bins = signature_depths + 2;

constexpr std::size_t signature_bin(std::uint64_t distance) {
  const auto bin = static_cast<std::size_t>(std::bit_width(distance));
  return bin < signature_depths ? bin : far_bin;
}

/// Halves within a block: halves[0] are the 4-byte halves of 8 bytes, halves[6] the 256-byte halves of a block. With
/// words of 8 bytes the first is unused.
inline constexpr std::size_t signature_halves = 7;
constexpr std::uint32_t half_bytes(std::size_t half) { return 4u << half; }

/// How often a part of a block that had been touched before was touched in the same half as the last time.
struct HalfCounts {
  std::uint64_t same = 0;
  std::uint64_t again = 0;  ///< touches of a part that had been touched before

  friend constexpr bool operator==(const HalfCounts&, const HalfCounts&) = default;
};

/// Of the references in one bin of distances.
struct SignatureBin {
  KindCounts references{};
  std::array<HalfCounts, signature_halves> halves{};
  std::uint64_t foreign = 0;  ///< references to a block that another thread touched last

  friend constexpr bool operator==(const SignatureBin&, const SignatureBin&) = default;
};

using SignatureCounts = std::array<SignatureBin, signature_bins>;

inline void add_to(SignatureCounts& sum, const SignatureCounts& counts) {
  for (std::size_t b = 0; b < signature_bins; ++b) {
    for (std::size_t k = 0; k < access_kinds; ++k) add_to(sum[b].references[k], counts[b].references[k]);
    for (std::size_t h = 0; h < signature_halves; ++h) {
      add_to(sum[b].halves[h].same, counts[b].halves[h].same);
      add_to(sum[b].halves[h].again, counts[b].halves[h].again);
    }
    add_to(sum[b].foreign, counts[b].foreign);
  }
}

/// How references are made from accesses.
struct SignatureRule {
  /// 4 or 8: bytes in which nothing smaller is told apart.
  std::uint32_t word = 4;
  /// An access makes one reference to each word that it covers, ascending; otherwise one, to its first word.
  bool every_word = false;

  friend constexpr bool operator==(const SignatureRule&, const SignatureRule&) = default;
};

/// Where a block that is touched for the first time lies, seen from the one that its thread touched for the first time
/// before: so many blocks further, modulo 2^12. It decides with whom the block shares a set.
inline constexpr unsigned signature_step_bits = 12;
constexpr std::uint64_t signature_step(Line from, Line to) {
  return (to.value - from.value) & ((std::uint64_t{1} << signature_step_bits) - 1);
}

/// The references of one site.
struct SiteSignature {
  std::uint32_t site = 0;  ///< index into Places::sites
  SignatureCounts counts{};

  friend bool operator==(const SiteSignature&, const SiteSignature&) = default;
};

}  // namespace cachescape
