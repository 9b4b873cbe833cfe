// One cache as the chapter "Caches" of docs/design/simulator.md describes it: what is resident and who
// must go. The naive twin: written to be read, every operation looks at a whole set.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cachescape/quantity.hpp"
#include "machine/machine.hpp"
#include "simulate/random.hpp"

namespace cachescape::simulate {

struct ResidentLine {
  Line line;
  bool dirty = false;          ///< holds data newer than the next level
  bool writable = false;       ///< no cache outside this instance's subtree has a copy
  std::uint64_t last_use = 0;  ///< for LRU
  std::uint64_t inserted = 0;  ///< for FIFO
  unsigned prediction = 0;     ///< for SRRIP: 0 … 3, 3 = not expected again
};

class NaiveCache {
 public:
  NaiveCache(const machine::Level& level, SplitMix64 generator);

  /// The line where it is resident, else null. Looking is not a use. Valid until the next insert or remove.
  ResidentLine* find(Line line);

  /// A use that is not an insertion. Precondition: the line is resident.
  void use(Line line);

  /// Who must leave before `line` can be inserted; nothing where its set has a free way. Draws from the
  /// generator (random) and ages the set (SRRIP), so ask once per insertion and remove the victim.
  std::optional<Line> choose_victim(Line line);

  /// Into the lowest-numbered free way. Precondition: there is one and the line is not resident.
  void insert(Line line, bool dirty, bool writable);

  /// Precondition: the line is resident.
  void remove(Line line);

 private:
  struct Set {
    std::vector<std::optional<ResidentLine>> ways;
    std::vector<bool> points_right;  ///< tree-PLRU: bit of each node, root 1; element 0 is unused
  };

  Set& set_of(Line line);
  std::optional<std::size_t> way_of(const Set& set, Line line) const;
  void point_away(Set& set, std::size_t way) const;
  std::size_t victim_way(Set& set);
  std::size_t plru_victim(const Set& set) const;
  std::size_t srrip_victim(Set& set) const;

  machine::Level level_;
  SplitMix64 generator_;
  std::size_t leaves_;  ///< of the tree-PLRU tree
  std::uint64_t clock_ = 0;
  std::map<std::uint64_t, Set> sets_;
};

}  // namespace cachescape::simulate
