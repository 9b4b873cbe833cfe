// From addresses of a program that has ended to its source, by the files that it consisted of.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cachescape/places.hpp"
#include "cachescape/result.hpp"
#include "observe/symbols/debug_file.hpp"
#include "observe/symbols/location_table.hpp"
#include "observe/symbols/mapped_object.hpp"

namespace cachescape::symbols {

/// How much is known of an address, from nothing to its line; of a function without a symbol where it begins, which is
/// its name then: `library.so+0x1230`.
enum class Known : std::uint8_t { nothing, module, function, symbol, source };

struct CodePlace {
  Known known = Known::nothing;
  std::uint32_t module = nowhere;    ///< index of Symbolizer::modules()
  std::uint32_t location = nowhere;  ///< number in Symbolizer::locations(), innermost; from `function` on
  std::uint64_t address = 0;         ///< in the file's own numbering
};

/// A global variable, or a static one of a function.
struct Variable {
  std::uint64_t address = 0;  ///< in the program
  std::uint64_t bytes = 0;
  std::string name;
  std::uint32_t module = nowhere;
  std::uint32_t location = nowhere;  ///< where it is declared, if debug information says so
};

/// Opens files when an address in them is asked for. Not for several threads at once.
class Symbolizer {
 public:
  /// Where objects overlap, as when a library took the place of another, the later one counts.
  explicit Symbolizer(const std::vector<MappedObject>& objects, std::string folder = debug_folder);
  ~Symbolizer();
  /// One more, which was loaded later.
  void add(const MappedObject& object);
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  /// A place for each address, in their order. To ask for many at once is much faster than one by one. Of a return
  /// address ask for the byte before: the call may be the last instruction of its line.
  std::vector<CodePlace> locate(std::span<const std::uint64_t> addresses);
  /// Variables of all files, by ascending address.
  std::vector<Variable> variables();
  /// What no variable covers of the files' data, such as all of it where there are no symbols: `.bss of gzip`. Several
  /// of one name are parts of one section. By ascending address, given what variables() gave.
  std::vector<Variable> rest_of_data(std::span<const Variable> variables);

  const std::vector<Location>& locations() const { return locations_.all(); }
  /// Paths.
  const std::vector<std::string>& modules() const { return paths_; }
  /// `function+0x12`, `library.so+0x1234`, or empty where nothing is known.
  std::string text(const CodePlace& place) const;
  /// Files that could not be used, each once: gone, not readable, or of another build than the one that ran.
  const std::vector<Error>& problems() const { return problems_; }

 private:
  struct Module;
  struct Mapping {
    std::uint64_t end;
    std::uint64_t begin;  ///< of the whole object, which another may have cut
    std::uint64_t file_offset;
    std::uint32_t module;
  };
  void put(const MappedObject& object, std::uint32_t module);
  Module& opened(std::uint32_t module);
  CodePlace locate(std::uint64_t address);
  /// Address in the program − address in the file.
  std::optional<std::uint64_t> bias_of(std::uint32_t module);

  std::string debug_folder_;
  std::map<std::uint64_t, Mapping> mappings_;  ///< by their first address; they do not overlap
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;  ///< of modules, by path and build-id
  LocationTable locations_;
  std::vector<Error> problems_;
};

}  // namespace cachescape::symbols
