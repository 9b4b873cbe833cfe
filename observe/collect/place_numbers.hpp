// Numbers for pairs of a site and the object that it accesses, small and dense, so that an engine can count by them.
#pragma once

#include <array>
#include <cstddef>
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

  /// Makes ready for numbers of sites below `sites`, and forgets what the objects have made untrue. To be called before
  /// numbers are asked for, and again whenever the objects have changed.
  void follow(const ObjectMap& objects, std::size_t sites) {
    if (sites > last_.size()) last_.resize(sites);
    if (objects.generation(true) != generations_[1] || objects.generation(false) != generations_[0]) forget(objects);
  }

  /// The number of a site's access to an address. Fast where the site accesses the same object as before. Precondition:
  /// it has followed the objects as they are.
  std::uint32_t number(std::uint32_t site, std::uint64_t address, const ObjectMap& objects) {
    const Last& last = last_[site];
    // Small objects lie in stretches that belong to none.
    if (address - last.begin < last.bytes && (last.of_object || objects.small_object(address) == nowhere)) [[likely]]
      return last.number;
    return number_elsewhere(site, address, objects);
  }

  /// By number. Number 0 stands for no site.
  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  /// The stretch that a site accessed last, and the small object that it did.
  struct Last {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;  ///< none: it may no longer be true
    std::uint32_t number = 0;
    bool of_object = false;
    std::array<bool, 2> listed{};  ///< in remembered_
    std::uint32_t small_object = nowhere;
    std::uint32_t small_number = 0;
  };
  static_assert(sizeof(Last) == 32);
  void forget(const ObjectMap& objects);
  std::uint32_t number_elsewhere(std::uint32_t site, std::uint64_t address, const ObjectMap& objects);
  void remember(std::uint32_t site);
  std::uint32_t number_of(std::uint32_t site, std::uint32_t object);

  std::vector<Last> last_;  ///< by site
  std::array<std::uint64_t, 2> generations_{};
  std::array<std::vector<std::uint32_t>, 2> remembered_;  ///< sites with a stretch: of no object, and of an object
  std::vector<Pair> pairs_{{nowhere, nowhere}};
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace cachescape::collect
