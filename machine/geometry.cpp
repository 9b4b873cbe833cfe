#include "machine/geometry.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "machine/size_text.hpp"
#include "machine/validate.hpp"

namespace cachescape::machine {

namespace {

std::unexpected<GeometryError> wrong(GeometryKey key, std::string what, std::string hint = {}) {
  return std::unexpected(
      GeometryError{key, Error{ErrorKind::malformed, std::move(what), std::string{}, std::move(hint)}});
}

std::unexpected<GeometryError> zero(GeometryKey key, const char* name) {
  return wrong(key, fmt::format("{} must be at least 1, not 0", name));
}

/// lines ÷ by, where that is a whole number ≥ 1.
std::optional<std::uint64_t> quotient(std::uint64_t lines, std::uint64_t by) {
  if (lines % by != 0) return std::nullopt;
  return lines / by;
}

}  // namespace

Result<LineSize> line_of_bytes(std::uint64_t bytes) {
  if (!LineSize::valid(bytes) || LineSize::of(bytes).log2() > max_line_log2) {
    return failure(ErrorKind::malformed,
                   fmt::format("line must be a power of two from 1 to {} bytes, not {}", 1U << max_line_log2, bytes));
  }
  return LineSize::of(bytes);
}

std::expected<SetsAndWays, GeometryError> complete(const Geometry& given, LineSize line) {
  if (given.size && given.size->value == 0) return zero(GeometryKey::size, "size");
  if (given.ways && *given.ways == 0) return zero(GeometryKey::ways, "ways");
  if (given.sets && *given.sets == 0) return zero(GeometryKey::sets, "sets");

  std::optional<std::uint64_t> lines;
  if (given.size) {
    lines = quotient(given.size->value, line.bytes().value);
    if (!lines) {
      return wrong(GeometryKey::size, fmt::format("size {} is not a multiple of the line of {} bytes",
                                                  print_size(*given.size), line.bytes().value));
    }
  }
  if (given.fully_associative) {
    if (given.sets && *given.sets != 1) {
      return wrong(GeometryKey::sets,
                   fmt::format("a fully associative cache has 1 set, but sets says {}", *given.sets));
    }
    if (!lines) return wrong(GeometryKey::ways, "a fully associative cache needs a size");
    return SetsAndWays{1, *lines};
  }
  if (given.ways && given.sets) {
    std::uint64_t product = 0;
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(*given.sets, *given.ways, &product) ||
        __builtin_mul_overflow(product, line.bytes().value, &bytes)) {
      return wrong(GeometryKey::sets,
                   fmt::format("{} sets of {} ways are too large a cache", *given.sets, *given.ways));
    }
    if (lines && product != *lines) {
      return wrong(GeometryKey::size,
                   fmt::format("size {} does not agree with {} sets × {} ways × {} bytes = {}", print_size(*given.size),
                               *given.sets, *given.ways, line.bytes().value, print_size(Bytes{bytes})),
                   "two of size, ways and sets are enough");
    }
    return SetsAndWays{*given.sets, *given.ways};
  }
  if (lines && (given.ways || given.sets)) {
    const std::uint64_t by = given.ways ? *given.ways : *given.sets;
    const std::optional<std::uint64_t> other = quotient(*lines, by);
    if (!other) {
      return wrong(GeometryKey::size,
                   fmt::format("size {} is {} lines of {} bytes, which do not divide into {} {}",
                               print_size(*given.size), *lines, line.bytes().value, by, given.ways ? "ways" : "sets"));
    }
    return given.ways ? SetsAndWays{*other, by} : SetsAndWays{by, *other};
  }
  return wrong(GeometryKey::size, "two of size, ways and sets are needed");
}

}  // namespace cachescape::machine
