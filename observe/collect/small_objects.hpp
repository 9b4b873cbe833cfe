// Objects of up to a page, by the 16 bytes that an address lies in: programs make millions of them, and allocators keep
// them at least that far apart.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/places.hpp"

namespace cachescape::collect {

/// Memory: 24 KiB for every 64 KiB of addresses in which a small object ever was.
class SmallObjects {
 public:
  static constexpr std::uint64_t most_bytes = 4096;
  static constexpr std::uint64_t granule = 16;

  struct Removed {
    std::uint32_t object = nowhere;
    std::uint64_t bytes = 0;
  };

  /// Precondition: 0 < bytes <= most_bytes, and they do not run past the end of the address space.
  void put(std::uint64_t address, std::uint64_t bytes, std::uint32_t object) {
    for (std::uint64_t at = address / granule; at <= (address + bytes - 1) / granule; ++at)
      make_region(at).object[at % granules] = object + 1;
    make_region(address / granule).bytes[address / granule % granules] = static_cast<std::uint16_t>(bytes);
  }
  /// Takes away the object that begins there, if one does.
  Removed remove(std::uint64_t address) {
    Region* const first = region(address / granule);
    if (first == nullptr) return {};
    const std::uint64_t bytes = std::exchange(first->bytes[address / granule % granules], std::uint16_t{0});
    if (bytes == 0) return {};
    const Removed removed{first->object[address / granule % granules] - 1, bytes};
    for (std::uint64_t at = address / granule; at <= (address + bytes - 1) / granule; ++at) {
      if (Region* const r = region(at); r != nullptr) r->object[at % granules] = 0;
    }
    return removed;
  }
  /// Forgets what lies there.
  void clear(std::uint64_t begin, std::uint64_t end);

  /// The object at an address, or nowhere.
  std::uint32_t at(std::uint64_t address) const {
    const Region* const r = region(address / granule);
    return r == nullptr ? nowhere : r->object[address / granule % granules] - 1;
  }

 private:
  static constexpr std::size_t granules = 4096;
  struct Region {
    std::array<std::uint32_t, granules> object{};  ///< its number plus 1
    std::array<std::uint16_t, granules> bytes{};   ///< of an object, where it begins
  };
  struct Known {
    std::uint64_t number = ~std::uint64_t{0};
    Region* region = nullptr;
  };

  Region* region(std::uint64_t at) const {
    const std::uint64_t number = at / granules;
    Known& known = recent_[number % recent_.size()];
    if (known.number != number) {
      const auto found = regions_.find(number);
      known = {number, found == regions_.end() ? nullptr : found->second.get()};
    }
    return known.region;
  }
  Region& make_region(std::uint64_t at) {
    if (Region* const known = region(at); known != nullptr) return *known;
    const std::uint64_t number = at / granules;
    auto& made = regions_[number];
    made = std::make_unique<Region>();
    recent_[number % recent_.size()] = {number, made.get()};
    return *made;
  }

  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<Region>> regions_;
  mutable std::array<Known, 1024> recent_;
};

}  // namespace cachescape::collect
