// A machine as the models see it: its data caches, from the core outwards, and how cores share them.
// Values only; reading files, presets and detection live beside this header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cachescape/line.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::machine {

enum class Replacement : std::uint8_t { lru, plru, fifo, random, srrip };
enum class WritePolicy : std::uint8_t { back, through };
/// How a level's contents relate to the levels nearer to the core.
enum class Inclusion : std::uint8_t {
  non_inclusive,  ///< filled on a miss, evicts without asking (the default)
  inclusive,      ///< holds all that nearer levels hold: its evictions remove their copies
  exclusive,      ///< holds only what nearer levels have evicted
};
enum class Coherence : std::uint8_t { none, msi, mesi };

/// Number of cores per instance that means "one instance for all cores".
inline constexpr std::uint32_t shared_by_all = 0;

struct Level {
  std::string name;        ///< "L1", "L2", …; unique in its machine
  std::uint64_t sets = 1;  ///< any number ≥ 1; the set of a line is its number modulo sets
  std::uint64_t ways = 1;
  LineSize line{6};
  std::uint32_t shared_by = 1;  ///< cores per instance, or shared_by_all
  Replacement replacement = Replacement::lru;
  WritePolicy write = WritePolicy::back;
  bool write_allocate = true;
  Inclusion inclusion = Inclusion::non_inclusive;
  std::optional<double> latency;    ///< load-to-use cycles on a hit here
  std::optional<double> bandwidth;  ///< bytes per cycle from this level towards the core

  std::uint64_t lines() const { return sets * ways; }
  Bytes size() const { return Bytes{lines() * line.bytes().value}; }

  friend bool operator==(const Level&, const Level&) = default;
};

struct Machine {
  std::string name;         ///< how the user called it: preset name, file, "host" or inline text
  std::string title;        ///< for people: "Intel Core i7-4770K (Haswell)"
  std::uint32_t cores = 0;  ///< 0 = as many as the workload has threads
  Coherence coherence = Coherence::mesi;
  std::vector<Level> levels;             ///< nearest to the core first; at least one
  std::optional<double> memory_latency;  ///< load-to-use cycles of main memory
  std::optional<double> frequency;       ///< GHz
  /// Where each number comes from: (key such as "L2.size" or "*", text), in file order.
  std::vector<std::pair<std::string, std::string>> sources;

  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace cachescape::machine
