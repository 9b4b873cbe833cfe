// What a .cscape file consists of: docs/formats/profile.md in SQL.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cachescape::profile {

/// "cscp", in the header of every profile, so that file(1) and we know it from other databases.
inline constexpr std::int64_t application_id = 0x63736370;
/// The version that is written. Older ones are read, newer ones are refused.
inline constexpr std::int64_t schema_version = 5;

/// The first version with write-backs and with places.
inline constexpr std::int64_t write_backs_since = 2;
inline constexpr std::int64_t places_since = 2;
/// The first version with sharing.
inline constexpr std::int64_t sharing_since = 3;
/// The first version with counters by call stack.
inline constexpr std::int64_t contexts_since = 3;
/// The first version with memory signatures.
inline constexpr std::int64_t signatures_since = 4;
/// The first version whose long histograms are chunks; up to the one before, each bin was a row.
inline constexpr std::int64_t chunks_since = 5;
inline constexpr std::int64_t rows_until = chunks_since - 1;

/// No cache has more ways; a file that says so is damaged, and believing it would cost memory.
inline constexpr std::uint64_t max_ways = 1u << 16;
/// Set distance counters of all set profiles together, and again of all degrees of sharing (512 MiB each).
inline constexpr std::uint64_t max_set_cells = std::uint64_t{1} << 26;
/// Sites of all signatures together, each of which takes 3 KiB once it is read.
inline constexpr std::uint64_t max_signature_sites = std::uint64_t{1} << 19;
/// Bytes of one text.
inline constexpr int max_text = 16 << 20;
/// Counts and distances: SQLite's integers have a sign.
inline constexpr std::uint64_t max_integer = 0x7fff'ffff'ffff'ffff;

struct SchemaObject {
  std::string_view name;
  std::string_view sql;                 ///< exactly as SQLite keeps it
  std::int64_t since = 1;               ///< the first version that has it
  std::int64_t until = schema_version;  ///< the last one

  constexpr bool in(std::int64_t version) const { return since <= version && version <= until; }
};

/// Of all versions.
std::span<const SchemaObject> tables();
/// Of the version that is written.
std::span<const SchemaObject> views();

}  // namespace cachescape::profile
