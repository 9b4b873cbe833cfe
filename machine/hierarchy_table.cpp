#include "machine/hierarchy_table.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "machine/geometry.hpp"
#include "machine/validate.hpp"

namespace cachescape::machine {

namespace {

constexpr std::string_view header = "id,l1_bytes,l1_line,l1_ways,l2_bytes,l2_line,l2_ways";
constexpr std::size_t columns = 7;

std::string_view take_until(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  const std::string_view piece = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return piece;
}

Result<std::array<std::uint64_t, columns>> numbers_of(std::string_view row, const std::string& where) {
  std::array<std::uint64_t, columns> numbers{};
  std::string_view rest = row;
  for (std::uint64_t& n : numbers) {
    const std::string_view cell = take_until(rest, ',');
    const auto [stop, code] = std::from_chars(cell.data(), cell.data() + cell.size(), n);
    if (code != std::errc{} || stop != cell.data() + cell.size()) {
      return failure(ErrorKind::malformed, fmt::format("a row must be {} whole numbers, but has \"{}\"", columns, cell),
                     where);
    }
  }
  if (!rest.empty()) {
    return failure(ErrorKind::malformed, fmt::format("a row must be {} whole numbers, but has more", columns), where);
  }
  return numbers;
}

/// Adds a level to `m`; a size that is not a whole number of sets is rounded down, and its source says so.
Result<void> add_level(std::string name, std::uint64_t bytes, std::uint64_t line, std::uint64_t ways, Machine& m) {
  Level level;
  level.name = std::move(name);
  CACHESCAPE_TRY(level.line, line_of_bytes(line));
  if (ways == 0 || ways > max_ways) {
    return failure(ErrorKind::malformed, fmt::format("ways must be from 1 to {}, not {}", max_ways, ways));
  }
  level.ways = ways;
  level.sets = bytes / (ways * line);
  if (level.sets == 0) {
    return failure(ErrorKind::malformed, fmt::format("{} bytes are less than {} ways of {} bytes", bytes, ways, line));
  }
  if (level.size().value != bytes) {
    m.sources.emplace_back(level.name + ".size",
                           fmt::format("{}, rounded down to whole sets: the table says {} bytes, which are not a "
                                       "multiple of {} ways × {} bytes",
                                       m.sources.front().second, bytes, ways, line));
  }
  m.levels.push_back(std::move(level));
  return {};
}

Result<Machine> machine_of(const std::array<std::uint64_t, columns>& n, const TableDescription& description) {
  Machine m;
  m.name = fmt::format("{}-{:02}", description.prefix, n[0]);
  m.title = fmt::format("{} {}", description.title, n[0]);
  m.sources.emplace_back("*", fmt::format("{} {}", description.source, n[0]));
  CACHESCAPE_CHECK(add_level("L1", n[1], n[2], n[3], m));
  CACHESCAPE_CHECK(add_level("L2", n[4], n[5], n[6], m));
  CACHESCAPE_CHECK(validate(m));
  return m;
}

}  // namespace

Result<std::vector<Machine>> read_hierarchy_table(std::string_view text, std::string_view file,
                                                  const TableDescription& description) {
  std::vector<Machine> machines;
  std::string_view rest = text;
  if (take_until(rest, '\n') != header) {
    return failure(ErrorKind::malformed, fmt::format("the first line must be \"{}\"", header),
                   fmt::format("{}:1", file));
  }
  for (std::size_t line = 2; !rest.empty(); ++line) {
    const std::string_view row = take_until(rest, '\n');
    const std::string where = fmt::format("{}:{}", file, line);
    CACHESCAPE_TRY(const auto numbers, numbers_of(row, where));
    auto machine = machine_of(numbers, description);
    if (!machine) {
      Error error = std::move(machine).error();
      error.where = where;
      return std::unexpected(std::move(error));
    }
    machines.push_back(*std::move(machine));
  }
  return machines;
}

}  // namespace cachescape::machine
