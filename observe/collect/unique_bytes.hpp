// How many different bytes a program and its functions access.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/packed_access.hpp"
#include "cachescape/places.hpp"
#include "cachescape/strided_run.hpp"
#include "observe/collect/module_set.hpp"
#include "observe/collect/place_numbers.hpp"

namespace cachescape::collect {

/// A set of bytes: a bit for each, 64 at a time.
class ByteSet {
 public:
  /// [begin, begin + bytes); cut at the end of the address space.
  void add(std::uint64_t begin, std::uint64_t bytes);
  std::uint64_t size() const { return size_; }

 private:
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> words_;  ///< bits by address / 64
  std::uint64_t size_ = 0;
};

/// Takes every access; two look-ups each. Memory: 16 … 32 bytes for every 64 that the program accesses, and the same
/// for every 64 of each function.
class UniqueBytes {
 public:
  void take(const PackedBatch& batch, const PlaceNumbers& places, const ModuleSet& modules);
  void take(const StridedRun& run, const PlaceNumbers& places, const ModuleSet& modules);

  /// The metric `bytes.unique`: of each function at one of its blocks, and of the program at none.
  std::vector<Counted> counted() const;

 private:
  struct Function {
    std::uint32_t block = nowhere;
    ByteSet bytes;
  };
  /// Null where no function is known.
  ByteSet* bytes_of(std::uint32_t place, const PlaceNumbers& places, const ModuleSet& modules);
  void add(ByteSet* of_function, std::uint64_t begin, std::uint64_t bytes);

  ByteSet all_;
  std::vector<std::uint32_t> function_of_site_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;  ///< by function and module
  std::vector<Function> functions_;
};

}  // namespace cachescape::collect
