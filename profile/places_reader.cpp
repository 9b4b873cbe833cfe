#include "profile/places_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "profile/numbered_rows.hpp"
#include "profile/object_kinds.hpp"
#include "profile/places_form.hpp"
#include "profile/row_cursor.hpp"
#include "profile/schema.hpp"

namespace cachescape::profile {
namespace {

Result<void> read_locations(const Database& database, std::vector<Location>& locations) {
  CACHESCAPE_TRY(const std::int64_t count, database.integer("SELECT count(*) FROM location"));
  return for_rows(database, "location", "function, file, line, column, inlined_at",
                  [&](const RowCursor& row) -> Result<void> {
                    Location l;
                    CACHESCAPE_TRY(l.function, row.text(1));
                    CACHESCAPE_TRY(l.file, row.text(2));
                    CACHESCAPE_TRY(l.line, small(row, 3));
                    CACHESCAPE_TRY(l.column, small(row, 4));
                    // A call may stand behind what was inlined there.
                    CACHESCAPE_TRY(l.inlined_at, index_of(row, 5, "location", static_cast<std::uint64_t>(count)));
                    locations.push_back(std::move(l));
                    return {};
                  });
}

Result<void> read_blocks(const Database& database, Places& places) {
  return for_rows(database, "block", "function, module, location, loop_depth, entry, executions, instructions",
                  [&](const RowCursor& row) -> Result<void> {
                    Block b;
                    CACHESCAPE_TRY(b.function, row.text(1));
                    CACHESCAPE_TRY(b.module, row.text(2));
                    CACHESCAPE_TRY(b.location, index_of(row, 3, "location", places.locations.size()));
                    CACHESCAPE_TRY(b.loop_depth, small(row, 4));
                    CACHESCAPE_TRY(const std::uint64_t entry, row.at_most(5, 1));
                    b.entry = entry == 1;
                    CACHESCAPE_TRY(b.executions, row.integer(6));
                    CACHESCAPE_TRY(b.instructions, row.integer(7));
                    places.blocks.push_back(std::move(b));
                    return {};
                  });
}

Result<void> read_sites(const Database& database, Places& places) {
  return for_rows(database, "site", "location, block, variable, type", [&](const RowCursor& row) -> Result<void> {
    Site s;
    CACHESCAPE_TRY(s.location, index_of(row, 1, "location", places.locations.size()));
    CACHESCAPE_TRY(s.block, index_of(row, 2, "block", places.blocks.size()));
    CACHESCAPE_TRY(s.variable, row.text(3));
    CACHESCAPE_TRY(s.type, row.text(4));
    places.sites.push_back(std::move(s));
    return {};
  });
}

Result<void> read_objects(const Database& database, Places& places) {
  return for_rows(database, "object", "kind, name, location, allocations, bytes, most_bytes",
                  [&](const RowCursor& row) -> Result<void> {
                    Object o;
                    CACHESCAPE_TRY(const std::string kind, row.text(1));
                    const auto found = std::ranges::find(object_kinds, kind);
                    if (found == object_kinds.end()) {
                      return row.malformed(fmt::format(
                          "kind is '{}': 'unknown', 'heap', 'global' or 'stack' was expected", kind.substr(0, 40)));
                    }
                    o.kind = static_cast<Object::Kind>(found - object_kinds.begin());
                    CACHESCAPE_TRY(o.name, row.text(2));
                    CACHESCAPE_TRY(o.location, index_of(row, 3, "location", places.locations.size()));
                    CACHESCAPE_TRY(o.allocations, row.integer(4));
                    CACHESCAPE_TRY(o.bytes, row.integer(5));
                    CACHESCAPE_TRY(o.most_bytes, row.integer(6));
                    places.objects.push_back(std::move(o));
                    return {};
                  });
}

Result<void> read_counters(const Database& database, Places& places) {
  return for_rows(database, "counter", "metric, block, value", [&](const RowCursor& row) -> Result<void> {
    Counted c;
    CACHESCAPE_TRY(c.metric, row.text(1));
    CACHESCAPE_TRY(c.block, index_of(row, 2, "block", places.blocks.size()));
    CACHESCAPE_TRY(c.value, row.integer(3));
    places.counted.push_back(std::move(c));
    return {};
  });
}

Result<void> read_contexts(const Database& database, Places& places) {
  CACHESCAPE_CHECK(for_rows(database, "context", "caller, function, module, recursive, calls",
                            [&](const RowCursor& row) -> Result<void> {
                              Context c;
                              CACHESCAPE_TRY(c.caller, index_of(row, 1, "earlier context", places.contexts.size()));
                              CACHESCAPE_TRY(c.function, row.text(2));
                              CACHESCAPE_TRY(c.module, row.text(3));
                              CACHESCAPE_TRY(const std::uint64_t recursive, row.at_most(4, 1));
                              c.recursive = recursive == 1;
                              CACHESCAPE_TRY(c.calls, row.integer(5));
                              places.contexts.push_back(std::move(c));
                              return {};
                            }));
  CACHESCAPE_TRY(RowCursor rows,
                 rows_of(database, "context_counter",
                         "SELECT context, metric, value FROM context_counter ORDER BY context, metric", 2));
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    ContextCounted c;
    CACHESCAPE_TRY(c.context, index_of(rows, 0, "context", places.contexts.size()));
    CACHESCAPE_TRY(c.metric, rows.text(1));
    CACHESCAPE_TRY(c.value, rows.integer(2));
    places.context_counted.push_back(std::move(c));
  }
}

Result<LineSize> read_line(const Database& database) {
  CACHESCAPE_TRY(RowCursor rows, rows_of(database, "place_line", "SELECT line FROM place_line LIMIT 2", 0));
  CACHESCAPE_TRY(const bool found, rows.next());
  if (!found) return rows.malformed_table("there is no row: one was expected");
  CACHESCAPE_TRY(const LineSize line, rows.line(0));
  CACHESCAPE_TRY(const bool more, rows.next());
  if (more) return rows.malformed_table("there are several rows: one was expected");
  return line;
}

/// Reads the histograms of one place after the other.
class DistanceReader {
 public:
  static Result<DistanceReader> of(const Database& database) {
    CACHESCAPE_TRY(RowCursor totals,
                   rows_of(database, "place_kind",
                           "SELECT place, kind, touches, cold FROM place_kind WHERE place = ?1 ORDER BY kind", 2));
    CACHESCAPE_TRY(
        RowCursor bins,
        rows_of(database, "place_bin",
                "SELECT place, kind, distance, count FROM place_bin WHERE place = ?1 ORDER BY kind, distance", 3));
    return DistanceReader(std::move(totals), std::move(bins));
  }

  Result<void> read(std::uint64_t id, PlaceDistances& place) {
    KindCounts left{};
    CACHESCAPE_CHECK(read_totals(id, place, left));
    bins_.restart(id);
    std::uint64_t last_kind = 0;
    while (true) {
      CACHESCAPE_TRY(const bool more, bins_.next());
      if (!more) break;
      std::uint64_t kind = 0;
      Bin bin;
      if (!bins_.load(1, kind) || kind >= access_kinds) return bins_.malformed("kind is none of 0, 1 and 2");
      if (!bins_.load(2, bin.value)) return bins_.refuse(2);
      if (!bins_.load(3, bin.count)) return bins_.refuse(3);
      std::vector<Bin>& bins = place.kinds[kind].bins;
      if (kind < last_kind || (!bins.empty() && bin.value <= bins.back().value)) {
        return bins_.malformed("distances do not ascend");
      }
      if (bin.count == 0) return bins_.malformed("count is 0: at least 1 was expected");
      if (bin.count > left[kind]) return bins_.malformed("the counts come to more than touches in table place_kind");
      if (bin.value != place_distance(bin.value)) {
        return bins_.malformed(fmt::format("distance {} has more than five binary digits: {} was expected", bin.value,
                                           place_distance(bin.value)));
      }
      left[kind] -= bin.count;
      bins.push_back(bin);
      last_kind = kind;
    }
    for (std::size_t k = 0; k < access_kinds; ++k) {
      if (left[k] == 0) continue;
      return bins_.malformed_table(fmt::format(
          "the counts of place {}, kind {} come to {} less than touches in table place_kind", id, k, left[k]));
    }
    return {};
  }

 private:
  DistanceReader(RowCursor totals, RowCursor bins) : totals_(std::move(totals)), bins_(std::move(bins)) {}

  Result<void> read_totals(std::uint64_t id, PlaceDistances& place, KindCounts& left) {
    totals_.restart(id);
    while (true) {
      CACHESCAPE_TRY(const bool more, totals_.next());
      if (!more) return {};
      std::uint64_t kind = 0;
      if (!totals_.load(1, kind) || kind >= access_kinds) return totals_.malformed("kind is none of 0, 1 and 2");
      CACHESCAPE_TRY(const std::uint64_t touches, totals_.integer(2));
      CACHESCAPE_TRY(place.kinds[kind].cold, totals_.at_most(3, touches));
      if (touches == 0) return totals_.malformed("touches is 0: at least 1 was expected");
      left[kind] = touches - place.kinds[kind].cold;
    }
  }

  RowCursor totals_;
  RowCursor bins_;
};

Result<void> read_distances(const Database& database, Places& places) {
  CACHESCAPE_TRY(DistanceReader reader, DistanceReader::of(database));
  std::uint64_t id = 0;
  CACHESCAPE_CHECK(for_rows(
      database, "place", "scope, owner, reads, writes, modifies, bytes", [&](const RowCursor& row) -> Result<void> {
        CACHESCAPE_TRY(const std::string scope, row.text(1));
        const bool object = scope == "object";
        if (!object && scope != "site") {
          return row.malformed(fmt::format("scope is '{}': 'site' or 'object' was expected", scope.substr(0, 40)));
        }
        if (!object && !places.object_distances.empty()) return row.malformed("a site follows an object");
        std::vector<PlaceDistances>& all = object ? places.object_distances : places.site_distances;
        PlaceDistances next;
        CACHESCAPE_TRY(next.place, index_of(row, 2, scope, object ? places.objects.size() : places.sites.size()));
        if (next.place == nowhere) return row.malformed(fmt::format("owner is NULL: a {} was expected", scope));
        if (!all.empty() && next.place <= all.back().place) return row.malformed("owners do not ascend");
        CACHESCAPE_TRY(next.accesses, row.counts(3));
        CACHESCAPE_TRY(next.bytes, row.integer(6));
        CACHESCAPE_CHECK(reader.read(++id, next));
        all.push_back(std::move(next));
        return {};
      }));
  CACHESCAPE_CHECK(check_orphans(database, "place_kind", "place", id));
  return check_orphans(database, "place_bin", "place", id);
}

}  // namespace

Result<Places> read_places(const Database& database, std::int64_t version) {
  Places places;
  CACHESCAPE_CHECK(read_locations(database, places.locations));
  CACHESCAPE_CHECK(read_blocks(database, places));
  CACHESCAPE_CHECK(read_sites(database, places));
  CACHESCAPE_CHECK(read_objects(database, places));
  CACHESCAPE_CHECK(read_counters(database, places));
  if (version >= contexts_since) CACHESCAPE_CHECK(read_contexts(database, places));
  CACHESCAPE_TRY(places.line, read_line(database));
  CACHESCAPE_CHECK(read_distances(database, places));
  // Rows cannot tell a chain of calls that bites its tail.
  if (auto form = check_form(places); !form) {
    return failure(ErrorKind::malformed, form.error().what, database.name(),
                   "the profile was damaged or changed: record it again");
  }
  return places;
}

}  // namespace cachescape::profile
