// Size, ways, sets and line of a cache: any two of the first three determine the third.
#pragma once

#include <cstdint>
#include <optional>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"
#include "machine/machine.hpp"

namespace cachescape::machine {

/// What a description says; at most one of `ways` and `fully_associative`.
struct Geometry {
  std::optional<Bytes> size;
  std::optional<std::uint64_t> ways;
  std::optional<std::uint64_t> sets;
  bool fully_associative = false;  ///< one set, as many ways as there are lines
};

/// A line of `bytes` bytes: a power of two up to validate.hpp's limit. Errors have no `where`.
Result<LineSize> line_of_bytes(std::uint64_t bytes);

struct SetsAndWays {
  std::uint64_t sets = 1;
  std::uint64_t ways = 1;

  friend constexpr bool operator==(SetsAndWays, SetsAndWays) = default;
};

/// Which of the given numbers an error is about.
enum class GeometryKey : std::uint8_t { size, ways, sets };
struct GeometryError {
  GeometryKey key = GeometryKey::size;
  Error error;
};

/// Sets and ways, or why the numbers do not fit together (no `where`). All given numbers must be ≥ 1 and
/// must agree.
std::expected<SetsAndWays, GeometryError> complete(const Geometry& given, LineSize line);

}  // namespace cachescape::machine
