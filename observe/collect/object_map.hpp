// Which data object an address belongs to: allocations, global variables, stacks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cachescape/places.hpp"
#include "observe/collect/allocation_stacks.hpp"
#include "observe/collect/module_set.hpp"
#include "observe/collect/small_objects.hpp"

namespace cachescape::collect {

class ObjectMap {
 public:
  /// A stretch of addresses that belong to one object, or to none.
  struct Stretch {
    std::uint64_t begin = 0, end = 0;  ///< [begin, end)
    std::uint32_t object = nowhere;
  };

  /// Its number among the objects.
  std::uint32_t add_global(const GlobalVariable& global);
  /// A variable of a library that was loaded again, perhaps elsewhere.
  void place_again(std::uint32_t object, std::uint64_t address, std::uint64_t bytes) {
    put(address, address + bytes, object);
  }
  void add_stack(std::uint64_t low, std::uint64_t high);
  /// An allocation was made; what was there before is gone.
  void allocate(std::uint64_t address, std::uint64_t bytes, const AllocationOrigin& origin, const ModuleSet& modules);
  void free(std::uint64_t address);
  /// What lay there is gone; what is left of it belongs to its object. O(objects there × log objects).
  void unmap(std::uint64_t address, std::uint64_t bytes);

  /// The small object at an address, or nowhere. O(1).
  std::uint32_t small_object(std::uint64_t address) const { return small_.at(address); }
  std::uint32_t object_at(std::uint64_t address) const {
    const std::uint32_t small = small_object(address);
    return small != nowhere ? small : around(address).object;
  }
  /// The stretch around an address at which there is no small object. O(log objects).
  Stretch around(std::uint64_t address) const;
  /// Grows whenever a stretch that around() gave may no longer belong to its object, or to none. Memory of one object
  /// that is freed and allocated for the same object again does not change the former; small objects change neither.
  std::uint64_t generation(bool of_object) const { return of_object ? generation_ : ranges_generation_; }
  const std::vector<Object>& objects() const { return objects_; }
  /// The object that each origin of allocations made.
  const std::map<AllocationOrigin, std::uint32_t>& heap_origins() const { return by_origin_; }

 private:
  struct Range {
    std::uint64_t end;
    std::uint32_t object;
    bool freed = false;  ///< kept until something else is put there: programs reuse memory at once
  };
  void put(std::uint64_t begin, std::uint64_t end, std::uint32_t object);
  void count(std::uint32_t object, std::uint64_t bytes);
  void clear(std::uint64_t begin, std::uint64_t end, std::uint32_t for_object);
  std::uint32_t heap_object(const AllocationOrigin& origin, const ModuleSet& modules);

  SmallObjects small_;                     ///< of the heap
  std::map<std::uint64_t, Range> ranges_;  ///< all others, by their begin; they do not overlap
  std::vector<Object> objects_;
  std::vector<std::uint64_t> live_bytes_;  ///< by object
  std::map<AllocationOrigin, std::uint32_t> by_origin_;
  /// Of origins whose site is in compiled code: its call, what it calls the object, and whether it stands for others.
  std::map<std::tuple<std::uint32_t, std::string, bool>, std::uint32_t> by_line_;
  std::uint32_t stack_ = nowhere;
  std::uint64_t generation_ = 1;
  std::uint64_t ranges_generation_ = 1;
};

}  // namespace cachescape::collect
