// Whether a machine makes sense: the rules of docs/design/simulator.md, and limits that keep models and
// simulators within memory. Pure functions, safe from any thread; O(levels² + sources²).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cachescape/result.hpp"
#include "machine/machine.hpp"

namespace cachescape::machine {

inline constexpr std::size_t max_levels = 16;
inline constexpr std::uint32_t max_cores = 4096;
inline constexpr std::uint64_t max_ways = std::uint64_t{1} << 20;
/// Of one instance of each level, added up.
inline constexpr std::uint64_t max_lines = std::uint64_t{1} << 32;
inline constexpr unsigned max_line_log2 = 16;
inline constexpr std::size_t max_level_name = 32;

/// A broken rule, and what it is about, so that readers can point at the place.
struct Violation {
  std::optional<std::size_t> level;  ///< index of the level; none = the machine as a whole
  std::string_view key;              ///< the machine file's key: "ways", "shared_by", …; "" = all of it
  Error error;
};

/// The first broken rule, levels in order, nearest to the core first.
std::optional<Violation> first_violation(const Machine& machine);

/// The same as a Result; `where` is the machine's name.
Result<void> validate(const Machine& machine);

}  // namespace cachescape::machine
