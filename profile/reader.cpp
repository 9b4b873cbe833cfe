#include "profile/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "profile/bin_cursor.hpp"
#include "profile/database.hpp"
#include "profile/foreign_rows.hpp"
#include "profile/open.hpp"
#include "profile/outline.hpp"
#include "profile/places_reader.hpp"
#include "profile/row_cursor.hpp"
#include "profile/schema.hpp"
#include "profile/sharing_reader.hpp"
#include "profile/signature_reader.hpp"

namespace cachescape::profile {
namespace {

/// Adds `count` to `sum`, which must not pass `most`.
bool add_within(std::uint64_t& sum, std::uint64_t count, std::uint64_t most) {
  if (count > most - sum) return false;
  sum += count;
  return true;
}

Result<void> read_distances(BinCursor& runs, std::uint64_t id, const StackHeader& header, StackProfile& stack) {
  runs.restart(id);
  KindCounts left = header.touches;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    stack.kinds[k].cold = header.cold[k];
    left[k] -= header.cold[k];
  }
  while (true) {
    CACHESCAPE_TRY(const bool more, runs.next());
    if (!more) break;
    std::uint64_t kind = 0;
    if (!runs.load_key(1, kind) || kind >= access_kinds) return runs.malformed("kind is none of 0, 1 and 2");
    if (runs.count() > left[kind]) return runs.malformed("the counts come to more than touches in table stack_kind");
    left[kind] -= runs.count();
    CACHESCAPE_CHECK(runs.append_to(stack.kinds[kind].bins));
  }
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (left[k] == 0) continue;
    return runs.malformed_table(fmt::format(
        "the counts of stack {}, kind {} come to {} less than touches in table stack_kind", id, k, left[k]));
  }
  return {};
}

Result<void> read_popularity(RowCursor& rows, std::uint64_t id, std::vector<Bin>& popularity) {
  rows.restart(id);
  std::uint64_t sum = 0;
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    Bin bin;
    if (!rows.load(1, bin.value)) return rows.refuse(1);
    if (!rows.load(2, bin.count)) return rows.refuse(2);
    if (bin.value == 0 || bin.count == 0) return rows.malformed("touches and lines must be at least 1");
    if (!popularity.empty() && bin.value <= popularity.back().value) return rows.malformed("touches do not ascend");
    if (!add_within(sum, bin.count, max_integer)) return rows.malformed("the sum of lines is too large");
    popularity.push_back(bin);
  }
}

Result<void> read_write_backs(BinCursor& runs, std::uint64_t id, std::uint64_t writes, std::vector<Bin>& bins) {
  runs.restart(id);
  std::uint64_t left = writes;
  while (true) {
    CACHESCAPE_TRY(const bool more, runs.next());
    if (!more) break;
    if (runs.count() > left) return runs.malformed("the counts come to more than writes in table write_back");
    left -= runs.count();
    CACHESCAPE_CHECK(runs.append_to(bins));
  }
  if (left == 0) return {};
  return runs.malformed_table(
      fmt::format("the counts of stack {} come to {} less than writes in table write_back", id, left));
}

Result<void> read_set_bins(RowCursor& rows, std::uint64_t id, std::span<const std::uint64_t> hits,
                           SetProfile& profile) {
  rows.restart(id);
  std::vector<std::uint64_t> left(hits.begin(), hits.end());
  std::size_t at = 0;
  std::uint64_t last_cell = 0;  // 1 + kind * ways + distance, within `at`
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) break;
    std::uint64_t sets = 0;
    std::uint64_t kind = 0;
    std::uint64_t distance = 0;
    std::uint64_t count = 0;
    if (!rows.load(1, sets)) return rows.refuse(1);
    if (!rows.load(2, kind) || kind >= access_kinds) return rows.malformed("kind is none of 0, 1 and 2");
    if (!rows.load(3, distance)) return rows.refuse(3);
    if (!rows.load(4, count)) return rows.refuse(4);
    while (at < profile.counts.size() && profile.counts[at].sets < sets) {
      ++at;
      last_cell = 0;
    }
    if (at == profile.counts.size() || profile.counts[at].sets != sets) {
      return rows.malformed("the number of sets is not in table set_grid, or out of order");
    }
    if (distance >= profile.ways)
      return rows.malformed(fmt::format("the distance is not less than the {} ways", profile.ways));
    const std::uint64_t cell = 1 + kind * profile.ways + distance;
    if (cell <= last_cell) return rows.malformed("distances do not ascend");
    if (count == 0) return rows.malformed("count is 0: at least 1 was expected");
    if (count > left[at]) return rows.malformed("the counts come to more than hits in table set_grid");
    left[at] -= count;
    profile.counts[at].hits[kind][distance] = count;
    last_cell = cell;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == 0) continue;
    return rows.malformed_table(
        fmt::format("the counts of set_profile {}, {} sets come to {} less than hits in table set_grid", id,
                    profile.counts[i].sets, left[i]));
  }
  return {};
}

template <class Header>
bool wanted(const ReadFilter& filter, const Header& header) {
  const auto chosen = [](const auto& list, const auto& value) {
    return list.empty() || std::ranges::find(list, value) != list.end();
  };
  return chosen(filter.lines, header.line) && chosen(filter.scopes, header.scope);
}

Result<void> read_stack_profiles(const Database& database, const Outline& outline, const ReadFilter& filter,
                                 Profile& profile) {
  const auto& headers = outline.header.stacks;
  const std::int64_t version = outline.header.version;
  CACHESCAPE_CHECK(check_owners(database, stack_bins, version, headers.size()));
  CACHESCAPE_CHECK(check_orphans(database, "popularity", "stack", headers.size()));
  CACHESCAPE_TRY(BinCursor bins, BinCursor::open(database, stack_bins, version));
  CACHESCAPE_TRY(RowCursor popularity,
                 rows_of(database, "popularity",
                         "SELECT stack, touches, lines FROM popularity WHERE stack = ?1 ORDER BY touches", 2));
  const bool foreign = filter.sharing && version >= sharing_since;
  if (version >= sharing_since) {
    CACHESCAPE_CHECK(check_orphans(database, "foreign_cold", "stack", headers.size()));
    CACHESCAPE_CHECK(check_owners(database, foreign_bins, version, headers.size()));
  }
  const bool followed = version >= write_backs_since;
  std::optional<BinCursor> write_backs;
  if (followed) {
    CACHESCAPE_CHECK(check_owners(database, write_back_bins, version, headers.size()));
    CACHESCAPE_TRY(write_backs, BinCursor::open(database, write_back_bins, version));
  }
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (!wanted(filter, headers[i])) continue;
    StackProfile& stack = profile.stacks.emplace_back();
    stack.scope = headers[i].scope;
    stack.line = headers[i].line;
    stack.footprint_lines = headers[i].footprint_lines;
    CACHESCAPE_CHECK(read_distances(bins, i + 1, headers[i], stack));
    if (foreign) CACHESCAPE_CHECK(read_foreign(database, version, i + 1, stack));
    if (filter.popularity) CACHESCAPE_CHECK(read_popularity(popularity, i + 1, stack.popularity));
    if (followed && filter.write_backs) {
      std::vector<Bin> bins;
      // Bins of a stack that has no row in write_back have nothing to add up to, and are refused.
      CACHESCAPE_CHECK(read_write_backs(*write_backs, i + 1, headers[i].writes.value_or(0), bins));
      if (headers[i].writes) stack.write_backs = std::move(bins);
    }
  }
  return {};
}

Result<void> read_set_profiles(const Database& database, const Outline& outline, const ReadFilter& filter,
                               Profile& profile) {
  const auto& headers = outline.header.sets;
  CACHESCAPE_CHECK(check_orphans(database, "set_bin", "set_profile", headers.size()));
  const bool foreign = filter.sharing && outline.header.version >= sharing_since;
  if (outline.header.version >= sharing_since)
    CACHESCAPE_CHECK(check_orphans(database, "foreign_set_bin", "set_profile", headers.size()));
  CACHESCAPE_TRY(RowCursor bins,
                 rows_of(database, "set_bin",
                         "SELECT set_profile, sets, kind, distance, count FROM set_bin WHERE set_profile = ?1 "
                         "ORDER BY sets, kind, distance",
                         4));
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (!wanted(filter, headers[i])) continue;
    SetProfile& sets = profile.sets.emplace_back();
    sets.scope = headers[i].scope;
    sets.line = headers[i].line;
    sets.ways = headers[i].ways;
    sets.touches = headers[i].touches;
    for (const std::uint64_t number : headers[i].sets) {
      SetCounts& counts = sets.counts.emplace_back();
      counts.sets = number;
      for (auto& hits : counts.hits) hits.resize(sets.ways);
    }
    CACHESCAPE_CHECK(read_set_bins(bins, i + 1, outline.grid_hits[i], sets));
    if (foreign) CACHESCAPE_CHECK(read_foreign(database, i + 1, sets));
  }
  return {};
}

// Everything is read inside one transaction: a writer may be at work.
Result<Profile> read_all(const Database& database, const ReadFilter& filter) {
  CACHESCAPE_CHECK(database.run("BEGIN"));
  CACHESCAPE_TRY(Outline outline, read_outline(database));
  Profile profile = std::move(outline.header.general);
  if (filter.stacks) CACHESCAPE_CHECK(read_stack_profiles(database, outline, filter, profile));
  if (filter.sets) CACHESCAPE_CHECK(read_set_profiles(database, outline, filter, profile));
  if (filter.places && outline.header.version >= places_since) {
    CACHESCAPE_TRY(profile.places, read_places(database, outline.header.version));
  }
  if (filter.sharing && outline.header.version >= sharing_since) {
    CACHESCAPE_TRY(profile.sharing, read_sharing(database, outline, filter, profile.places));
  }
  if (filter.signatures && outline.header.version >= signatures_since) {
    CACHESCAPE_TRY(profile.signatures, read_signatures(database, outline.header.signatures, filter, profile.places));
  }
  return profile;
}

Result<ProfileHeader> read_all_but_histograms(const Database& database) {
  CACHESCAPE_CHECK(database.run("BEGIN"));
  CACHESCAPE_TRY(Outline outline, read_outline(database));
  return std::move(outline.header);
}

}  // namespace

Result<Profile> read_profile(const std::string& path, const ReadFilter& filter) {
  CACHESCAPE_TRY(const auto database, open_profile(path));
  return read_all(*database, filter);
}

Result<Profile> read_profile(std::span<const std::byte> bytes, const std::string& name, const ReadFilter& filter) {
  CACHESCAPE_TRY(const auto database, open_profile(bytes, name));
  return read_all(*database, filter);
}

Result<ProfileHeader> read_header(const std::string& path) {
  CACHESCAPE_TRY(const auto database, open_profile(path));
  return read_all_but_histograms(*database);
}

Result<ProfileHeader> read_header(std::span<const std::byte> bytes, const std::string& name) {
  CACHESCAPE_TRY(const auto database, open_profile(bytes, name));
  return read_all_but_histograms(*database);
}

}  // namespace cachescape::profile
