// Letters that stand for kinds of accesses. A table and not a comparison: reads and writes alternate in ways that no
// branch predictor foresees, and a wrong guess costs as much as reading an address.
#pragma once

#include <array>
#include <string_view>

#include "cachescape/access.hpp"

namespace cachescape::imported {

class KindLetters {
 public:
  static constexpr auto none = static_cast<AccessKind>(access_kinds);

  constexpr KindLetters(std::string_view read, std::string_view write, std::string_view modify) {
    table_.fill(none);
    for (const char c : read) table_[static_cast<unsigned char>(c)] = AccessKind::read;
    for (const char c : write) table_[static_cast<unsigned char>(c)] = AccessKind::write;
    for (const char c : modify) table_[static_cast<unsigned char>(c)] = AccessKind::modify;
  }

  /// The kind that `letter` stands for, or `none`.
  constexpr AccessKind operator[](char letter) const { return table_[static_cast<unsigned char>(letter)]; }

 private:
  std::array<AccessKind, 256> table_{};
};

}  // namespace cachescape::imported
