// The bytes of a .cstrace file (docs/formats/trace.md). Everything is little-endian and fixed-width here;
// what is inside a chunk is the codec's affair.
//
//   FileHeader  { ChunkHeader payload }…  FileTrailer
//
// A *round* is a group of consecutive chunks, one per thread, that together hold one unbroken interval of
// the global order. A reader needs one round in memory, whatever the number of threads.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include <xxhash.h>

namespace cachescape::trace {

static_assert(std::endian::native == std::endian::little, "the file layout is read and written as it lies in memory");

inline constexpr std::array<char, 8> file_magic{'C', 'S', 'T', 'R', 'A', 'C', 'E', '\x1a'};
inline constexpr std::array<char, 8> end_magic{'C', 'S', 'T', 'R', 'E', 'N', 'D', '\x1a'};
inline constexpr std::uint32_t chunk_magic = 0x4b435343;  // "CSCK"
inline constexpr std::uint32_t format_version = 1;

/// Most accesses in one round, and so in one chunk; bounds what a reader allocates.
inline constexpr std::uint32_t max_round_accesses = 1u << 20;
/// Most bytes a chunk's payload may have, stored or unpacked.
inline constexpr std::uint32_t max_payload_bytes = 1u << 26;

enum class ChunkType : std::uint8_t { accesses = 1, metadata = 2, index = 3 };
enum class Codec : std::uint8_t { plain = 0, zstd = 1 };

struct FileHeader {
  std::array<char, 8> magic = file_magic;
  std::uint32_t version = format_version;
  std::uint32_t reserved = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(FileHeader) == 24 && std::is_trivially_copyable_v<FileHeader>);

struct ChunkHeader {
  std::uint32_t magic = chunk_magic;
  ChunkType type = ChunkType::accesses;
  Codec codec = Codec::zstd;
  std::uint16_t reserved = 0;
  std::uint64_t round_first = 0;     ///< position of the round's first access in the global order
  std::uint32_t round_accesses = 0;  ///< accesses of the round, all threads
  std::uint32_t chunk_in_round = 0;  ///< 0 …
  std::uint32_t chunks_in_round = 1;
  std::uint32_t thread = 0;
  std::uint32_t accesses = 0;      ///< accesses in this chunk
  std::uint32_t raw_bytes = 0;     ///< payload unpacked
  std::uint32_t stored_bytes = 0;  ///< payload as stored after this header
  std::uint32_t reserved2 = 0;
  std::uint64_t payload_checksum = 0;  ///< XXH3 of the stored payload
  std::uint64_t checksum = 0;          ///< XXH3 of all before this field
};
static_assert(sizeof(ChunkHeader) == 64 && std::is_trivially_copyable_v<ChunkHeader>);

struct FileTrailer {
  std::array<char, 8> magic = end_magic;
  std::uint64_t index_offset = 0;  ///< of the index chunk's header
  std::uint64_t accesses = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(FileTrailer) == 32 && std::is_trivially_copyable_v<FileTrailer>);

inline std::uint64_t checksum_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// The checksum of a header or trailer: of all its bytes before the checksum itself, which comes last.
template <class Fixed>
std::uint64_t checksum_of_fields(const Fixed& fixed) {
  return checksum_of(std::as_bytes(std::span(&fixed, 1)).first(sizeof(Fixed) - sizeof(std::uint64_t)));
}

template <class Fixed>
Fixed load(std::span<const std::byte> bytes) {
  Fixed fixed;
  std::memcpy(&fixed, bytes.data(), sizeof fixed);
  return fixed;
}

}  // namespace cachescape::trace
