// A memory signature as it is handed on: a workload in a few hundred numbers, without the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cachescape/signature.hpp"

namespace cachescape::signature {

/// How often a part of a block was touched in the same half as the last time.
struct HalfShare {
  std::optional<double> share;       ///< none where it was never touched again
  std::optional<HalfCounts> counts;  ///< none where it was written by hand

  friend bool operator==(const HalfShare&, const HalfShare&) = default;
};

/// Hit rates of fully associative LRU caches of 1, 2, 4 … 2^16 lines.
using HitRates = std::array<double, signature_depths>;

/// Larger caches than these are told apart at every quarter on the way to the next power of two: second levels have
/// sizes in between, and a program that goes round a working set fits or does not.
inline constexpr std::size_t first_quartered = 9;
inline constexpr std::size_t quarters_between = 3;
inline constexpr std::size_t between_depths = (signature_depths - 1 - first_quartered) * quarters_between;
/// Lines of the caches in between, ascending: 2^9 × 5/4, 2^9 × 6/4, 2^9 × 7/4, 2^10 × 5/4 …
constexpr std::uint64_t between_depth(std::size_t index) {
  return (4 + 1 + index % quarters_between) << (first_quartered - 2 + index / quarters_between);
}
using BetweenRates = std::array<double, between_depths>;

/// Hit rates at one width of lines.
struct Width {
  LineSize line{6};
  HitRates hit_rates{};
  std::optional<BetweenRates> between{};

  friend bool operator==(const Width&, const Width&) = default;
};

/// The hit rate of a set-associative LRU cache.
struct SetHitRate {
  std::uint32_t sets = 1;
  std::uint32_t ways = 1;
  double hit_rate = 0;
  LineSize line{6};

  friend bool operator==(const SetHitRate&, const SetHitRate&) = default;
};

/// What Chameleon's signature does not have. Shares are of the references in each bin of distances.
struct Detail {
  std::array<double, signature_bins> writes{};   ///< stores and read-modify-writes
  std::array<double, signature_bins> foreign{};  ///< to a block that another thread touched last
  std::vector<double> threads{1};                ///< share of all references that each thread makes
  std::uint64_t blocks = 0;                      ///< different ones; 0 = unknown
  std::vector<Width> widths;                     ///< ascending, below 512 bytes
  std::optional<BetweenRates> between;           ///< of blocks
  std::vector<SetHitRate> sets;                  ///< by ascending (line, sets, ways)
  std::vector<Bin> steps;                        ///< as SignatureProfile::steps, the most frequent ones
  std::uint64_t other_steps = 0;                 ///< all others, anywhere
  double parallelism = 0;                        ///< loads that do not wait for each other; 0 = unknown

  friend bool operator==(const Detail&, const Detail&) = default;
};

struct Signature {
  std::string name = "0";            ///< of what: a program, a thread, a function, a block
  std::uint64_t accesses = 0;        ///< made
  std::uint64_t references = 0;      ///< analysed
  std::uint64_t limit = 4294967285;  ///< after how many the recording would have ended
  double sample_rate = 1;
  SignatureRule rule;
  HitRates hit_rates{};  ///< of caches with lines of 512 bytes
  /// By half and bin of distances.
  std::array<std::array<HalfShare, signature_depths>, signature_halves> halves{};
  std::array<HalfShare, signature_halves> average{};
  std::optional<Detail> detail;

  friend bool operator==(const Signature&, const Signature&) = default;
};

}  // namespace cachescape::signature
