// Where the misses are: a machine's misses by function, line, variable, object or block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cachescape/profile.hpp"
#include "machine/machine.hpp"
#include "model/groups.hpp"

namespace cachescape::model {

/// What one group does. Counts are those of the whole program: estimates where the profile was sampled. A place's
/// footprint is not known: lines that several places touch have no owner.
struct PlaceRow {
  Group group;
  KindCounts accesses{};
  std::uint64_t bytes = 0;
  KindCounts touches{};
  KindCounts cold{};               ///< first touches of a line by anyone: misses of every cache
  std::vector<KindCounts> misses;  ///< by level of the machine, cold ones included

  friend bool operator==(const PlaceRow&, const PlaceRow&) = default;
};

/// What stands for one level of the machine.
struct PlaceLevel {
  std::string name;
  std::uint64_t lines = 0;  ///< of PlaceTable::line bytes

  friend bool operator==(const PlaceLevel&, const PlaceLevel&) = default;
};

struct PlaceTable {
  Grouping grouping = Grouping::function;
  LineSize line{6};
  std::vector<PlaceLevel> levels;
  std::vector<PlaceRow> rows;  ///< by group
  PlaceRow total;              ///< of all rows; its group is empty
  /// How the misses differ from those of predict(); sentences without full stop.
  std::vector<std::string> notes;

  friend bool operator==(const PlaceTable&, const PlaceTable&) = default;
};

/// Each level is a fully associative LRU cache of as many bytes, judged by all touches: a touch misses where its place
/// distance is not less than the cache's lines. Several instances are one cache with the lines of all, an exclusive
/// level has also those of the levels nearer to the core, and a number of lines with more than five binary digits is
/// rounded down to five, which is what place distances can tell. Sampled counts are weighed as in scaling.hpp.
/// Pure. Preconditions: check_form of the profile, machine::validate(machine) succeed. O(bins + rows log rows).
PlaceTable places_of(const Profile& profile, const machine::Machine& machine, Grouping grouping);

/// What rows are put in order by, largest first.
enum class PlaceOrder : std::uint8_t {
  misses,    ///< of all levels together: the lines that they have to fetch for it; then accesses
  accesses,  ///< then misses
  bytes,     ///< then misses
};

/// Rows that are equal in all of these stay in the order of their groups.
void sort(std::vector<PlaceRow>& rows, PlaceOrder order);

/// Adds the counts of `row`, not its group.
void add(PlaceRow& to, const PlaceRow& row);

}  // namespace cachescape::model
