#include "profile/sharing_writer.hpp"

#include "profile/bundled_insert.hpp"
#include "profile/chunk_insert.hpp"
#include "profile/insert.hpp"
#include "profile/sharing_rows.hpp"

namespace cachescape::profile {
namespace {

// In the order of the primary keys, so that every row is appended.
Result<void> write_touches(const Database& database, const std::vector<CoherentProfile>& degrees) {
  CACHESCAPE_TRY(Statement total, database.prepare("INSERT INTO sharing_kind VALUES(?1, ?2, ?3, ?4)"));
  CACHESCAPE_TRY(ChunkInsert chunks, ChunkInsert::prepare(database, sharing_bins));
  std::uint64_t id = 0;
  for (const CoherentProfile& degree : degrees) {
    ++id;
    for (std::uint64_t kind = 0; kind < access_kinds; ++kind) {
      const CoherentCounts& counts = degree.kinds[kind];
      CACHESCAPE_CHECK(insert(total, id, kind, touches_of(counts), counts.kept.cold));
      for (std::uint64_t fate = 0; fate < sharing_fates; ++fate)
        CACHESCAPE_CHECK(chunks.add({id, kind, fate}, bins_of_fate(counts, fate)));
    }
  }
  return {};
}

Result<void> write_events(const Database& database, const std::vector<CoherentProfile>& degrees) {
  CACHESCAPE_TRY(Statement total, database.prepare("INSERT INTO sharing_event VALUES(?1, ?2, ?3)"));
  CACHESCAPE_TRY(ChunkInsert chunks, ChunkInsert::prepare(database, sharing_event_bins));
  std::uint64_t id = 0;
  for (const CoherentProfile& degree : degrees) {
    ++id;
    for (std::uint64_t event = 0; event < sharing_events; ++event) {
      const std::vector<Bin>& bins = bins_of_event(degree, event);
      CACHESCAPE_CHECK(insert(total, id, event, count_of(bins)));
      CACHESCAPE_CHECK(chunks.add({id, event}, bins));
    }
  }
  return {};
}

Result<void> write_sets(const Database& database, const std::vector<CoherentProfile>& degrees) {
  CACHESCAPE_TRY(Statement grid, database.prepare("INSERT INTO sharing_sets VALUES(?1, ?2, ?3)"));
  CACHESCAPE_TRY(auto bin, BundledInsert<6>::prepare(database, "sharing_set_bin"));
  std::uint64_t id = 0;
  for (const CoherentProfile& degree : degrees) {
    ++id;
    for (const CoherentSets& sets : degree.sets) {
      std::uint64_t sum = 0;
      for (std::uint64_t kind = 0; kind < access_kinds; ++kind) {
        for (std::uint64_t fate = 0; fate < sharing_fates; ++fate) {
          const std::vector<std::uint64_t>& cells = cells_of_fate(sets, kind, fate);
          for (std::uint64_t distance = 0; distance < cells.size(); ++distance) {
            if (cells[distance] == 0) continue;
            sum += cells[distance];
            CACHESCAPE_CHECK(bin.add({id, sets.sets, kind, fate, distance, cells[distance]}));
          }
        }
      }
      CACHESCAPE_CHECK(insert(grid, id, sets.sets, sum));
    }
  }
  return bin.finish();
}

Result<void> write_pairs(const Database& database, const std::vector<SharingPair>& pairs) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO sharing_pair VALUES(?1, ?4, ?5, ?6, ?7, ?2, ?3)"));
  std::uint64_t id = 0;
  for (const SharingPair& pair : pairs) {
    bind_index(row, 4, pair.site);
    bind_index(row, 5, pair.object);
    bind_index(row, 6, pair.writer_site);
    bind_index(row, 7, pair.writer_object);
    CACHESCAPE_CHECK(insert(row, ++id, pair.misses[0], pair.misses[1]));
  }
  return {};
}

Result<void> write_lines(const Database& database, const std::vector<SharedLine>& lines) {
  CACHESCAPE_TRY(Statement row, database.prepare("INSERT INTO shared_line VALUES(?1, ?2, ?3, ?4)"));
  CACHESCAPE_TRY(Statement use, database.prepare("INSERT INTO line_use VALUES(?1, ?2, ?3, ?6, ?7, ?4, ?5)"));
  std::uint64_t id = 0;
  std::uint64_t use_id = 0;
  for (const SharedLine& line : lines) {
    CACHESCAPE_CHECK(insert(row, ++id, line.address.value, line.misses[0], line.misses[1]));
    for (const LineUse& u : line.uses) {
      bind_index(use, 6, u.site);
      bind_index(use, 7, u.object);
      CACHESCAPE_CHECK(insert(use, ++use_id, id, std::uint64_t{u.thread}, std::uint64_t{u.writes}, u.bytes));
    }
  }
  return {};
}

}  // namespace

Result<void> write_sharing(const Database& database, const Sharing& sharing) {
  CACHESCAPE_TRY(Statement head, database.prepare("INSERT INTO sharing VALUES(?1, ?2, ?3, ?4, ?5)"));
  std::uint64_t id = 0;
  for (const CoherentProfile& degree : sharing.degrees) {
    CACHESCAPE_CHECK(insert(head, ++id, std::uint64_t{degree.degree}, degree.line.bytes().value,
                            std::uint64_t{degree.caches}, std::uint64_t{degree.ways}));
  }
  CACHESCAPE_CHECK(write_touches(database, sharing.degrees));
  CACHESCAPE_CHECK(write_events(database, sharing.degrees));
  CACHESCAPE_CHECK(write_sets(database, sharing.degrees));
  CACHESCAPE_CHECK(write_pairs(database, sharing.pairs));
  return write_lines(database, sharing.lines);
}

}  // namespace cachescape::profile
