// Numbers for pairs of a site and the object that it accesses, small and dense, so that an engine can count by them.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "observe/collect/object_map.hpp"

namespace cachescape::collect {

class PlaceNumbers {
 public:
  struct Pair {
    std::uint32_t site;
    std::uint32_t object;
  };

  /// The number of a site's access to an address. Fast where the site accesses the same object as before.
  std::uint32_t number(std::uint32_t site, std::uint64_t address, const ObjectMap& objects) {
    if (site >= last_.size()) [[unlikely]]
      last_.resize(site + 1);
    const Last& last = last_[site];
    if (address - last.begin < last.bytes && last.generation == objects.generation(last.of_object)) [[likely]]
      return last.number;
    if (const std::uint32_t small = objects.small_object(address); small != nowhere)
      return small == last.small_object ? last.small_number : look_up_small(site, small);
    return look_up(site, address, objects);
  }

  /// By number. Number 0 stands for no site.
  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  struct Last {
    std::uint64_t generation = 0;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint32_t number = 0;
    bool of_object = false;
    std::uint32_t small_object = nowhere;
    std::uint32_t small_number = 0;
  };
  std::uint32_t number_of(std::uint32_t site, std::uint32_t object);
  std::uint32_t look_up_small(std::uint32_t site, std::uint32_t object);
  std::uint32_t look_up(std::uint32_t site, std::uint64_t address, const ObjectMap& objects);

  std::vector<Last> last_;  ///< by site
  std::vector<Pair> pairs_{{nowhere, nowhere}};
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace cachescape::collect
