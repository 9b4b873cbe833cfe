#include "profile/foreign_rows.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "profile/bin_cursor.hpp"
#include "profile/bundled_insert.hpp"
#include "profile/chunk_insert.hpp"
#include "profile/form_rules.hpp"
#include "profile/insert.hpp"
#include "profile/row_cursor.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {
namespace {

/// Whether no bin of `part` counts more than that of `whole` with its value. Both ascend.
bool is_part(std::span<const Bin> part, std::span<const Bin> whole) {
  if (part.empty()) return true;
  auto at = std::ranges::lower_bound(whole, part.front().value, {}, &Bin::value);
  for (const Bin& b : part) {
    while (at != whole.end() && at->value < b.value) ++at;
    if (at == whole.end() || at->value != b.value || at->count < b.count) return false;
  }
  return true;
}

constexpr const char* more_than_all = "more touches follow another thread's than there are";

}  // namespace

Result<void> write_foreign(const Database& database, const Profile& profile) {
  CACHESCAPE_TRY(Statement cold, database.prepare("INSERT INTO foreign_cold VALUES(?1, ?2, ?3)"));
  CACHESCAPE_TRY(ChunkInsert distances, ChunkInsert::prepare(database, foreign_bins));
  for (std::uint64_t i = 0; i < profile.stacks.size(); ++i) {
    for (std::uint64_t kind = 0; kind < access_kinds; ++kind) {
      const Histogram& histogram = profile.stacks[i].foreign[kind];
      if (histogram.cold > 0) CACHESCAPE_CHECK(insert(cold, i + 1, kind, histogram.cold));
      CACHESCAPE_CHECK(distances.add({i + 1, kind}, histogram.bins));
    }
  }
  CACHESCAPE_TRY(auto cell, BundledInsert<5>::prepare(database, "foreign_set_bin"));
  for (std::uint64_t i = 0; i < profile.sets.size(); ++i) {
    for (const SetCounts& counts : profile.sets[i].counts) {
      for (std::uint64_t kind = 0; kind < access_kinds; ++kind) {
        const auto& foreign = counts.foreign[kind];
        for (std::uint64_t distance = 0; distance < foreign.size(); ++distance)
          if (foreign[distance] > 0)
            CACHESCAPE_CHECK(cell.add({i + 1, counts.sets, kind, distance, foreign[distance]}));
      }
    }
  }
  return cell.finish();
}

Result<void> read_foreign(const Database& database, std::int64_t version, std::uint64_t id, StackProfile& stack) {
  CACHESCAPE_TRY(RowCursor cold,
                 rows_of(database, "foreign_cold",
                         "SELECT stack, kind, cold FROM foreign_cold WHERE stack = ?1 ORDER BY kind", 2));
  cold.restart(id);
  while (true) {
    CACHESCAPE_TRY(const bool more, cold.next());
    if (!more) break;
    CACHESCAPE_TRY(const std::uint64_t kind, cold.at_most(1, access_kinds - 1));
    CACHESCAPE_TRY(stack.foreign[kind].cold, cold.integer(2));
    if (stack.foreign[kind].cold > stack.kinds[kind].cold) return cold.malformed(more_than_all);
  }
  CACHESCAPE_TRY(BinCursor bins, BinCursor::open(database, foreign_bins, version));
  bins.restart(id);
  while (true) {
    CACHESCAPE_TRY(const bool more, bins.next());
    if (!more) return {};
    std::uint64_t kind = 0;
    if (!bins.load_key(1, kind) || kind >= access_kinds) return bins.malformed("kind is none of 0, 1 and 2");
    if (!is_part(bins.bins(), stack.kinds[kind].bins)) return bins.malformed(more_than_all);
    CACHESCAPE_CHECK(bins.append_to(stack.foreign[kind].bins));
  }
}

Result<void> read_foreign(const Database& database, std::uint64_t id, SetProfile& sets) {
  CACHESCAPE_TRY(RowCursor cells,
                 rows_of(database, "foreign_set_bin",
                         "SELECT set_profile, sets, kind, distance, count FROM foreign_set_bin WHERE set_profile = ?1 "
                         "ORDER BY sets, kind, distance",
                         4));
  cells.restart(id);
  while (true) {
    CACHESCAPE_TRY(const bool more, cells.next());
    if (!more) return {};
    CACHESCAPE_TRY(const std::uint64_t number, cells.integer(1));
    CACHESCAPE_TRY(const std::uint64_t kind, cells.at_most(2, access_kinds - 1));
    CACHESCAPE_TRY(const std::uint64_t distance, cells.integer(3));
    CACHESCAPE_TRY(const std::uint64_t count, cells.integer(4));
    const auto found = std::ranges::lower_bound(sets.counts, number, {}, &SetCounts::sets);
    if (found == sets.counts.end() || found->sets != number)
      return cells.malformed("the number of sets is not in table set_grid");
    if (distance >= sets.ways)
      return cells.malformed(fmt::format("the distance is not less than the {} ways", sets.ways));
    if (count == 0) return cells.malformed("count is 0: at least 1 was expected");
    if (count > found->hits[kind][distance]) return cells.malformed(more_than_all);
    found->foreign[kind].resize(sets.ways);
    found->foreign[kind][distance] = count;
  }
}

Result<void> check_foreign(const StackProfile& stack) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::string name =
        fmt::format("{}, {} after other threads", scope_text(stack.scope, stack.line), kind_names[k]);
    CACHESCAPE_CHECK(check_bins(stack.foreign[k].bins, 0, stack.foreign[k].cold, name));
    if (stack.foreign[k].cold > stack.kinds[k].cold || !is_part(stack.foreign[k].bins, stack.kinds[k].bins))
      return failure(ErrorKind::usage, fmt::format("{}: {}", name, more_than_all));
  }
  return {};
}

Result<void> check_foreign(const SetProfile& sets) {
  const std::string name = scope_text(sets.scope, sets.line);
  for (const SetCounts& counts : sets.counts) {
    for (std::size_t k = 0; k < access_kinds; ++k) {
      const auto& foreign = counts.foreign[k];
      if (foreign.empty()) continue;
      if (foreign.size() != sets.ways)
        return failure(ErrorKind::usage,
                       fmt::format("{}, {} sets: there are {} counts after other threads, not {}, one per way", name,
                                   counts.sets, foreign.size(), sets.ways));
      for (std::size_t d = 0; d < foreign.size(); ++d) {
        if (foreign[d] > counts.hits[k][d])
          return failure(ErrorKind::usage, fmt::format("{}, {} sets: {}", name, counts.sets, more_than_all));
      }
    }
  }
  return {};
}

}  // namespace cachescape::profile
