// Records that are nothing but accesses, each of them at an address in a word and a constant: most that there are.
#pragma once

#include <cstdint>

#include "cachescape/packed_access.hpp"

namespace cachescape::collect {

struct SlotAccess {
  std::uint16_t slot = 0;
  std::int32_t offset = 0;
  AccessShape shape;
  std::uint32_t site = 0;

  std::uint64_t address(const std::uint64_t* slots) const {
    return slots[slot] + static_cast<std::uint64_t>(std::int64_t{offset});
  }
};

struct PlainRecord {
  /// Instead of a number of accesses, where the record is another.
  static constexpr std::uint16_t not_plain = 0xffff;

  std::uint32_t first = 0;  ///< access, among all
  std::uint16_t slots = 0;
  std::uint16_t accesses = not_plain;
  std::uint16_t witness = 0;  ///< slot that is zero if the accesses were not made
};

/// When the accesses of a record were made.
enum class Reached { by_witness, by_each_slot };

}  // namespace cachescape::collect
