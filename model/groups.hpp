// Parts of a program as people name them, and which of them a site, an object or a block belongs to.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cachescape/places.hpp"

namespace cachescape::model {

enum class Grouping : std::uint8_t {
  function,   ///< the source function, inlined or not
  container,  ///< the function that the code ended up in once everything was inlined
  line,       ///< file and line
  variable,   ///< what the source calls the thing that is accessed
  object,     ///< the data structure in memory
  block,      ///< the basic block
};

/// "function", "container", …: as options and files spell them.
std::string_view name_of(Grouping grouping);
std::optional<Grouping> grouping_named(std::string_view name);
/// "unknown", "heap", "global", "stack".
std::string_view name_of(Object::Kind kind);

/// A call on the way to an allocation.
struct Call {
  std::string function;
  std::string file;
  std::uint32_t line = 0;

  friend auto operator<=>(const Call&, const Call&) = default;
};

/// One group. What the profile does not know is empty or 0; a group whose name is empty gathers all that is unknown.
struct Group {
  std::string name;      ///< of the function, variable or object; "file:line" for lines and blocks
  std::string function;  ///< of a block: the function that contains it
  std::string file;      ///< of a line, a block, or where an object is declared or allocated
  std::uint32_t line = 0;
  std::uint32_t number = nowhere;             ///< of a block or object: its index, as several may look alike
  Object::Kind kind = Object::Kind::unknown;  ///< of an object
  std::uint64_t size = 0;                     ///< of an object: most bytes at one time
  std::uint64_t allocations = 0;              ///< of an object
  std::vector<Call> calls;                    ///< that led to the allocation of an object, innermost first

  friend auto operator<=>(const Group&, const Group&) = default;
};

/// Precondition of all: indices in `places` are nowhere or in range, as in every profile that was read. O(1).
/// Groupings by object have no sites.
Group group_of_site(const Places& places, std::uint32_t site, Grouping grouping);
Group group_of_object(const Places& places, std::uint32_t object);
/// For counters, which know blocks and nothing finer: groupings by variable and object have none, that by line takes
/// the block's own.
Group group_of_block(const Places& places, std::uint32_t block, Grouping grouping);

}  // namespace cachescape::model
