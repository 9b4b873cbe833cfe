// The simulator judges: one coherent level of any geometry, told by one analysis, to the touch.
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "analyze/coherence/sharing_analysis.hpp"
#include "simulate/simulator.hpp"

namespace cachescape::analyze {
namespace {

struct Workload {
  std::vector<Access> accesses;
  std::uint32_t degree = 1;
};

Workload arbitrary_workload(std::mt19937_64& random) {
  Workload w;
  w.degree = 1 + static_cast<std::uint32_t>(random() % 3);
  const std::uint32_t threads = 1 + static_cast<std::uint32_t>(random() % 7);
  const std::uint64_t bytes = 64 << (random() % 7);
  const unsigned writes_in_10 = static_cast<unsigned>(random() % 8);
  for (int i = 0; i < 600; ++i) {
    Access a;
    a.thread = ThreadId{static_cast<std::uint32_t>(random() % threads)};
    // Some of each thread's own, some of everybody's.
    const bool own = random() % 3 == 0;
    a.address = Address{4096 + (own ? (a.thread.value + 1) * 65536 : 0) + random() % (1 + random() % bytes)};
    a.size = 1u << (random() % 6);
    a.kind = random() % 10 >= writes_in_10 ? AccessKind::read
             : random() % 3 == 0           ? AccessKind::modify
                                           : AccessKind::write;
    const int repetitions = 1 + static_cast<int>(random() % 3);
    for (int r = 0; r < repetitions; ++r) w.accesses.push_back(a);
  }
  return w;
}

CoherentProfile analysed(const Workload& w, unsigned set_levels, unsigned ways) {
  SharingAnalysis analysis({LineSize{6}, w.degree, set_levels, ways, true});
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (const Access& a : w.accesses) {
    const std::uint32_t thread =
        numbers.try_emplace(a.thread.value, static_cast<std::uint32_t>(numbers.size())).first->second;
    const PackedAccess packed(a.address, a.size, a.kind, 0);
    analysis.consume(thread, std::span(&packed, 1));
  }
  analysis.flush();
  return analysis.profile();
}

LevelOutcome simulated(const Workload& w, std::uint64_t sets, std::uint64_t ways, machine::Coherence coherence) {
  machine::Machine machine;
  machine.coherence = coherence;
  machine::Level level;
  level.name = "L1";
  level.sets = sets;
  level.ways = ways;
  level.shared_by = w.degree;
  machine.levels.push_back(level);
  simulate::Simulator simulator(machine);
  for (const Access& a : w.accesses) simulator.consume(a);
  return simulator.outcome().levels[0];
}

std::uint64_t above(const std::vector<Bin>& bins, std::uint64_t lines) {
  std::uint64_t n = 0;
  for (const Bin& b : bins)
    if (b.value < lines) n += b.count;
  return n;
}
std::uint64_t all(const std::vector<Bin>& bins) { return above(bins, ~std::uint64_t{0}); }
std::uint64_t below(const std::vector<std::uint64_t>& counts, std::uint64_t ways) {
  std::uint64_t n = 0;
  for (std::uint64_t d = 0; d < ways; ++d) n += counts[d];
  return n;
}

void expect_classes(const Tally& truth, std::uint64_t touches, std::uint64_t hits, std::uint64_t cold,
                    std::array<std::uint64_t, 2> lost) {
  EXPECT_EQ(touches, truth.accesses);
  EXPECT_EQ(hits, truth.hits());
  EXPECT_EQ(cold, truth.classes.cold);
  EXPECT_EQ(lost[0], truth.classes.true_sharing);
  EXPECT_EQ(lost[1], truth.classes.false_sharing);
}

constexpr std::size_t read_kind = 0, write_kind = 1, modify_kind = 2;

TEST(SharingAnalysis, FullyAssociativeCachesOfAnySizeAreSimulated) {
  std::mt19937_64 random(19);
  for (int round = 0; round < 150; ++round) {
    const Workload w = arbitrary_workload(random);
    const CoherentProfile p = analysed(w, 0, 0);
    for (const std::uint64_t lines : {1, 2, 3, 5, 8, 13, 40, 200}) {
      const LevelOutcome truth = simulated(w, 1, lines, machine::Coherence::msi);
      const auto check = [&](const Tally& tally, std::initializer_list<std::size_t> kinds) {
        std::uint64_t touches = 0, hits = 0, cold = 0;
        std::array<std::uint64_t, 2> lost{};
        for (const std::size_t k : kinds) {
          const CoherentCounts& c = p.kinds[k];
          touches += c.kept.total() + all(c.lost[0]) + all(c.lost[1]);
          hits += c.kept.below(lines);
          cold += c.kept.cold;
          for (std::size_t s = 0; s < 2; ++s) lost[s] += above(c.lost[s], lines);
        }
        expect_classes(tally, touches, hits, cold, lost);
      };
      check(truth.reads, {read_kind, modify_kind});
      check(truth.writes, {write_kind});
      EXPECT_EQ(above(p.taken, lines), truth.invalidations);
      EXPECT_EQ(above(p.remote, lines), truth.remote_hits);
      EXPECT_EQ(above(p.msi_upgrades[0], lines) - above(p.msi_upgrades[1], lines), truth.upgrades);
      EXPECT_EQ(all(p.write_backs) - above(p.write_backs, lines), truth.write_backs);
      ASSERT_FALSE(HasFailure()) << "round " << round << ", " << lines << " lines, degree " << w.degree;
    }
    const LevelOutcome mesi = simulated(w, 1, 4096, machine::Coherence::mesi);
    ASSERT_EQ(all(p.upgrades), mesi.upgrades) << "round " << round;
  }
}

TEST(SharingAnalysis, SetsOfAnyNumberAreSimulated) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 100; ++round) {
    const Workload w = arbitrary_workload(random);
    const CoherentProfile p = analysed(w, 5, 8);
    for (const CoherentSets& sets : p.sets) {
      for (const std::uint64_t ways : {1, 2, 5, 8}) {
        const LevelOutcome truth = simulated(w, sets.sets, ways, machine::Coherence::mesi);
        const auto check = [&](const Tally& tally, std::initializer_list<std::size_t> kinds) {
          std::uint64_t touches = 0, hits = 0, cold = 0;
          std::array<std::uint64_t, 2> lost{};
          for (const std::size_t k : kinds) {
            const CoherentCounts& c = p.kinds[k];
            touches += c.kept.total() + all(c.lost[0]) + all(c.lost[1]);
            hits += below(sets.kept[k], ways);
            cold += c.kept.cold;
            for (std::size_t s = 0; s < 2; ++s) lost[s] += below(sets.lost[k][s], ways);
          }
          expect_classes(tally, touches, hits, cold, lost);
        };
        check(truth.reads, {read_kind, modify_kind});
        check(truth.writes, {write_kind});
        ASSERT_FALSE(HasFailure()) << "round " << round << ", " << sets.sets << " sets, " << ways << " ways";
      }
    }
  }
}

// Long enough for stacks to be renumbered and for many groups to miss a line at once.
TEST(SharingAnalysis, LongStreamsOfManyThreadsAreSimulated) {
  std::mt19937_64 random(29);
  for (const std::uint32_t threads : {3u, 40u}) {
    Workload w;
    for (int i = 0; i < 150'000; ++i) {
      Access a;
      a.thread = ThreadId{static_cast<std::uint32_t>(random() % threads)};
      a.address = Address{4096 + random() % (1 + random() % 200'000)};
      a.size = 8;
      a.kind = random() % 8 == 0 ? AccessKind::write : AccessKind::read;
      w.accesses.push_back(a);
    }
    const CoherentProfile p = analysed(w, 0, 0);
    for (const std::uint64_t lines : {7, 300, 4096}) {
      const LevelOutcome truth = simulated(w, 1, lines, machine::Coherence::msi);
      EXPECT_EQ(p.kinds[read_kind].kept.below(lines), truth.reads.hits());
      EXPECT_EQ(p.kinds[write_kind].kept.below(lines), truth.writes.hits());
      for (std::size_t s = 0; s < 2; ++s) {
        const auto& classes = truth.reads.classes;
        EXPECT_EQ(above(p.kinds[read_kind].lost[s], lines), s == 0 ? classes.true_sharing : classes.false_sharing);
      }
      EXPECT_EQ(above(p.taken, lines), truth.invalidations);
      EXPECT_EQ(above(p.remote, lines), truth.remote_hits);
      EXPECT_EQ(above(p.msi_upgrades[0], lines) - above(p.msi_upgrades[1], lines), truth.upgrades);
      EXPECT_EQ(all(p.write_backs) - above(p.write_backs, lines), truth.write_backs);
      ASSERT_FALSE(HasFailure()) << threads << " threads, " << lines << " lines";
    }
  }
}

TEST(SharingAnalysis, TellsWhoTookWhatFromWhom) {
  SharingAnalysis analysis({LineSize{6}, 1, 0, 0, true});
  const auto write = [&](std::uint32_t thread, std::uint64_t address, std::uint32_t place) {
    const PackedAccess a(Address{address}, 8, AccessKind::write, place);
    analysis.consume(thread, std::span(&a, 1));
  };
  // Two counters in one line, by turns: everything but the first write of each is falsely shared.
  for (int i = 0; i < 10; ++i) {
    write(0, 1024, 7);
    write(1, 1032, 8);
  }
  analysis.flush();
  const std::vector<SharingPair> expected{{7, nowhere, 8, nowhere, {0, 9}}, {8, nowhere, 7, nowhere, {0, 9}}};
  EXPECT_EQ(analysis.events().pairs(), expected);
  const std::vector<SharedLine> lines = analysis.events().worst_lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].address, Address{1024});
  EXPECT_EQ(lines[0].uses, (std::vector<LineUse>{{0, 7, nowhere, true, 0xff}, {1, 8, nowhere, true, 0xff00}}));
}

}  // namespace
}  // namespace cachescape::analyze
