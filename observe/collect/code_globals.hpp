// The global variables of the files that translated code comes from.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "cachescape/places.hpp"
#include "observe/collect/code_table.hpp"
#include "observe/collect/object_map.hpp"

namespace cachescape::collect {

class CodeGlobals {
 public:
  /// Adds the variables of files that were mapped since the last call. Reads the files: to be called before accesses to
  /// them are looked up.
  void update(const CodeTable& code, ObjectMap& objects);
  /// Where they are declared; their objects' locations are numbers in this.
  const std::vector<Location>& locations() const { return locations_; }

 private:
  std::size_t mappings_known_ = 0;
  std::set<std::pair<std::uint32_t, std::uint64_t>> known_;  ///< file and where its beginning would lie
  std::vector<Location> locations_;
};

}  // namespace cachescape::collect
