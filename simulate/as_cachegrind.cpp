#include "simulate/as_cachegrind.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cachescape/line.hpp"
#include "simulate/random.hpp"

namespace cachescape::simulate {

Result<AsCachegrind> AsCachegrind::create(const machine::Machine& machine) {
  AsCachegrind result;
  result.longest_ = std::numeric_limits<std::uint64_t>::max();
  for (const machine::Level& level : machine.levels) {
    if (level.write != machine::WritePolicy::back || !level.write_allocate ||
        level.inclusion != machine::Inclusion::non_inclusive) {
      return failure(
          ErrorKind::unsupported,
          fmt::format("cachegrind has no cache like {}: it knows write-back, write-allocate, non-inclusive levels only",
                      level.name),
          machine.name, "simulate without --definitions cachegrind, or on simpler levels");
    }
    result.longest_ = std::min(result.longest_, level.line.bytes().value);
    LevelOutcome counts;
    counts.name = level.name;
    result.levels_.push_back({level, Cache(level, generator_for(1, result.levels_.size() + 1, 0)), counts});
  }
  return result;
}

bool AsCachegrind::misses(LevelState& level, Address address, std::uint64_t size) {
  const Touches lines = touches_of(address, size, level.config.line);
  bool missed = false;
  for (std::uint64_t l = lines.first.value; l - lines.first.value < lines.count(); ++l) {
    const std::uint32_t slot = level.cache.find(Line{l});
    if (slot != no_slot) {
      level.cache.use(slot);
      continue;
    }
    missed = true;
    const Cache::Place place = level.cache.choose(Line{l});
    if (place.victim) level.cache.remove(place.slot);
    level.cache.place(place.slot, Line{l}, {});
  }
  return missed;
}

void AsCachegrind::consume(const AccessBatch& batch) {
  accesses_ += batch.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Access a = batch[i];
    for (LevelState& level : levels_) {
      Tally& tally = a.kind == AccessKind::write ? level.counts.writes : level.counts.reads;
      ++tally.accesses;
      if (!misses(level, a.address, std::min<std::uint64_t>(a.size, longest_))) break;
      ++tally.misses;
      level.counts.bytes_in += level.config.line.bytes();
    }
  }
}

HierarchyOutcome AsCachegrind::outcome() const {
  HierarchyOutcome result;
  result.accesses = accesses_;
  result.threads = 1;
  result.cores = 1;
  for (const LevelState& level : levels_) result.levels.push_back(level.counts);
  return result;
}

}  // namespace cachescape::simulate
