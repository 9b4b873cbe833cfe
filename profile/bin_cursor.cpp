#include "profile/bin_cursor.hpp"

#include <fmt/ranges.h>

#include "profile/bin_text.hpp"
#include "profile/schema.hpp"

namespace cachescape::profile {

Result<BinCursor> BinCursor::open(const Database& database, const BinTable& table, std::int64_t version) {
  const bool chunks = version >= chunks_since;
  const std::string_view name = chunks ? table.chunks : table.bins;
  std::string order;
  for (const std::string_view key : table.keys.subspan(1)) order += fmt::format("{}, ", key);
  order += chunks ? "first" : table.value;
  const std::string sql = fmt::format("SELECT {}, {} FROM {} WHERE {} = ?1 ORDER BY {}", fmt::join(table.keys, ", "),
                                      chunks ? "first, last, count, bins" : fmt::format("{}, count", table.value), name,
                                      table.keys.front(), order);
  const int keys = static_cast<int>(table.keys.size());
  CACHESCAPE_TRY(RowCursor rows, rows_of(database, name, sql, keys + 1));
  return BinCursor(std::move(rows), keys, chunks, table.value);
}

Result<bool> BinCursor::next() {
  CACHESCAPE_TRY(const bool more, rows_.next());
  if (!more) return false;
  bins_.clear();
  if (chunks_) {
    CACHESCAPE_CHECK(load_chunk());
  } else {
    CACHESCAPE_CHECK(load_bin());
  }
  return true;
}

Result<void> BinCursor::load_bin() {
  Bin bin;
  if (!rows_.load(keys_, bin.value)) return rows_.refuse(keys_);
  if (!rows_.load(keys_ + 1, bin.count)) return rows_.refuse(keys_ + 1);
  if (bin.count == 0) return rows_.malformed("count is 0: at least 1 was expected");
  bins_.push_back(bin);
  count_ = bin.count;
  return {};
}

Result<void> BinCursor::load_chunk() {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!rows_.load(keys_, first)) return rows_.refuse(keys_);
  if (!rows_.load(keys_ + 1, last)) return rows_.refuse(keys_ + 1);
  if (!rows_.load(keys_ + 2, count_)) return rows_.refuse(keys_ + 2);
  CACHESCAPE_TRY(const std::string_view text, rows_.text_view(keys_ + 3));
  if (auto parsed = parse_text(text, first, bins_); !parsed) return rows_.malformed(std::move(parsed).error().what);
  if (bins_.back().value != last) {
    return rows_.malformed(fmt::format("the bins end with {}, last is {}", bins_.back().value, last));
  }
  std::uint64_t count = 0;
  for (const Bin& bin : bins_) count += bin.count;
  if (count != count_) return rows_.malformed(fmt::format("the bins come to {}, count is {}", count, count_));
  return {};
}

Result<void> BinCursor::append_to(std::vector<Bin>& histogram) const {
  if (!histogram.empty() && bins_.front().value <= histogram.back().value) {
    return rows_.malformed(
        fmt::format("{} {} follows {}: values must ascend", value_, bins_.front().value, histogram.back().value));
  }
  histogram.insert(histogram.end(), bins_.begin(), bins_.end());
  return {};
}

Result<void> check_owners(const Database& database, const BinTable& table, std::int64_t version, std::uint64_t count) {
  return check_orphans(database, version >= chunks_since ? table.chunks : table.bins, table.keys.front(), count);
}

}  // namespace cachescape::profile
