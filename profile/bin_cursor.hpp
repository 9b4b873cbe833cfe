// Bins of a table that nobody vouches for, whichever way the file's version keeps them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cachescape/histogram.hpp"
#include "profile/bin_table.hpp"
#include "profile/row_cursor.hpp"

namespace cachescape::profile {

/// Runs of bins with the same keys: a row's only bin, or a chunk's. Within a run values ascend, counts are not 0, and
/// neither passes max_integer, nor does their sum.
class BinCursor {
 public:
  static Result<BinCursor> open(const Database& database, const BinTable& table, std::int64_t version);

  /// Makes the runs of owner `id`, the first key, start.
  void restart(std::uint64_t id) { rows_.restart(id); }
  Result<bool> next();

  /// A key of this run, by its number from 0 on; false where it is no integer from 0 on.
  bool load_key(int key, std::uint64_t& out) const { return rows_.load(key, out); }
  std::span<const Bin> bins() const { return bins_; }
  /// Of all bins of this run.
  std::uint64_t count() const { return count_; }
  /// Adds this run to those before it, which must have lesser values.
  Result<void> append_to(std::vector<Bin>& histogram) const;

  /// A complaint about this run.
  std::unexpected<Error> malformed(std::string what) const { return rows_.malformed(std::move(what)); }
  /// A complaint about no run in particular.
  std::unexpected<Error> malformed_table(std::string what) const { return rows_.malformed_table(std::move(what)); }

 private:
  BinCursor(RowCursor rows, int keys, bool chunks, std::string_view value)
      : rows_(std::move(rows)), keys_(keys), chunks_(chunks), value_(value) {}
  Result<void> load_bin();
  Result<void> load_chunk();

  RowCursor rows_;
  int keys_;
  bool chunks_;
  std::string_view value_;
  std::vector<Bin> bins_;
  std::uint64_t count_ = 0;
};

/// Refuses bins whose owner, the first key, is none of the ids 1 … count.
Result<void> check_owners(const Database& database, const BinTable& table, std::int64_t version, std::uint64_t count);

}  // namespace cachescape::profile
