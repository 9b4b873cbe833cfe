#include "profile/chunk_insert.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profile/bin_text.hpp"

namespace cachescape::profile {

Result<ChunkInsert> ChunkInsert::prepare(const Database& database, const BinTable& table) {
  std::string parameters = "?, ?, ?, ?";
  for (std::size_t k = 0; k < table.keys.size(); ++k) parameters += ", ?";
  CACHESCAPE_TRY(Statement statement,
                 database.prepare(fmt::format("INSERT INTO {} VALUES({})", table.chunks, parameters)));
  return ChunkInsert(std::move(statement));
}

Result<void> ChunkInsert::add(std::initializer_list<std::uint64_t> keys, std::span<const Bin> bins) {
  int parameter = 0;
  for (const std::uint64_t key : keys) statement_.bind(++parameter, key);
  while (!bins.empty()) {
    const auto chunk = bins.first(std::min(bins.size(), most_bins));
    bins = bins.subspan(chunk.size());
    std::uint64_t count = 0;
    for (const Bin& bin : chunk) count += bin.count;
    text_.clear();
    append_text(text_, chunk);
    statement_.bind(parameter + 1, chunk.front().value);
    statement_.bind(parameter + 2, chunk.back().value);
    statement_.bind(parameter + 3, count);
    statement_.bind(parameter + 4, std::string_view(text_));
    CACHESCAPE_CHECK(statement_.run());
  }
  return {};
}

}  // namespace cachescape::profile
