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

  std::uint32_t number = 0;  ///< of the descriptor
  std::uint32_t first = 0;   ///< access, among all
  std::uint16_t slots = 0;
  std::uint16_t accesses = not_plain;
  std::uint16_t witness = 0;  ///< slot that is zero if the accesses were not made
  /// Of the accesses, those that are not reads.
  std::uint16_t writes = 0;
  std::uint16_t modifies = 0;
  std::uint32_t bytes = 0;

  /// A record of accesses that begin with the `first` of all.
  template <class SomeAccesses>
  static PlainRecord of(const SomeAccesses& all, std::uint32_t number, std::uint32_t first, std::uint16_t slots,
                        std::uint16_t witness) {
    PlainRecord r{.number = number, .first = first, .slots = slots, .witness = witness};
    std::uint64_t bytes = 0;
    for (const auto& access : all) {
      bytes += access.shape.size();
      if (access.shape.kind() == AccessKind::write) ++r.writes;
      if (access.shape.kind() == AccessKind::modify) ++r.modifies;
    }
    r.bytes = static_cast<std::uint32_t>(bytes);
    if (bytes == r.bytes && all.size() < not_plain) r.accesses = static_cast<std::uint16_t>(all.size());
    return r;
  }
};

/// Accesses of plain records that were passed over.
struct PassedRecords {
  std::uint64_t accesses = 0;
  std::uint64_t writes = 0;
  std::uint64_t modifies = 0;
  std::uint64_t bytes = 0;
};

/// When the accesses of a record were made.
enum class Reached { by_witness, by_each_slot };

}  // namespace cachescape::collect
