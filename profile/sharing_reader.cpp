#include "profile/sharing_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "profile/bin_cursor.hpp"
#include "profile/numbered_rows.hpp"
#include "profile/schema.hpp"
#include "profile/sharing_rows.hpp"

namespace cachescape::profile {
namespace {

/// Takes `count` off `left`; false where that is not enough.
bool take(std::uint64_t& left, std::uint64_t count) {
  if (count > left) return false;
  left -= count;
  return true;
}

Result<void> read_touches(BinCursor& runs, std::uint64_t id, const SharingHeader& header, CoherentProfile& degree) {
  runs.restart(id);
  KindCounts left = header.touches;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    degree.kinds[k].kept.cold = header.cold[k];
    left[k] -= header.cold[k];
  }
  while (true) {
    CACHESCAPE_TRY(const bool more, runs.next());
    if (!more) break;
    std::uint64_t kind = 0;
    std::uint64_t fate = 0;
    if (!runs.load_key(1, kind) || kind >= access_kinds) return runs.malformed("kind is none of 0, 1 and 2");
    if (!runs.load_key(2, fate) || fate >= sharing_fates) return runs.malformed("fate is none of 0, 1 and 2");
    if (!take(left[kind], runs.count())) {
      return runs.malformed("the counts come to more than touches in table sharing_kind");
    }
    CACHESCAPE_CHECK(runs.append_to(bins_of_fate(degree.kinds[kind], fate)));
  }
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (left[k] == 0) continue;
    return runs.malformed_table(fmt::format(
        "the counts of sharing {}, kind {} come to {} less than touches in table sharing_kind", id, k, left[k]));
  }
  return {};
}

Result<void> read_events(BinCursor& runs, std::uint64_t id, const SharingSums& sums, CoherentProfile& degree) {
  runs.restart(id);
  std::array<std::uint64_t, sharing_events> left = sums.events;
  while (true) {
    CACHESCAPE_TRY(const bool more, runs.next());
    if (!more) break;
    std::uint64_t event = 0;
    if (!runs.load_key(1, event) || event >= sharing_events) {
      return runs.malformed(fmt::format("event is none of 0 … {}", sharing_events - 1));
    }
    if (!take(left[event], runs.count())) {
      return runs.malformed("the counts come to more than count in table sharing_event");
    }
    CACHESCAPE_CHECK(runs.append_to(bins_of_event(degree, event)));
  }
  for (std::size_t e = 0; e < sharing_events; ++e) {
    if (left[e] == 0) continue;
    return runs.malformed_table(fmt::format(
        "the counts of sharing {}, event {} come to {} less than count in table sharing_event", id, e, left[e]));
  }
  return {};
}

Result<void> read_set_bins(RowCursor& rows, std::uint64_t id, const SharingSums& sums, CoherentProfile& degree) {
  rows.restart(id);
  std::vector<std::uint64_t> left = sums.set_touches;
  std::size_t at = 0;
  std::uint64_t last_cell = 0;  // 1 + its number within `at`
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) break;
    std::uint64_t sets = 0;
    std::uint64_t kind = 0;
    std::uint64_t fate = 0;
    std::uint64_t distance = 0;
    std::uint64_t count = 0;
    if (!rows.load(1, sets)) return rows.refuse(1);
    if (!rows.load(2, kind) || kind >= access_kinds) return rows.malformed("kind is none of 0, 1 and 2");
    if (!rows.load(3, fate) || fate >= sharing_fates) return rows.malformed("fate is none of 0, 1 and 2");
    if (!rows.load(4, distance)) return rows.refuse(4);
    if (!rows.load(5, count)) return rows.refuse(5);
    while (at < degree.sets.size() && degree.sets[at].sets < sets) {
      ++at;
      last_cell = 0;
    }
    if (at == degree.sets.size() || degree.sets[at].sets != sets) {
      return rows.malformed("the number of sets is not in table sharing_sets, or out of order");
    }
    if (distance >= degree.ways) {
      return rows.malformed(fmt::format("the distance is not less than the {} ways", degree.ways));
    }
    const std::uint64_t cell = 1 + (kind * sharing_fates + fate) * degree.ways + distance;
    if (cell <= last_cell) return rows.malformed("distances do not ascend");
    if (count == 0) return rows.malformed("count is 0: at least 1 was expected");
    if (!take(left[at], count)) {
      return rows.malformed("the counts come to more than touches in table sharing_sets");
    }
    cells_of_fate(degree.sets[at], kind, fate)[distance] = count;
    last_cell = cell;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == 0) continue;
    return rows.malformed_table(
        fmt::format("the counts of sharing {}, {} sets come to {} less than touches in table sharing_sets", id,
                    degree.sets[i].sets, left[i]));
  }
  return {};
}

/// Of the header's size, which was capped.
CoherentProfile without_counts(const SharingHeader& header) {
  CoherentProfile degree;
  degree.degree = header.degree;
  degree.line = header.line;
  degree.caches = header.caches;
  degree.ways = header.ways;
  for (const std::uint64_t number : header.sets) {
    CoherentSets& sets = degree.sets.emplace_back();
    sets.sets = number;
    for (std::size_t k = 0; k < access_kinds; ++k) {
      for (std::size_t fate = 0; fate < sharing_fates; ++fate) cells_of_fate(sets, k, fate).resize(header.ways);
    }
  }
  return degree;
}

Result<void> read_degrees(const Database& database, const Outline& outline, const ReadFilter& filter,
                          std::vector<CoherentProfile>& degrees) {
  const auto& headers = outline.header.sharing;
  const std::int64_t version = outline.header.version;
  CACHESCAPE_CHECK(check_owners(database, sharing_bins, version, headers.size()));
  CACHESCAPE_CHECK(check_owners(database, sharing_event_bins, version, headers.size()));
  CACHESCAPE_CHECK(check_orphans(database, "sharing_set_bin", "sharing", headers.size()));
  CACHESCAPE_TRY(BinCursor touches, BinCursor::open(database, sharing_bins, version));
  CACHESCAPE_TRY(BinCursor events, BinCursor::open(database, sharing_event_bins, version));
  CACHESCAPE_TRY(RowCursor sets,
                 rows_of(database, "sharing_set_bin",
                         "SELECT sharing, sets, kind, fate, distance, count FROM sharing_set_bin WHERE sharing = ?1 "
                         "ORDER BY sets, kind, fate, distance",
                         5));
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (!filter.lines.empty() && std::ranges::find(filter.lines, headers[i].line) == filter.lines.end()) continue;
    CoherentProfile& degree = degrees.emplace_back(without_counts(headers[i]));
    CACHESCAPE_CHECK(read_touches(touches, i + 1, headers[i], degree));
    CACHESCAPE_CHECK(read_events(events, i + 1, outline.sharing_sums[i], degree));
    CACHESCAPE_CHECK(read_set_bins(sets, i + 1, outline.sharing_sums[i], degree));
  }
  return {};
}

Result<void> read_pairs(const Database& database, const Places& places, std::vector<SharingPair>& pairs) {
  return for_rows(database, "sharing_pair", "site, object, writer_site, writer_object, true_sharing, false_sharing",
                  [&](const RowCursor& row) -> Result<void> {
                    SharingPair next;
                    CACHESCAPE_TRY(next.site, index_of(row, 1, "site", places.sites.size()));
                    CACHESCAPE_TRY(next.object, index_of(row, 2, "object", places.objects.size()));
                    CACHESCAPE_TRY(next.writer_site, index_of(row, 3, "site", places.sites.size()));
                    CACHESCAPE_TRY(next.writer_object, index_of(row, 4, "object", places.objects.size()));
                    CACHESCAPE_TRY(next.misses[0], row.integer(5));
                    CACHESCAPE_TRY(next.misses[1], row.integer(6));
                    if (!pairs.empty() && next < pairs.back()) return row.malformed("pairs do not ascend");
                    pairs.push_back(next);
                    return {};
                  });
}

Result<void> read_lines(const Database& database, const Places& places, std::vector<SharedLine>& lines) {
  CACHESCAPE_CHECK(for_rows(database, "shared_line", "address, true_sharing, false_sharing",
                            [&](const RowCursor& row) -> Result<void> {
                              SharedLine next;
                              CACHESCAPE_TRY(const std::uint64_t address, row.bits(1));
                              next.address = Address{address};
                              CACHESCAPE_TRY(next.misses[0], row.integer(2));
                              CACHESCAPE_TRY(next.misses[1], row.integer(3));
                              lines.push_back(std::move(next));
                              return {};
                            }));
  std::uint32_t last_line = 0;
  return for_rows(database, "line_use", "shared_line, thread, site, object, writes, bytes",
                  [&](const RowCursor& row) -> Result<void> {
                    CACHESCAPE_TRY(const std::uint32_t line, index_of(row, 1, "shared_line", lines.size()));
                    if (line == nowhere) return row.malformed("shared_line is NULL: a line was expected");
                    if (line < last_line) return row.malformed("shared lines do not ascend");
                    last_line = line;
                    LineUse& use = lines[line].uses.emplace_back();
                    CACHESCAPE_TRY(use.thread, small(row, 2));
                    CACHESCAPE_TRY(use.site, index_of(row, 3, "site", places.sites.size()));
                    CACHESCAPE_TRY(use.object, index_of(row, 4, "object", places.objects.size()));
                    CACHESCAPE_TRY(const std::uint64_t writes, row.at_most(5, 1));
                    use.writes = writes == 1;
                    CACHESCAPE_TRY(use.bytes, row.bits(6));
                    return {};
                  });
}

}  // namespace

Result<Sharing> read_sharing(const Database& database, const Outline& outline, const ReadFilter& filter,
                             const Places& places) {
  Sharing sharing;
  CACHESCAPE_CHECK(read_degrees(database, outline, filter, sharing.degrees));
  if (!filter.places) return sharing;
  CACHESCAPE_CHECK(read_pairs(database, places, sharing.pairs));
  CACHESCAPE_CHECK(read_lines(database, places, sharing.lines));
  return sharing;
}

}  // namespace cachescape::profile
