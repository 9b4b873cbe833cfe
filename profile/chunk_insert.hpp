// Histograms as chunks, because a row costs some hundred times what a bin does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "cachescape/histogram.hpp"
#include "profile/bin_table.hpp"
#include "profile/database.hpp"

namespace cachescape::profile {

class ChunkInsert {
 public:
  /// Bins of a chunk, but for the last of a histogram: few enough for a question about a range to pass over most.
  static constexpr std::size_t most_bins = 4096;

  static Result<ChunkInsert> prepare(const Database& database, const BinTable& table);

  /// The histogram of `keys`, one for each of the table's. Precondition: check_bins.
  Result<void> add(std::initializer_list<std::uint64_t> keys, std::span<const Bin> bins);

 private:
  explicit ChunkInsert(Statement statement) : statement_(std::move(statement)) {}

  Statement statement_;
  std::string text_;  ///< kept for its memory
};

}  // namespace cachescape::profile
