// Which data threads take from each other, how they use them, and what would keep them apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cachescape/profile.hpp"
#include "model/groups.hpp"

namespace cachescape::model {

/// A place in the source that finds lines gone, and the one that took them.
struct SharingPlaces {
  Group line;  ///< by line of the source
  Group function;
  std::string variable;
  Group writer_line;
  Group writer_function;
  std::string writer_variable;
  SharingCounts misses{};

  friend auto operator<=>(const SharingPlaces&, const SharingPlaces&) = default;
};

/// How a thread uses a line at one line of the source.
struct ThreadUse {
  std::uint32_t thread = 0;
  bool reads = false;
  bool writes = false;
  std::uint32_t first_byte = 0;  ///< in the line
  std::uint32_t last_byte = 0;
  Group line;  ///< of the source
  Group function;
  std::string variable;

  friend auto operator<=>(const ThreadUse&, const ThreadUse&) = default;
};

/// Parts of a line that different threads use and that lie apart: padding keeps them on lines of their own.
struct Padding {
  std::uint32_t part = 0;   ///< bytes from one thread's part to the next
  std::uint32_t bytes = 0;  ///< to be added after each
  /// A part lies in two lines: padding helps only where the first one is moved to the beginning of a line.
  bool straddles = false;

  friend auto operator<=>(const Padding&, const Padding&) = default;
};

struct SharedLineRow {
  Address address;
  SharingCounts misses{};
  std::vector<ThreadUse> uses;
  std::optional<Padding> padding;  ///< none where threads write the same bytes
};

/// One data structure.
struct SharedObjectRow {
  Group object;
  SharingCounts misses{};
  std::vector<SharingPlaces> places;  ///< worst first
  std::vector<SharedLineRow> lines;   ///< those that the profile tells of, worst first
};

struct SharingTable {
  LineSize line{6};
  std::uint64_t touches = 0;  ///< of all threads
  SharingCounts misses{};     ///< in caches of each thread's own that never evict
  /// By falsely shared misses, then truly shared ones, worst first.
  std::vector<SharedObjectRow> rows;
};

/// None where the profile knows nothing of sharing. O(pairs log pairs + lines).
std::optional<SharingTable> sharing_of(const Profile& profile);

}  // namespace cachescape::model
