// Locations, each kept once.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "cachescape/places.hpp"

namespace cachescape::symbols {

class LocationTable {
 public:
  LocationTable() : numbers_(0, Hash{&all_}, Equal{&all_}) {}
  LocationTable(const LocationTable&) = delete;
  LocationTable& operator=(const LocationTable&) = delete;

  /// The number of a location; `inlined_at` is one that this gave before.
  std::uint32_t number(Location location);
  const std::vector<Location>& all() const { return all_; }

 private:
  struct Hash {
    const std::vector<Location>* all;
    std::size_t operator()(std::uint32_t number) const;
  };
  struct Equal {
    const std::vector<Location>* all;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return (*all)[a] == (*all)[b]; }
  };
  std::vector<Location> all_;
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> numbers_;
};

}  // namespace cachescape::symbols
