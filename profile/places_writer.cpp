#include "profile/places_writer.hpp"

#include <string_view>

#include "profile/bundled_insert.hpp"
#include "profile/insert.hpp"
#include "profile/object_kinds.hpp"

namespace cachescape::profile {
namespace {

Result<void> write_locations(const Database& database, const std::vector<Location>& locations) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO location VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
  std::uint64_t id = 0;
  for (const Location& l : locations) {
    bind_index(row, 6, l.inlined_at);
    CACHESCAPE_CHECK(insert(row, ++id, std::string_view(l.function), std::string_view(l.file), std::uint64_t{l.line},
                            std::uint64_t{l.column}));
  }
  return {};
}

Result<void> write_blocks(const Database& database, const std::vector<Block>& blocks) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO block VALUES(?1, ?2, ?3, ?8, ?4, ?5, ?6, ?7)"));
  std::uint64_t id = 0;
  for (const Block& b : blocks) {
    bind_index(row, 8, b.location);
    CACHESCAPE_CHECK(insert(row, ++id, std::string_view(b.function), std::string_view(b.module),
                            std::uint64_t{b.loop_depth}, std::uint64_t{b.entry}, b.executions, b.instructions));
  }
  return {};
}

Result<void> write_sites(const Database& database, const std::vector<Site>& sites) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO site VALUES(?1, ?4, ?5, ?2, ?3)"));
  std::uint64_t id = 0;
  for (const Site& s : sites) {
    bind_index(row, 4, s.location);
    bind_index(row, 5, s.block);
    CACHESCAPE_CHECK(insert(row, ++id, std::string_view(s.variable), std::string_view(s.type)));
  }
  return {};
}

Result<void> write_objects(const Database& database, const std::vector<Object>& objects) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO object VALUES(?1, ?2, ?3, ?7, ?4, ?5, ?6)"));
  std::uint64_t id = 0;
  for (const Object& o : objects) {
    bind_index(row, 7, o.location);
    CACHESCAPE_CHECK(insert(row, ++id, object_kinds[static_cast<std::size_t>(o.kind)], std::string_view(o.name),
                            o.allocations, o.bytes, o.most_bytes));
  }
  return {};
}

Result<void> write_counters(const Database& database, const std::vector<Counted>& counted) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO counter VALUES(?1, ?2, ?4, ?3)"));
  std::uint64_t id = 0;
  for (const Counted& c : counted) {
    bind_index(row, 4, c.block);
    CACHESCAPE_CHECK(insert(row, ++id, std::string_view(c.metric), c.value));
  }
  return {};
}

Result<void> write_contexts(const Database& database, const Places& places) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO context VALUES(?1, ?6, ?2, ?3, ?4, ?5)"));
  std::uint64_t id = 0;
  for (const Context& c : places.contexts) {
    bind_index(row, 6, c.caller);
    CACHESCAPE_CHECK(insert(row, ++id, std::string_view(c.function), std::string_view(c.module),
                            std::uint64_t{c.recursive}, c.calls));
  }
  CACHESCAPE_TRY(Statement counter, database.prepare("INSERT INTO context_counter VALUES(?1, ?2, ?3)"));
  for (const ContextCounted& c : places.context_counted)
    CACHESCAPE_CHECK(insert(counter, std::uint64_t{c.context} + 1, std::string_view(c.metric), c.value));
  return {};
}

class DistanceWriter {
 public:
  static Result<DistanceWriter> of(const Database& database) {
    CACHESCAPE_TRY(Statement place, database.prepare("INSERT INTO place VALUES(?1, ?7, ?6, ?2, ?3, ?4, ?5)"));
    CACHESCAPE_TRY(auto total, BundledInsert<4>::prepare(database, "place_kind"));
    CACHESCAPE_TRY(auto bin, BundledInsert<4>::prepare(database, "place_bin"));
    return DistanceWriter(std::move(place), std::move(total), std::move(bin));
  }

  Result<void> write(const std::vector<PlaceDistances>& all, std::string_view of) {
    for (const PlaceDistances& d : all) {
      ++id_;
      place_.bind(6, std::uint64_t{d.place} + 1);
      place_.bind(7, of);
      CACHESCAPE_CHECK(insert(place_, id_, d.accesses[0], d.accesses[1], d.accesses[2], d.bytes));
      for (std::uint64_t kind = 0; kind < access_kinds; ++kind) {
        const Histogram& h = d.kinds[kind];
        if (h.total() == 0) continue;
        CACHESCAPE_CHECK(total_.add({id_, kind, h.total(), h.cold}));
        for (const Bin& b : h.bins) CACHESCAPE_CHECK(bin_.add({id_, kind, b.value, b.count}));
      }
    }
    return {};
  }
  Result<void> finish() {
    CACHESCAPE_CHECK(total_.finish());
    return bin_.finish();
  }

 private:
  DistanceWriter(Statement place, BundledInsert<4> total, BundledInsert<4> bin)
      : place_(std::move(place)), total_(std::move(total)), bin_(std::move(bin)) {}

  Statement place_;
  BundledInsert<4> total_;
  BundledInsert<4> bin_;
  std::uint64_t id_ = 0;
};

}  // namespace

Result<void> write_places(const Database& database, const Places& places) {
  CACHESCAPE_CHECK(write_locations(database, places.locations));
  CACHESCAPE_CHECK(write_blocks(database, places.blocks));
  CACHESCAPE_CHECK(write_sites(database, places.sites));
  CACHESCAPE_CHECK(write_objects(database, places.objects));
  CACHESCAPE_CHECK(write_counters(database, places.counted));
  CACHESCAPE_CHECK(write_contexts(database, places));
  CACHESCAPE_TRY(Statement line, database.prepare("INSERT INTO place_line VALUES(?1)"));
  CACHESCAPE_CHECK(insert(line, places.line.bytes().value));
  CACHESCAPE_TRY(DistanceWriter distances, DistanceWriter::of(database));
  CACHESCAPE_CHECK(distances.write(places.site_distances, "site"));
  CACHESCAPE_CHECK(distances.write(places.object_distances, "object"));
  return distances.finish();
}

}  // namespace cachescape::profile
