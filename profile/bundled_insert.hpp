// Rows of integers, by the thousand: many in one statement, because a statement costs more than a row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "profile/database.hpp"

namespace cachescape::profile {

template <std::size_t columns>
class BundledInsert {
 public:
  using Row = std::array<std::uint64_t, columns>;

  static Result<BundledInsert> prepare(const Database& database, std::string_view table) {
    std::string row = "(?";
    for (std::size_t c = 1; c < columns; ++c) row += ",?";
    row += ")";
    std::string rows = row;
    for (std::size_t r = 1; r < bundle; ++r) rows += "," + row;
    CACHESCAPE_TRY(Statement one, database.prepare(fmt::format("INSERT INTO {} VALUES{}", table, row)));
    CACHESCAPE_TRY(Statement many, database.prepare(fmt::format("INSERT INTO {} VALUES{}", table, rows)));
    return BundledInsert(std::move(one), std::move(many));
  }

  Result<void> add(const Row& row) {
    rows_[waiting_++] = row;
    if (waiting_ < bundle) return {};
    waiting_ = 0;
    int parameter = 0;
    for (const Row& r : rows_)
      for (const std::uint64_t value : r) many_.bind(++parameter, value);
    return many_.run();
  }
  /// Writes what is waiting.
  Result<void> finish() {
    for (std::size_t i = 0; i < waiting_; ++i) {
      int parameter = 0;
      for (const std::uint64_t value : rows_[i]) one_.bind(++parameter, value);
      CACHESCAPE_CHECK(one_.run());
    }
    waiting_ = 0;
    return {};
  }

 private:
  static constexpr std::size_t bundle = 64;
  BundledInsert(Statement one, Statement many) : one_(std::move(one)), many_(std::move(many)) {}

  Statement one_;
  Statement many_;
  std::array<Row, bundle> rows_{};
  std::size_t waiting_ = 0;
};

}  // namespace cachescape::profile
