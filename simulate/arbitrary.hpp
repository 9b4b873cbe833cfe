// Random valid machines and random traces for property tests (rapidcheck). Both are small: few lines, few
// sets and short traces, so that sets overflow, threads collide and counterexamples can be read.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cachescape/access.hpp"
#include "machine/machine.hpp"
#include "simulate/random.hpp"

namespace cachescape::simulate {

/// What two simulators are compared on.
struct Scenario {
  machine::Machine machine;
  std::uint64_t seed = 1;  ///< of random replacement
  std::vector<Access> trace;
};

namespace arbitrary_detail {

/// Cores per instance given the level below, so that the instances form a tree.
inline std::uint32_t draw_shared_by(const machine::Level* below) {
  std::vector<std::uint32_t> choices{1, 1, 1, 1, 2, machine::shared_by_all};
  if (below != nullptr) {
    const std::uint32_t inner = below->shared_by;
    if (inner == machine::shared_by_all) return inner;
    choices = {inner, inner, inner * 2, inner * 3, machine::shared_by_all};
  }
  return *rc::gen::elementOf(choices);
}

inline LineSize draw_line(const machine::Level* below, machine::Inclusion inclusion) {
  const unsigned any = *rc::gen::element(2u, 3u, 4u, 5u, 6u);
  if (below == nullptr) return LineSize{any};
  const bool same = *rc::gen::element(true, true, false);
  if (same || inclusion == machine::Inclusion::exclusive) return below->line;
  if (inclusion == machine::Inclusion::inclusive) return LineSize{std::max(any, below->line.log2())};
  return LineSize{any};
}

inline machine::Level draw_level(const machine::Level* below, std::size_t depth) {
  using machine::Inclusion;
  using machine::Replacement;
  machine::Level level;
  level.name = "L" + std::to_string(depth + 1);
  level.sets = *rc::gen::element<std::uint64_t>(1, 1, 2, 3, 4, 5);
  level.ways = *rc::gen::element<std::uint64_t>(1, 2, 3, 4, 5);
  level.shared_by = draw_shared_by(below);
  level.replacement = *rc::gen::element(Replacement::lru, Replacement::plru, Replacement::fifo, Replacement::random,
                                        Replacement::srrip);
  level.write =
      *rc::gen::element(machine::WritePolicy::back, machine::WritePolicy::back, machine::WritePolicy::through);
  level.write_allocate = *rc::gen::element(true, true, false);
  if (below != nullptr) {
    level.inclusion = *rc::gen::element(Inclusion::non_inclusive, Inclusion::inclusive, Inclusion::exclusive);
  }
  level.line = draw_line(below, level.inclusion);
  return level;
}

/// The addresses of one trace: a region that is a few times the size of a small cache or much larger,
/// at the start, in the middle or at the very end of the address space.
struct Region {
  std::uint64_t base = 0;
  std::uint64_t size = 64;
};

class TraceMaker {
 public:
  explicit TraceMaker(std::uint64_t seed) : random_(seed) {
    region_.size = std::uint64_t{64} << below(6);
    const std::array<std::uint64_t, 4> bases{0, 0, std::uint64_t{1} << 40, std::uint64_t{0} - region_.size};
    region_.base = bases[below(bases.size())];
    threads_ = 1 + below(4);
    write_share_ = below(3);
  }

  std::vector<Access> make(std::size_t length) {
    std::vector<Access> trace;
    while (trace.size() < length) {
      switch (below(4)) {
        case 0:
          sweep(trace);
          break;
        case 1:
          hot_spot(trace);
          break;
        case 2:
          scattered(trace);
          break;
        default:
          contended(trace);
          break;
      }
    }
    trace.resize(length);
    return trace;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.next() % n; }

  ThreadId thread() {
    constexpr std::array<std::uint32_t, 4> ids{5, 0, 9, 3};
    return ThreadId{ids[below(threads_)]};
  }
  std::uint32_t size() {
    constexpr std::array<std::uint32_t, 6> usual{0, 1, 2, 4, 8, 8};
    return below(4) == 0 ? static_cast<std::uint32_t>(below(41)) : usual[below(usual.size())];
  }
  AccessKind kind() {
    if (below(4) > write_share_) return AccessKind::read;
    return below(3) == 0 ? AccessKind::modify : AccessKind::write;
  }
  void add(std::vector<Access>& trace, ThreadId who, std::uint64_t offset, std::uint32_t bytes) {
    trace.push_back({.address = Address{region_.base + offset % region_.size},
                     .size = bytes,
                     .kind = kind(),
                     .thread = who,
                     .site = SiteId{0}});
  }

  void sweep(std::vector<Access>& trace) {
    const ThreadId who = thread();
    const std::uint64_t start = below(region_.size);
    const std::uint64_t stride = 1 + below(32);
    const std::uint32_t bytes = size();
    const std::uint64_t count = 2 + below(10);
    for (std::uint64_t i = 0; i < count; ++i) add(trace, who, start + i * stride, bytes);
  }
  void hot_spot(std::vector<Access>& trace) {
    const ThreadId who = thread();
    const std::uint64_t start = below(region_.size);
    const std::uint64_t count = 2 + below(8);
    for (std::uint64_t i = 0; i < count; ++i) add(trace, who, start + below(96), size());
  }
  void scattered(std::vector<Access>& trace) {
    const std::uint64_t count = 1 + below(8);
    for (std::uint64_t i = 0; i < count; ++i) add(trace, thread(), below(region_.size), size());
  }
  void contended(std::vector<Access>& trace) {
    const std::uint64_t start = below(region_.size);
    const std::uint64_t count = 2 + below(8);
    for (std::uint64_t i = 0; i < count; ++i) add(trace, thread(), start + 4 * below(4), 4);
  }

  SplitMix64 random_;
  Region region_;
  std::uint64_t threads_ = 1;
  std::uint64_t write_share_ = 0;
};

inline rc::Seq<Access> shrink_access(const Access& access) {
  std::vector<Access> simpler;
  const auto propose = [&](Access other) {
    if (other != access) simpler.push_back(other);
  };
  Access other = access;
  other.kind = AccessKind::read;
  propose(other);
  other = access;
  other.size = std::min(access.size, std::uint32_t{1});
  propose(other);
  other = access;
  other.address = Address{access.address.value & 0xfff};
  propose(other);
  other = access;
  other.address = Address{access.address.value / 2};
  propose(other);
  return rc::seq::fromContainer(std::move(simpler));
}

}  // namespace arbitrary_detail

/// Machines of 1–3 levels that are valid in the sense of docs/design/simulator.md.
inline rc::Gen<machine::Machine> arbitrary_machine() {
  return rc::gen::exec([] {
    machine::Machine machine;
    machine.name = "arbitrary";
    machine.cores = *rc::gen::element(0u, 0u, 4u, 3u, 2u, 1u);
    machine.coherence = *rc::gen::element(machine::Coherence::none, machine::Coherence::msi, machine::Coherence::msi,
                                          machine::Coherence::mesi, machine::Coherence::mesi);
    const auto levels = *rc::gen::element<std::size_t>(1, 2, 2, 3, 3);
    for (std::size_t depth = 0; depth < levels; ++depth) {
      const machine::Level* below = depth == 0 ? nullptr : &machine.levels.back();
      machine.levels.push_back(arbitrary_detail::draw_level(below, depth));
    }
    return machine;
  });
}

/// Traces of at most about 200 accesses by 1–4 threads; shrink by leaving accesses out and making them plainer.
inline rc::Gen<std::vector<Access>> arbitrary_trace() {
  return [](const rc::Random& random, int size) {
    const std::uint64_t seed = rc::Random(random).next();
    const auto length = 2 * static_cast<std::size_t>(size);
    return rc::shrinkable::shrinkRecur(
        arbitrary_detail::TraceMaker(seed).make(length), [](const std::vector<Access>& trace) {
          return rc::seq::concat(rc::shrink::removeChunks(trace),
                                 rc::shrink::eachElement(trace, arbitrary_detail::shrink_access));
        });
  };
}

inline rc::Gen<Scenario> arbitrary_scenario() {
  return rc::gen::build<Scenario>(rc::gen::set(&Scenario::machine, arbitrary_machine()),
                                  rc::gen::set(&Scenario::seed, rc::gen::inRange<std::uint64_t>(0, 4)),
                                  rc::gen::set(&Scenario::trace, arbitrary_trace()));
}

/// How a counterexample is printed; rapidcheck finds it by this name.
// NOLINTNEXTLINE(readability-identifier-naming)
inline void showValue(const Scenario& scenario, std::ostream& os) {
  constexpr std::array coherence{"none", "msi", "mesi"};
  constexpr std::array replacement{"lru", "plru", "fifo", "random", "srrip"};
  constexpr std::array write{"write-back", "write-through"};
  constexpr std::array inclusion{"non-inclusive", "inclusive", "exclusive"};
  constexpr std::array kind{"load", "store", "modify"};
  const machine::Machine& m = scenario.machine;
  os << "cores " << m.cores << ", " << coherence[static_cast<std::size_t>(m.coherence)] << ", seed " << scenario.seed
     << '\n';
  for (const machine::Level& l : m.levels) {
    os << l.name << ": " << l.sets << " sets, " << l.ways << " ways, " << l.line.bytes().value
       << "-byte lines, shared by " << (l.shared_by == machine::shared_by_all ? "all" : std::to_string(l.shared_by))
       << ", " << replacement[static_cast<std::size_t>(l.replacement)] << ", "
       << write[static_cast<std::size_t>(l.write)] << (l.write_allocate ? "" : " without allocation") << ", "
       << inclusion[static_cast<std::size_t>(l.inclusion)] << '\n';
  }
  for (const Access& a : scenario.trace) {
    os << "thread " << a.thread.value << ' ' << kind[static_cast<std::size_t>(a.kind)] << ' ' << a.address.value
       << " + " << a.size << '\n';
  }
}

}  // namespace cachescape::simulate
