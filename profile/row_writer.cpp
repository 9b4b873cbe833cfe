#include "profile/row_writer.hpp"

#include <array>
#include <numeric>
#include <span>

#include "profile/chunk_insert.hpp"
#include "profile/foreign_rows.hpp"
#include "profile/insert.hpp"
#include "profile/places_writer.hpp"
#include "profile/schema.hpp"
#include "profile/sharing_writer.hpp"
#include "profile/signature_writer.hpp"

namespace cachescape::profile {
namespace {

Result<void> write_general(const Database& database, const Profile& profile) {
  CACHESCAPE_TRY(Statement pair, database.prepare("INSERT INTO provenance VALUES(?1, ?2, ?3)"));
  std::uint64_t position = 0;
  for (const auto& [key, value] : profile.provenance) {
    CACHESCAPE_CHECK(insert(pair, ++position, std::string_view(key), std::string_view(value)));
  }
  CACHESCAPE_TRY(Statement thread, database.prepare("INSERT INTO thread VALUES(?1, ?2, ?3, ?4)"));
  for (const ThreadCounts& t : profile.threads) {
    CACHESCAPE_CHECK(insert(thread, std::uint64_t{t.thread.value}, t.accesses[0], t.accesses[1], t.accesses[2]));
  }
  const Sampling& s = profile.sampling;
  CACHESCAPE_TRY(Statement sampling, database.prepare("INSERT INTO sampling VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
  CACHESCAPE_CHECK(insert(sampling, Sampling::names[static_cast<std::size_t>(s.method)], s.rate, s.on, s.off,
                          s.max_lines, s.analysed));
  const Losses& l = profile.losses;
  CACHESCAPE_TRY(Statement loss, database.prepare("INSERT INTO loss VALUES(?1, ?2, ?3)"));
  return insert(loss, l.lost_accesses, l.skipped_records, std::uint64_t{l.truncated});
}

Result<void> write_stacks(const Database& database, std::span<const StackProfile> stacks) {
  CACHESCAPE_TRY(Statement head, database.prepare("INSERT INTO stack VALUES(?1, ?2, ?3, ?4, ?5)"));
  CACHESCAPE_TRY(Statement total, database.prepare("INSERT INTO stack_kind VALUES(?1, ?2, ?3, ?4)"));
  CACHESCAPE_TRY(ChunkInsert distances, ChunkInsert::prepare(database, stack_bins));
  CACHESCAPE_TRY(Statement popular, database.prepare("INSERT INTO popularity VALUES(?1, ?2, ?3)"));
  CACHESCAPE_TRY(Statement writes, database.prepare("INSERT INTO write_back VALUES(?1, ?2)"));
  CACHESCAPE_TRY(ChunkInsert write_backs, ChunkInsert::prepare(database, write_back_bins));
  std::uint64_t id = 0;
  for (const StackProfile& stack : stacks) {
    ++id;
    head.bind(1, id);
    bind_scope(head, 2, stack.scope);
    head.bind(4, stack.line.bytes().value);
    head.bind(5, stack.footprint_lines);
    CACHESCAPE_CHECK(head.run());
    // In the order of the primary keys, so that every row is appended.
    for (std::uint64_t kind = 0; kind < access_kinds; ++kind) {
      const Histogram& histogram = stack.kinds[kind];
      CACHESCAPE_CHECK(insert(total, id, kind, histogram.total(), histogram.cold));
      CACHESCAPE_CHECK(distances.add({id, kind}, histogram.bins));
    }
    for (const Bin& b : stack.popularity) CACHESCAPE_CHECK(insert(popular, id, b.value, b.count));
    if (!stack.write_backs) continue;
    std::uint64_t sum = 0;
    for (const Bin& b : *stack.write_backs) sum += b.count;
    CACHESCAPE_CHECK(insert(writes, id, sum));
    CACHESCAPE_CHECK(write_backs.add({id}, *stack.write_backs));
  }
  return {};
}

Result<void> write_grid(Statement& grid, Statement& bin, std::uint64_t id, const SetCounts& counts) {
  std::uint64_t sum = 0;
  for (const auto& hits : counts.hits) sum = std::accumulate(hits.begin(), hits.end(), sum);
  CACHESCAPE_CHECK(insert(grid, id, counts.sets, sum));
  for (std::uint64_t kind = 0; kind < access_kinds; ++kind) {
    const auto& hits = counts.hits[kind];
    for (std::uint64_t distance = 0; distance < hits.size(); ++distance) {
      if (hits[distance] != 0) CACHESCAPE_CHECK(insert(bin, id, counts.sets, kind, distance, hits[distance]));
    }
  }
  return {};
}

Result<void> write_sets(const Database& database, std::span<const SetProfile> profiles) {
  CACHESCAPE_TRY(Statement head, database.prepare("INSERT INTO set_profile VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
  CACHESCAPE_TRY(Statement grid, database.prepare("INSERT INTO set_grid VALUES(?1, ?2, ?3)"));
  CACHESCAPE_TRY(Statement bin, database.prepare("INSERT INTO set_bin VALUES(?1, ?2, ?3, ?4, ?5)"));
  std::uint64_t id = 0;
  for (const SetProfile& profile : profiles) {
    ++id;
    head.bind(1, id);
    bind_scope(head, 2, profile.scope);
    head.bind(4, profile.line.bytes().value);
    head.bind(5, std::uint64_t{profile.ways});
    for (std::size_t k = 0; k < access_kinds; ++k) head.bind(6 + static_cast<int>(k), profile.touches[k]);
    CACHESCAPE_CHECK(head.run());
    for (const SetCounts& counts : profile.counts) CACHESCAPE_CHECK(write_grid(grid, bin, id, counts));
  }
  return {};
}

}  // namespace

Result<void> write_rows(const Database& database, const Profile& profile) {
  for (const SchemaObject& table : tables()) {
    if (table.in(schema_version) && table.name != "recording")
      CACHESCAPE_CHECK(database.run("DELETE FROM " + std::string(table.name)));
  }
  CACHESCAPE_CHECK(write_general(database, profile));
  CACHESCAPE_CHECK(write_stacks(database, profile.stacks));
  CACHESCAPE_CHECK(write_sets(database, profile.sets));
  CACHESCAPE_CHECK(write_foreign(database, profile));
  CACHESCAPE_CHECK(write_places(database, profile.places));
  CACHESCAPE_CHECK(write_sharing(database, profile.sharing));
  return write_signatures(database, profile.signatures);
}

}  // namespace cachescape::profile
