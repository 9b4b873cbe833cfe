// Where functions begin and end, as the tables for unwinding tell it: strip leaves them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "observe/symbols/elf_file.hpp"

namespace cachescape::symbols {

class FrameTable {
 public:
  /// Reads .eh_frame; its sorted index is missing in static programs. Leaves out what is encoded in other ways than
  /// compilers choose for 64-bit programs. O(functions).
  static FrameTable of(const ElfFile& file);

  /// Where the function around an address begins, in the file's own numbering. O(log functions).
  std::optional<std::uint64_t> begin_of_function(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t begin, bytes;
  };
  std::vector<Range> ranges_;  ///< by ascending begin
};

}  // namespace cachescape::symbols
