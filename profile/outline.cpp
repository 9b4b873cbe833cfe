#include "profile/outline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "profile/row_cursor.hpp"
#include "profile/schema.hpp"
#include "profile/scope_text.hpp"
#include "profile/signature_reader.hpp"

namespace cachescape::profile {
namespace {

/// The only row of a table.
Result<RowCursor> single_row(const Database& database, std::string_view table) {
  const std::string sql = fmt::format("SELECT * FROM {}", table);
  CACHESCAPE_TRY(const std::int64_t count,
                 database.integer(fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} LIMIT 2)", table)));
  if (count != 1) {
    return failure(ErrorKind::malformed,
                   fmt::format("table {} has {} rows: one was expected", table, count == 0 ? "no" : "several"),
                   database.name(), "the profile was damaged or changed: record it again");
  }
  CACHESCAPE_TRY(RowCursor row, rows_of(database, table, sql, 0));
  CACHESCAPE_TRY(const bool found, row.next());
  if (!found) return row.malformed("the row has vanished");
  return row;
}

Result<void> read_recording(const Database& database, ProfileHeader& header) {
  CACHESCAPE_TRY(const RowCursor row, single_row(database, "recording"));
  CACHESCAPE_TRY(const std::string state, row.text(0));
  if (state != "recording" && state != "finished") {
    return row.malformed(fmt::format("state is '{}': 'recording' or 'finished' was expected", state.substr(0, 40)));
  }
  header.finished = state == "finished";
  CACHESCAPE_TRY(header.updates, row.integer(1));
  CACHESCAPE_TRY(header.general.instructions, row.integer(2));
  CACHESCAPE_TRY(header.general.bytes, row.integer(3));
  return {};
}

Result<void> read_sampling(const Database& database, Sampling& sampling) {
  CACHESCAPE_TRY(const RowCursor row, single_row(database, "sampling"));
  CACHESCAPE_TRY(const std::string method, row.text(0));
  constexpr auto& names = Sampling::names;
  const auto found = std::ranges::find(names, method);
  if (found == names.end()) {
    return row.malformed(
        fmt::format("method is '{}': one of {} was expected", method.substr(0, 40), fmt::join(names, ", ")));
  }
  sampling.method = static_cast<Sampling::Method>(found - names.begin());
  CACHESCAPE_TRY(sampling.rate, row.real(1));
  if (!(sampling.rate > 0 && sampling.rate <= 1)) {
    return row.malformed(fmt::format("rate is {}: more than 0 and at most 1 was expected", sampling.rate));
  }
  CACHESCAPE_TRY(sampling.on, row.integer(2));
  CACHESCAPE_TRY(sampling.off, row.integer(3));
  CACHESCAPE_TRY(sampling.max_lines, row.integer(4));
  CACHESCAPE_TRY(sampling.analysed, row.integer(5));
  return {};
}

Result<void> read_losses(const Database& database, Losses& losses) {
  CACHESCAPE_TRY(const RowCursor row, single_row(database, "loss"));
  CACHESCAPE_TRY(losses.lost_accesses, row.integer(0));
  CACHESCAPE_TRY(losses.skipped_records, row.integer(1));
  CACHESCAPE_TRY(const std::uint64_t truncated, row.at_most(2, 1));
  losses.truncated = truncated == 1;
  return {};
}

Result<void> read_provenance(const Database& database, Profile& profile) {
  CACHESCAPE_TRY(RowCursor rows,
                 rows_of(database, "provenance", "SELECT position, key, value FROM provenance ORDER BY position", 1));
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    CACHESCAPE_TRY(const std::uint64_t position, rows.integer(0));
    if (position != profile.provenance.size() + 1) {
      return rows.malformed(fmt::format("position {} was expected", profile.provenance.size() + 1));
    }
    CACHESCAPE_TRY(std::string key, rows.text(1));
    CACHESCAPE_TRY(std::string value, rows.text(2));
    profile.provenance.emplace_back(std::move(key), std::move(value));
  }
}

Result<void> read_threads(const Database& database, Profile& profile) {
  CACHESCAPE_TRY(RowCursor rows,
                 rows_of(database, "thread", "SELECT thread, reads, writes, modifies FROM thread ORDER BY thread", 1));
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    CACHESCAPE_TRY(const std::uint64_t number, rows.at_most(0, std::numeric_limits<std::uint32_t>::max()));
    CACHESCAPE_TRY(const KindCounts accesses, rows.counts(1));
    const ThreadId thread{static_cast<std::uint32_t>(number)};
    if (!profile.threads.empty() && thread <= profile.threads.back().thread)
      return rows.malformed("threads do not ascend");
    profile.threads.push_back({thread, accesses});
  }
}

/// Scopes and lines ascend, and ids count them: what makes rows of other tables that belong to nobody easy to notice.
template <class Header>
Result<void> check_next(const RowCursor& row, std::uint64_t id, const std::vector<Header>& before, const Header& next) {
  if (id != before.size() + 1) return row.malformed(fmt::format("id {} was expected", before.size() + 1));
  if (before.empty()) return {};
  const Header& last = before.back();
  if (std::pair(last.scope, last.line) < std::pair(next.scope, next.line)) return {};
  return row.malformed(fmt::format("{} follows {}: scopes and lines must ascend", scope_text(next.scope, next.line),
                                   scope_text(last.scope, last.line)));
}

Result<void> read_stack_kinds(const Database& database, std::vector<StackHeader>& stacks) {
  CACHESCAPE_TRY(RowCursor rows, rows_of(database, "stack_kind",
                                         "SELECT stack, kind, touches, cold FROM stack_kind ORDER BY stack, kind", 2));
  for (std::size_t i = 0; i < stacks.size() * access_kinds; ++i) {
    const std::size_t stack = i / access_kinds;
    const std::size_t kind = i % access_kinds;
    CACHESCAPE_TRY(const bool found, rows.next());
    std::uint64_t row_stack = 0;
    std::uint64_t row_kind = 0;
    if (!found || !rows.load(0, row_stack) || !rows.load(1, row_kind) || row_stack != stack + 1 || row_kind != kind) {
      return failure(ErrorKind::malformed,
                     fmt::format("table stack_kind has no row for stack {}, kind {}", stack + 1, kind), database.name(),
                     "the profile was damaged or changed: record it again");
    }
    CACHESCAPE_TRY(stacks[stack].touches[kind], rows.integer(2));
    CACHESCAPE_TRY(stacks[stack].cold[kind], rows.at_most(3, stacks[stack].touches[kind]));
  }
  CACHESCAPE_TRY(const bool more, rows.next());
  if (more) return rows.malformed("the row belongs to no stack and kind");
  return {};
}

Result<void> read_stacks(const Database& database, std::vector<StackHeader>& stacks) {
  CACHESCAPE_TRY(RowCursor rows, rows_of(database, "stack",
                                         "SELECT id, scope, thread, line, footprint_lines FROM stack ORDER BY id", 1));
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) break;
    StackHeader next;
    CACHESCAPE_TRY(const std::uint64_t id, rows.integer(0));
    CACHESCAPE_TRY(next.scope, rows.scope(1));
    CACHESCAPE_TRY(next.line, rows.line(3));
    CACHESCAPE_TRY(next.footprint_lines, rows.integer(4));
    CACHESCAPE_CHECK(check_next(rows, id, stacks, next));
    stacks.push_back(next);
  }
  return read_stack_kinds(database, stacks);
}

Result<void> read_write_backs(const Database& database, std::vector<StackHeader>& stacks) {
  CACHESCAPE_TRY(RowCursor rows,
                 rows_of(database, "write_back", "SELECT stack, writes FROM write_back ORDER BY stack", 1));
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return {};
    CACHESCAPE_TRY(const std::uint64_t stack, rows.integer(0));
    if (stack < 1 || stack > stacks.size()) return rows.malformed(fmt::format("there is no stack {}", stack));
    CACHESCAPE_TRY(stacks[stack - 1].writes, rows.integer(1));
  }
}

Result<void> read_set_profiles(const Database& database, std::vector<SetHeader>& sets) {
  CACHESCAPE_TRY(
      RowCursor rows,
      rows_of(database, "set_profile",
              "SELECT id, scope, thread, line, ways, reads, writes, modifies FROM set_profile ORDER BY id", 1));
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) break;
    SetHeader next;
    CACHESCAPE_TRY(const std::uint64_t id, rows.integer(0));
    CACHESCAPE_TRY(next.scope, rows.scope(1));
    CACHESCAPE_TRY(next.line, rows.line(3));
    CACHESCAPE_TRY(const std::uint64_t ways, rows.at_most(4, max_ways));
    CACHESCAPE_TRY(next.touches, rows.counts(5));
    next.ways = static_cast<std::uint32_t>(ways);
    CACHESCAPE_CHECK(check_next(rows, id, sets, next));
    sets.push_back(std::move(next));
  }
  return check_orphans(database, "set_grid", "set_profile", sets.size());
}

/// The numbers of sets of every set profile, and how many hits each must come to.
Result<std::vector<std::vector<std::uint64_t>>> read_grids(const Database& database, std::vector<SetHeader>& sets) {
  std::vector<std::vector<std::uint64_t>> hits(sets.size());
  CACHESCAPE_TRY(RowCursor rows, rows_of(database, "set_grid",
                                         "SELECT set_profile, sets, hits FROM set_grid ORDER BY set_profile, sets", 2));
  std::uint64_t cells = 0;
  while (true) {
    CACHESCAPE_TRY(const bool more, rows.next());
    if (!more) return hits;
    CACHESCAPE_TRY(const std::uint64_t id, rows.integer(0));
    if (id < 1 || id > sets.size()) return rows.malformed(fmt::format("there is no set_profile {}", id));
    SetHeader& header = sets[id - 1];
    CACHESCAPE_TRY(const std::uint64_t number, rows.integer(1));
    CACHESCAPE_TRY(const std::uint64_t sum, rows.integer(2));
    if (number == 0) return rows.malformed("sets is 0: at least 1 was expected");
    if (!header.sets.empty() && number <= header.sets.back()) return rows.malformed("numbers of sets do not ascend");
    cells += access_kinds * header.ways;
    if (cells > max_set_cells) {
      return rows.failed(ErrorKind::limit,
                         fmt::format("there are more than {} counters of set distances", max_set_cells));
    }
    header.sets.push_back(number);
    hits[id - 1].push_back(sum);
  }
}

}  // namespace

Result<Outline> read_outline(const Database& database) {
  Outline outline;
  ProfileHeader& header = outline.header;
  CACHESCAPE_TRY(const std::int64_t version, database.integer("PRAGMA user_version"));
  header.version = static_cast<std::uint32_t>(version);
  CACHESCAPE_CHECK(read_recording(database, header));
  CACHESCAPE_CHECK(read_provenance(database, header.general));
  CACHESCAPE_CHECK(read_threads(database, header.general));
  CACHESCAPE_CHECK(read_sampling(database, header.general.sampling));
  CACHESCAPE_CHECK(read_losses(database, header.general.losses));
  if (!header.finished) header.general.losses.truncated = true;
  CACHESCAPE_CHECK(read_stacks(database, header.stacks));
  if (version >= write_backs_since) CACHESCAPE_CHECK(read_write_backs(database, header.stacks));
  CACHESCAPE_CHECK(read_set_profiles(database, header.sets));
  CACHESCAPE_TRY(outline.grid_hits, read_grids(database, header.sets));
  if (version >= sharing_since) {
    CACHESCAPE_TRY(outline.sharing_sums, read_sharing_outline(database, header.sharing));
  }
  if (version >= signatures_since) {
    CACHESCAPE_TRY(header.signatures, read_signature_headers(database));
  }
  return outline;
}

}  // namespace cachescape::profile
