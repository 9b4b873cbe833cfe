// When each line was last touched: from a 64-bit line number to a 32-bit time, 0 for "never".
//
// Dense parts of the address space live in a shadow: a directory of regions (2^24 lines), each a table of granules
// (1024 lines, 4 KiB of times) that lie side by side on huge pages. That costs two cached loads and no hashing, and
// 4 bytes per line where granules are full. A granule is made when a line of it is first touched, as long as the
// shadow stays below `slack + 32 bytes x distinct lines`; beyond that the line goes to a hash table
// (last_touch_sparse.hpp), and so do all lines from 2^48 on. When a granule is made later its lines move over from the
// hash table. So memory is at most slack + 64 bytes per line (80 while the hash table doubles) whatever the line
// numbers are, and about 4 bytes per line for a program's addresses.
//
// Single-threaded. Throws std::bad_alloc where memory runs out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyze/distance/last_touch_memory.hpp"
#include "analyze/distance/last_touch_sparse.hpp"

namespace cachescape::analyze {

class LastTouch {
 public:
  static constexpr unsigned granule_bits = 10;
  static constexpr unsigned region_bits = 24;
  static constexpr unsigned line_bits = 48;  ///< lines from 2^48 on are always sparse
  static constexpr std::size_t granule_lines = std::size_t{1} << granule_bits;
  static constexpr std::size_t bytes_per_line = 32;  ///< what one line may add to the shadow

  explicit LastTouch(std::size_t slack_bytes);

  /// Where the line's time is kept; a new line starts at 0. Null where room must be made first, which moves others.
  /// Inlined everywhere, so that no copy compiled for a special processor can be picked up elsewhere.
  [[gnu::always_inline]] std::uint32_t* find(std::uint64_t line) {
    if (std::uint32_t* const granule = granule_of(line); granule != nullptr) [[likely]]
      return granule + line % granule_lines;
    return find_or_place(line);
  }

  /// Makes room for a line that find() refused. Every pointer that find() returned becomes invalid.
  void make_room(std::uint64_t line);

  /// Where the line's time is kept, without creating anything; null where the map does not know the line.
  [[gnu::always_inline]] std::uint32_t* peek(std::uint64_t line) const {
    std::uint32_t* const granule = granule_of(line);
    return granule != nullptr ? granule + line % granule_lines : sparse_.find(line);
  }

  /// Brings what a later peek() or find() reads nearer to the processor.
  [[gnu::always_inline]] void prefetch(std::uint64_t line) const {
    if (const std::uint32_t* const granule = granule_of(line); granule != nullptr) {
      __builtin_prefetch(granule + line % granule_lines);
    } else if (has_sparse()) {
      sparse_.prefetch(line);
    }
  }

  /// Whether some lines are in the hash table, so that prefetch_sparse() pays.
  [[gnu::always_inline]] bool has_sparse() const { return !sparse_.empty(); }
  void prefetch_sparse(std::uint64_t line) const;

  std::uint64_t lines() const { return lines_; }
  /// Tells that `n` of the lines were touched for the first time.
  [[gnu::always_inline]] void add_lines(std::uint64_t n) { lines_ += n; }

  /// Times `stride` words apart.
  struct Run {
    std::uint32_t* first;
    std::size_t count;
    std::size_t stride;
  };
  /// Runs 0 … runs() - 1 together hold the times of all lines (and zeroes, and leftovers of lines that moved).
  std::size_t runs() const;
  Run run(std::size_t index) const;

  /// Calls visit(line, time) for every line that has a time, in no particular order. Linear in the memory held.
  void for_each(const std::function<void(std::uint64_t line, std::uint32_t time)>& visit) const;

  std::size_t memory_bytes() const { return shadow_bytes_ + sparse_.memory_bytes(); }

 private:
  static constexpr std::size_t region_granules = std::size_t{1} << (region_bits - granule_bits);
  using Region = std::uint32_t*;  ///< a region is an array of pointers to granules

  /// The granule that holds the line's time; null where the line is not shadowed.
  [[gnu::always_inline]] std::uint32_t* granule_of(std::uint64_t line) const {
    if (line >> line_bits != 0) return nullptr;
    std::uint32_t* const* const region = directory_[line >> region_bits];
    return region != nullptr ? region[(line >> granule_bits) % region_granules] : nullptr;
  }
  [[gnu::noinline]] std::uint32_t* find_or_place(std::uint64_t line);
  bool within_budget() const;
  bool shadowed(std::uint64_t line) const;
  bool make_granule(std::uint64_t line);

  std::size_t slack_bytes_;
  std::size_t shadow_bytes_ = 0;  ///< committed for directory, regions and granules
  std::uint64_t lines_ = 0;
  bool refused_ = false;  ///< the kernel gave no more memory to the shadow: everything new is sparse
  Mapping directory_memory_;
  Region** directory_;
  std::vector<std::size_t> used_regions_;  ///< entries of the directory that are not null
  Arena regions_;
  Arena granules_;
  SparseTouches sparse_;
  std::size_t sparse_lines_ = 0;  ///< lines in the hash table that have not moved to the shadow
};

}  // namespace cachescape::analyze
