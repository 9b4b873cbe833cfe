// The global variables of the files that translated code comes from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cachescape/places.hpp"
#include "observe/collect/code_table.hpp"
#include "observe/collect/object_map.hpp"

namespace cachescape::collect {

class CodeGlobals {
 public:
  /// A file was mapped, for the first time or again: its variables lie there from now on. Reads the file.
  void place(const Mapping& mapping, const CodeFile& of, const std::string& debug_folder, ObjectMap& objects);
  /// Where they are declared; their objects' locations are numbers in this.
  const std::vector<Location>& locations() const { return locations_; }

 private:
  struct Variable {
    std::uint64_t from_base = 0;  ///< from where the file's beginning would lie
    std::uint64_t bytes = 0;
    std::uint32_t object = 0;
  };
  std::map<std::uint32_t, std::vector<Variable>> by_file_;
  std::vector<Location> locations_;
};

}  // namespace cachescape::collect
