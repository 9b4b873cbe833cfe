// The bytes of a seed's file, as reading and writing agree on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cachescape::synth {

inline constexpr std::array<char, 8> seed_magic{'C', 'S', 'S', 'E', 'E', 'D', '\r', '\n'};
inline constexpr std::uint32_t seed_version = 1;
inline constexpr std::uint32_t seed_is_unique = 1;
inline constexpr std::uint32_t seed_has_kinds = 2;
inline constexpr std::uint32_t seed_has_threads = 4;

/// Little-endian. Behind it: the signatures' text; the body, compressed by zstd.
/// Body: for each phase its length and repeats; the words, as differences from the one before (zigzag); where flagged,
/// the kinds and the threads, a byte for each reference. Numbers are LEB128.
struct SeedHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t flags;
  std::uint32_t word;
  std::uint32_t phases;
  std::uint64_t references;
  std::uint64_t working_set;
  std::uint64_t least_replications;
  std::uint64_t text_bytes;
  std::uint64_t body_bytes;    ///< once it is unpacked
  std::uint64_t stored_bytes;  ///< as it stands in the file
  std::uint64_t checksum;      ///< XXH3 of the text and the stored body, seeded with that of the header up to here
};
static_assert(sizeof(SeedHeader) == 80);

inline constexpr std::uint64_t most_references = std::uint64_t{1} << 28;
inline constexpr std::uint64_t most_working_set = std::uint64_t{1} << 34;
inline constexpr std::uint32_t most_phases = 4096;
inline constexpr std::uint64_t most_seed_repeats = std::uint64_t{1} << 32;

}  // namespace cachescape::synth
