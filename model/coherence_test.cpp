// The simulator judges predictions for machines whose caches take lines from each other.
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cachescape/analyzer.hpp"
#include "model/predict.hpp"
#include "simulate/simulator.hpp"

namespace cachescape::model {
namespace {

struct Recording {
  AccessBatch batch{20'000};
  Profile profile;

  void finish() {
    AnalysisOptions options;
    options.lines = {LineSize{6}};
    options.set_lines = {LineSize{6}};
    options.max_log2_sets = 10;
    options.ways = 16;
    auto analyzer = Analyzer::create(options);
    analyzer->consume(batch);
    profile = analyzer->profile();
  }
  HierarchyOutcome simulated(const machine::Machine& machine) const {
    simulate::Simulator simulator(machine);
    simulator.consume(batch);
    return simulator.outcome();
  }
};

/// Threads that work on data of their own, read what all share, and hand items on to each other.
void fill(Recording& run, std::uint32_t threads, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (run.batch.size() + 64 < run.batch.capacity()) {
    const auto thread = static_cast<std::uint32_t>(random() % threads);
    const auto push = [&](std::uint64_t address, AccessKind kind) {
      run.batch.push({Address{address}, 8, kind, ThreadId{thread}, SiteId{}});
    };
    const std::uint64_t own = (std::uint64_t{thread} + 1) << 20;
    switch (random() % 4) {
      case 0:
        for (int i = 0; i < 16; ++i) push(own + (random() % 4096) * 8, AccessKind::read);
        break;
      case 1:
        for (int i = 0; i < 16; ++i) push(own + (random() % 512) * 8, AccessKind::modify);
        break;
      case 2:
        for (int i = 0; i < 16; ++i) push((random() % 1024) * 8, AccessKind::read);
        break;
      default:
        // A word of its own in lines that all use.
        push(65536 + (random() % 32) * 64 + thread * 8, AccessKind::write);
        push(131072 + (random() % 16) * 64, random() % 2 == 0 ? AccessKind::write : AccessKind::read);
    }
  }
  run.finish();
}

machine::Level level(const char* name, std::uint64_t sets, std::uint64_t ways, std::uint32_t shared_by) {
  machine::Level l;
  l.name = name;
  l.sets = sets;
  l.ways = ways;
  l.shared_by = shared_by;
  return l;
}

TEST(CoherentPrediction, OneLevelIsExactAtEveryDegreeOfSharing) {
  Recording run;
  fill(run, 16, 1);
  for (const std::uint32_t degree : {1, 2, 4, 8}) {
    for (const auto& [sets, ways] : {std::pair{1, 16}, {1, 300}, {16, 4}, {64, 8}, {256, 2}}) {
      machine::Machine machine;
      machine.levels = {level("L1", static_cast<std::uint64_t>(sets), static_cast<std::uint64_t>(ways), degree)};
      const LevelOutcome truth = run.simulated(machine).levels[0];
      const auto prediction = predict(run.profile, machine);
      ASSERT_TRUE(prediction.has_value());
      const LevelOutcome& got = prediction->outcome.levels[0];
      SCOPED_TRACE(fmt::format("{} threads per cache, {} sets, {} ways", degree, sets, ways));
      EXPECT_TRUE(prediction->levels[0].exact());
      EXPECT_TRUE(prediction->levels[0].coherent);
      EXPECT_TRUE(prediction->warnings.empty());
      for (const auto& [g, t] : {std::pair{got.reads, truth.reads}, {got.writes, truth.writes}}) {
        EXPECT_EQ(g.accesses, t.accesses);
        EXPECT_EQ(g.misses, t.misses);
        EXPECT_EQ(g.classes.cold, t.classes.cold);
        EXPECT_EQ(g.classes.true_sharing, t.classes.true_sharing);
        EXPECT_EQ(g.classes.false_sharing, t.classes.false_sharing);
      }
      EXPECT_GT(got.total().classes.false_sharing, 0u);
      if (sets > 1) continue;
      EXPECT_EQ(got.reads.classes, truth.reads.classes);
      EXPECT_EQ(got.remote_hits, truth.remote_hits);
      EXPECT_EQ(got.invalidations, truth.invalidations);
      EXPECT_EQ(got.write_backs, truth.write_backs);
      EXPECT_EQ(got.instances, truth.instances);
    }
  }
}

TEST(CoherentPrediction, ThreadsThatOutnumberTheCoresAreJudgedAsIfEachHadItsOwn) {
  Recording run;
  fill(run, 9, 1);
  machine::Machine machine;
  machine.levels = {level("L1", 64, 8, 1), level("L2", 256, 8, 2)};
  const auto own = predict(run.profile, machine);
  machine.cores = 8;
  const auto shared = predict(run.profile, machine);
  ASSERT_TRUE(own.has_value() && shared.has_value());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(shared->outcome.levels[i].total().misses, own->outcome.levels[i].total().misses);
    EXPECT_EQ(shared->outcome.levels[i].total().classes.false_sharing,
              own->outcome.levels[i].total().classes.false_sharing);
    EXPECT_TRUE(shared->levels[i].coherent);
    EXPECT_FALSE(shared->levels[i].exact());
  }
  ASSERT_FALSE(shared->warnings.empty());
  EXPECT_EQ(shared->warnings[0], "L1: 9 threads are more than 8 cores: each is judged as if it had its own");
}

// The first thread writes while it is alone, and coherence is not followed yet.
TEST(CoherentPrediction, WriteBacksThatWereNotFollowedAreUnknown) {
  AccessBatch batch{2'000};
  const auto write = [&](std::uint64_t address, std::uint32_t thread) {
    batch.push({Address{address}, 8, AccessKind::write, ThreadId{thread}, SiteId{}});
  };
  for (std::uint64_t line = 0; line < 1'000; ++line) write(line * 128, 0);
  for (std::uint64_t line = 0; line < 8; ++line) write(line * 128, 1);
  for (const bool followed : {true, false}) {
    AnalysisOptions options;
    options.lines = {LineSize{6}, LineSize{7}};
    options.set_lines = {LineSize{7}};
    if (followed) options.write_back_lines = options.lines;
    auto analyzer = Analyzer::create(options);
    analyzer->consume(batch);
    machine::Machine machine;
    machine.levels = {level("L1", 1, 16, 1)};
    machine.levels[0].line = LineSize{7};
    simulate::Simulator simulator(machine);
    simulator.consume(batch);
    const auto prediction = predict(analyzer->profile(), machine);
    ASSERT_TRUE(prediction.has_value());
    ASSERT_TRUE(prediction->levels[0].coherent);
    const LevelPrediction& how = prediction->levels[0];
    EXPECT_EQ(how.write_backs, followed ? WriteBackMethod::exact : WriteBackMethod::unknown);
    EXPECT_EQ(prediction->outcome.levels[0].write_backs, followed ? simulator.outcome().levels[0].write_backs : 0);
    EXPECT_EQ(how.write_back_note,
              followed ? "" : "the profile does not hold them at 128-byte lines (record with --write-backs 128)");
  }
}

// Which lines outer levels evict depends on what they see, as without coherence; what writes take from them hardly
// does.
TEST(CoherentPrediction, InHierarchiesItComesWithinAHundredthOfTheAccesses) {
  for (const std::uint32_t threads : {2u, 4u, 16u}) {
    Recording run;
    fill(run, threads, threads);
    for (const std::uint32_t degree : {2u, 4u, 8u, machine::shared_by_all}) {
      // Each level has four times the lines of what is nearer to the cores.
      const std::uint64_t together = degree == machine::shared_by_all ? threads : degree;
      machine::Machine machine;
      machine.levels = {level("L1", 16, 4, 1), level("L2", 32 * together, 8, degree),
                        level("L3", 64 * threads, 16, machine::shared_by_all)};
      const HierarchyOutcome truth = run.simulated(machine);
      const auto prediction = predict(run.profile, machine);
      ASSERT_TRUE(prediction.has_value());
      for (std::size_t i = 0; i < 3; ++i) {
        const MissClasses t = truth.levels[i].total().classes;
        const MissClasses g = prediction->outcome.levels[i].total().classes;
        SCOPED_TRACE(fmt::format("{} threads, {} per L2, level {}", threads, degree, i + 1));
        const auto tolerance = static_cast<double>(truth.accesses) / 100;
        const auto near = [&](std::uint64_t a, std::uint64_t b) {
          EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b), tolerance);
        };
        near(g.cold, t.cold);
        near(g.true_sharing, t.true_sharing);
        near(g.false_sharing, t.false_sharing);
        if (i == 0) {
          EXPECT_EQ(g.coherence(), t.coherence());
        }
      }
    }
  }
}

/// Byfl's rule by its words: a private stack for each thread and a shared one that knows who touched each line last.
std::uint64_t hits_by_touches(const AccessBatch& batch, std::uint32_t threads, std::uint64_t lines) {
  std::vector<std::vector<std::uint64_t>> own(threads);
  std::vector<std::uint64_t> shared;
  std::map<std::uint64_t, std::uint32_t> last;
  // Moves the line to the top; where it was, or far away.
  const auto touch = [](std::vector<std::uint64_t>& stack, std::uint64_t line) {
    const auto at = std::ranges::find(stack, line);
    const auto depth = at == stack.end() ? std::uint64_t{1} << 40 : static_cast<std::uint64_t>(at - stack.begin());
    if (at != stack.end()) stack.erase(at);
    stack.insert(stack.begin(), line);
    return depth;
  };
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::uint64_t line = batch.addresses()[i].value / 64;
    const std::uint32_t thread = batch.threads()[i].value;
    const std::uint64_t in_own = touch(own[thread], line);
    const std::uint64_t in_shared = touch(shared, line);
    const auto [who, is_new] = last.try_emplace(line, thread);
    hits += who->second == thread ? in_own < lines : in_shared < lines * threads;
    who->second = thread;
  }
  return hits;
}

TEST(CoherentPrediction, TouchesTakeLinesAwayAsByflSays) {
  constexpr std::uint32_t threads = 4;
  Recording recording;
  fill(recording, threads, 8);
  for (const std::uint64_t lines : {4, 16, 64, 200}) {
    machine::Machine machine;
    machine.levels = {level("L1", 1, lines, 1)};
    const auto prediction = predict(recording.profile, machine, {true, Detail::touches});
    ASSERT_TRUE(prediction.has_value());
    EXPECT_TRUE(prediction->warnings.empty());
    EXPECT_EQ(prediction->outcome.levels[0].total().classes.conflict, 0u);
    EXPECT_EQ(prediction->outcome.levels[0].total().hits(), hits_by_touches(recording.batch, threads, lines));
  }
}

TEST(CoherentPrediction, LessDetailLeavesItOutAndSaysSo) {
  Recording run;
  fill(run, 4, 3);
  machine::Machine machine;
  machine.levels = {level("L1", 16, 4, 1)};
  const auto sets = predict(run.profile, machine, {true, Detail::sets});
  ASSERT_TRUE(sets.has_value());
  EXPECT_EQ(sets->outcome.levels[0].total().classes.coherence(), 0u);
  EXPECT_FALSE(sets->levels[0].exact());
  ASSERT_EQ(sets->warnings.size(), 1u);
  const auto stack = predict(run.profile, machine, {true, Detail::stack});
  ASSERT_TRUE(stack.has_value());
  EXPECT_EQ(stack->outcome.levels[0].total().classes.conflict, 0u);
  EXPECT_NE(stack->outcome.levels[0].total().misses, sets->outcome.levels[0].total().misses);
}

}  // namespace
}  // namespace cachescape::model
