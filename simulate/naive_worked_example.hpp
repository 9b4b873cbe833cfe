// Short notation for the worked examples that test the naive simulator: machines of 64-byte lines and
// traces of lettered lines.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/outcome.hpp"
#include "machine/machine.hpp"
#include "simulate/naive_simulator.hpp"

namespace cachescape::simulate::worked_example {

inline machine::Level level_of(std::uint64_t sets, std::uint64_t ways, std::uint64_t line_bytes = 64) {
  machine::Level level;
  level.sets = sets;
  level.ways = ways;
  level.line = LineSize::of(line_bytes);
  return level;
}

inline machine::Level fully_associative(std::uint64_t lines) { return level_of(1, lines); }

inline machine::Level shared(machine::Level level, std::uint32_t by = machine::shared_by_all) {
  level.shared_by = by;
  return level;
}

inline machine::Level with(machine::Level level, machine::Replacement replacement) {
  level.replacement = replacement;
  return level;
}

inline machine::Level with(machine::Level level, machine::Inclusion inclusion) {
  level.inclusion = inclusion;
  return level;
}

inline machine::Level write_through(machine::Level level, bool allocate) {
  level.write = machine::WritePolicy::through;
  level.write_allocate = allocate;
  return level;
}

inline machine::Machine machine_of(std::vector<machine::Level> levels,
                                   machine::Coherence coherence = machine::Coherence::mesi, std::uint32_t cores = 0) {
  machine::Machine machine;
  machine.cores = cores;
  machine.coherence = coherence;
  machine.levels = std::move(levels);
  for (std::size_t i = 0; i < machine.levels.size(); ++i) machine.levels[i].name = "L" + std::to_string(i + 1);
  return machine;
}

inline Access access_of(AccessKind kind, std::uint32_t thread, std::uint64_t address, std::uint32_t size) {
  return {.address = Address{address}, .size = size, .kind = kind, .thread = ThreadId{thread}, .site = SiteId{0}};
}
inline Access load(std::uint32_t thread, std::uint64_t address, std::uint32_t size = 4) {
  return access_of(AccessKind::read, thread, address, size);
}
inline Access store(std::uint32_t thread, std::uint64_t address, std::uint32_t size = 4) {
  return access_of(AccessKind::write, thread, address, size);
}
inline Access modify(std::uint32_t thread, std::uint64_t address, std::uint32_t size = 4) {
  return access_of(AccessKind::modify, thread, address, size);
}

/// One access of thread 0 to the first byte of a 64-byte line per letter: 'a' loads line 0, 'B' stores to line 1.
inline std::vector<Access> letters(std::string_view text) {
  std::vector<Access> trace;
  for (char c : text) {
    const bool capital = c >= 'A' && c <= 'Z';
    const auto line = static_cast<std::uint64_t>(c - (capital ? 'A' : 'a'));
    trace.push_back(access_of(capital ? AccessKind::write : AccessKind::read, 0, line * 64, 1));
  }
  return trace;
}

inline HierarchyOutcome simulate(machine::Machine machine, const std::vector<Access>& trace,
                                 NaiveSimulator::Options options = {}) {
  NaiveSimulator simulator(std::move(machine), options);
  for (const Access& access : trace) simulator.consume(access);
  return simulator.outcome();
}

inline Tally tally(std::uint64_t accesses, const MissClasses& classes) {
  return {.accesses = accesses, .misses = classes.total(), .classes = classes};
}

}  // namespace cachescape::simulate::worked_example
