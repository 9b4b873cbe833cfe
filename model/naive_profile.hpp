// Profiles for tests, made the obvious way: Mattson's list for stack distances, a list per set for set distances. Every
// touch costs time proportional to the lines in front of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/line.hpp"
#include "cachescape/profile.hpp"

namespace cachescape::model::naive {

struct ProfileOptions {
  std::vector<LineSize> lines{LineSize{6}};
  std::vector<std::uint64_t> sets{};  ///< set counts with set distances
  std::uint32_t ways = 8;             ///< of the set distances
  bool by_thread = false;             ///< also every thread's own distances
  bool write_backs = false;           ///< also what write-back caches of every size write back
};

/// Lines, most recently touched first.
class RecencyList {
 public:
  /// The number of other lines touched since; none for a first touch.
  std::optional<std::uint64_t> touch(Line line) {
    const auto found = std::ranges::find(lines_, line);
    const bool known = found != lines_.end();
    const auto distance = static_cast<std::uint64_t>(found - lines_.begin());
    if (known) lines_.erase(found);
    lines_.insert(lines_.begin(), line);
    return known ? std::optional(distance) : std::nullopt;
  }
  std::size_t size() const { return lines_.size(); }

 private:
  std::vector<Line> lines_;
};

inline void count(Histogram& histogram, std::uint64_t value) {
  const auto at = std::ranges::lower_bound(histogram.bins, value, {}, &Bin::value);
  if (at != histogram.bins.end() && at->value == value) {
    ++at->count;
  } else {
    histogram.bins.insert(at, {value, 1});
  }
}

template <class Visit>
void for_touches(std::span<const Access> accesses, const Scope& scope, LineSize size, Visit visit) {
  for (const Access& a : accesses) {
    if (scope.kind == Scope::Kind::thread && a.thread != scope.thread) continue;
    const Touches touches = touches_of(a.address, a.size, size);
    for (std::uint64_t i = 0; i < touches.count(); ++i)
      visit(Line{touches.first.value + i}, static_cast<std::size_t>(a.kind));
  }
}

inline StackProfile stack_profile(std::span<const Access> accesses, const Scope& scope, LineSize size) {
  StackProfile stack{scope, size, {}, 0, {}};
  RecencyList list;
  std::map<Line, std::uint64_t> touched;
  for_touches(accesses, scope, size, [&](Line line, std::size_t kind) {
    ++touched[line];
    if (const auto distance = list.touch(line)) {
      count(stack.kinds[kind], *distance);
    } else {
      ++stack.kinds[kind].cold;
    }
  });
  stack.footprint_lines = list.size();
  Histogram popularity;
  for (const auto& [line, times] : touched) count(popularity, times);
  stack.popularity = popularity.bins;
  return stack;
}

/// What fully associative caches of 1, 2, … lines write back, each simulated, as differences from one to the next.
inline std::vector<Bin> write_backs(std::span<const Access> accesses, const Scope& scope, LineSize size) {
  struct Held {
    Line line;
    bool dirty = false;
  };
  std::vector<Bin> bins;
  std::uint64_t before = 0;
  for_touches(accesses, scope, size,
              [&](Line, std::size_t k) { before += writes(static_cast<AccessKind>(k)) ? 1 : 0; });
  for (std::uint64_t capacity = 1; before > 0; ++capacity) {
    std::uint64_t written_back = 0;
    std::vector<Held> held;
    for_touches(accesses, scope, size, [&](Line line, std::size_t kind) {
      Held now{line, writes(static_cast<AccessKind>(kind))};
      const auto found = std::ranges::find(held, line, &Held::line);
      if (found != held.end()) {
        now.dirty = now.dirty || found->dirty;
        held.erase(found);
      } else if (held.size() == capacity) {
        written_back += held.back().dirty ? 1 : 0;
        held.pop_back();
      }
      held.insert(held.begin(), now);
    });
    if (written_back < before) bins.push_back({capacity - 1, before - written_back});
    before = written_back;
  }
  return bins;
}

inline SetProfile set_profile(std::span<const Access> accesses, const Scope& scope, LineSize size,
                              const ProfileOptions& options) {
  SetProfile profile{scope, size, options.ways, {}, {}};
  for_touches(accesses, scope, size, [&](Line, std::size_t kind) { ++profile.touches[kind]; });
  for (const std::uint64_t sets : options.sets) {
    SetCounts counts{sets, {}};
    for (auto& hits : counts.hits) hits.resize(options.ways);
    std::map<std::uint64_t, RecencyList> lists;
    for_touches(accesses, scope, size, [&](Line line, std::size_t kind) {
      const auto distance = lists[line.value % sets].touch(line);
      if (distance && *distance < options.ways) ++counts.hits[kind][*distance];
    });
    profile.counts.push_back(std::move(counts));
  }
  return profile;
}

/// options.sets ascending.
inline Profile profile_of(std::span<const Access> accesses, const ProfileOptions& options) {
  Profile profile;
  std::map<ThreadId, KindCounts> threads;
  for (const Access& a : accesses) {
    profile.bytes += a.size;
    ++threads[a.thread][static_cast<std::size_t>(a.kind)];
  }
  std::vector<Scope> scopes{Scope{}};
  for (const auto& [thread, counts] : threads) {
    profile.threads.push_back({thread, counts});
    if (options.by_thread) scopes.push_back({Scope::Kind::thread, thread});
  }
  for (const Scope& scope : scopes) {
    for (const LineSize line : options.lines) {
      profile.stacks.push_back(stack_profile(accesses, scope, line));
      if (options.write_backs) profile.stacks.back().write_backs = write_backs(accesses, scope, line);
      if (!options.sets.empty()) profile.sets.push_back(set_profile(accesses, scope, line, options));
    }
  }
  profile.sampling.analysed = accesses.size();
  return profile;
}

/// One-byte reads by thread 0, one line of 64 bytes per character: "abac".
inline std::vector<Access> accesses_of(const char* letters) {
  std::vector<Access> accesses;
  for (const char* c = letters; *c != '\0'; ++c) {
    accesses.push_back(
        {Address{static_cast<std::uint64_t>(*c - 'a') * 64}, 1, AccessKind::read, ThreadId{0}, SiteId{0}});
  }
  return accesses;
}

}  // namespace cachescape::model::naive
