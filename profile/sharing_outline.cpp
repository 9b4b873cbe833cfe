#include "profile/sharing_outline.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "profile/numbered_rows.hpp"
#include "profile/schema.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {
namespace {

Result<void> read_headers(const Database& database, std::vector<SharingHeader>& headers) {
  return for_rows(database, "sharing", "degree, line, caches, ways", [&](const RowCursor& row) -> Result<void> {
    SharingHeader next;
    CACHESCAPE_TRY(next.degree, small(row, 1));
    CACHESCAPE_TRY(next.line, row.line(2));
    CACHESCAPE_TRY(next.caches, small(row, 3));
    CACHESCAPE_TRY(const std::uint64_t ways, row.at_most(4, max_ways));
    next.ways = static_cast<std::uint32_t>(ways);
    if (next.degree == 0) return row.malformed("degree is 0: at least 1 was expected");
    if (!headers.empty() &&
        std::pair(headers.back().degree, headers.back().line) >= std::pair(next.degree, next.line)) {
      return row.malformed(fmt::format("{} follows {}: degrees and lines must ascend",
                                       sharing_text(next.degree, next.line),
                                       sharing_text(headers.back().degree, headers.back().line)));
    }
    headers.push_back(std::move(next));
    return {};
  });
}

/// Calls read(rows, sharing, part) for the rows of a table that has exactly `parts` of them for each of `count`
/// degrees; `part` is the name of its second column.
template <class Read>
Result<void> for_all_parts(const Database& database, std::string_view table, std::string_view part,
                           std::string_view columns, std::size_t count, std::size_t parts, Read read) {
  CACHESCAPE_TRY(
      RowCursor rows,
      rows_of(database, table,
              fmt::format("SELECT sharing, {0}, {1} FROM {2} ORDER BY sharing, {0}", part, columns, table), 2));
  for (std::size_t i = 0; i < count * parts; ++i) {
    CACHESCAPE_TRY(const bool found, rows.next());
    std::uint64_t row_sharing = 0;
    std::uint64_t row_part = 0;
    if (!found || !rows.load(0, row_sharing) || !rows.load(1, row_part) || row_sharing != i / parts + 1 ||
        row_part != i % parts) {
      return rows.malformed_table(fmt::format("there is no row for sharing {}, {} {}", i / parts + 1, part, i % parts));
    }
    CACHESCAPE_CHECK(read(rows, i / parts, i % parts));
  }
  CACHESCAPE_TRY(const bool more, rows.next());
  if (more) return rows.malformed(fmt::format("the row belongs to no sharing and {}", part));
  return {};
}

Result<void> read_grids(const Database& database, std::vector<SharingHeader>& headers, std::vector<SharingSums>& sums) {
  CACHESCAPE_TRY(RowCursor rows, rows_of(database, "sharing_sets",
                                         "SELECT sharing, sets, touches FROM sharing_sets ORDER BY sharing, sets", 2));
  std::uint64_t cells = 0;
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    CACHESCAPE_TRY(const std::uint64_t id, rows.integer(0));
    if (id < 1 || id > headers.size()) return rows.malformed(fmt::format("there is no sharing {}", id));
    SharingHeader& header = headers[id - 1];
    CACHESCAPE_TRY(const std::uint64_t number, rows.integer(1));
    CACHESCAPE_TRY(const std::uint64_t touches, rows.integer(2));
    if (number == 0) return rows.malformed("sets is 0: at least 1 was expected");
    if (!header.sets.empty() && number <= header.sets.back()) return rows.malformed("numbers of sets do not ascend");
    cells += access_kinds * sharing_fates * header.ways;
    if (cells > max_set_cells) {
      return rows.failed(ErrorKind::limit,
                         fmt::format("there are more than {} counters of set distances", max_set_cells));
    }
    header.sets.push_back(number);
    sums[id - 1].set_touches.push_back(touches);
  }
}

}  // namespace

Result<std::vector<SharingSums>> read_sharing_outline(const Database& database, std::vector<SharingHeader>& headers) {
  CACHESCAPE_CHECK(read_headers(database, headers));
  std::vector<SharingSums> sums(headers.size());
  CACHESCAPE_CHECK(for_all_parts(database, "sharing_kind", "kind", "touches, cold", headers.size(), access_kinds,
                                 [&](const RowCursor& row, std::size_t sharing, std::size_t kind) -> Result<void> {
                                   CACHESCAPE_TRY(headers[sharing].touches[kind], row.integer(2));
                                   CACHESCAPE_TRY(headers[sharing].cold[kind],
                                                  row.at_most(3, headers[sharing].touches[kind]));
                                   return {};
                                 }));
  CACHESCAPE_CHECK(for_all_parts(database, "sharing_event", "event", "count", headers.size(), sharing_events,
                                 [&](const RowCursor& row, std::size_t sharing, std::size_t event) -> Result<void> {
                                   CACHESCAPE_TRY(sums[sharing].events[event], row.integer(2));
                                   return {};
                                 }));
  CACHESCAPE_CHECK(read_grids(database, headers, sums));
  return sums;
}

}  // namespace cachescape::profile
