#include "model/predict.hpp"

#include <gtest/gtest.h>

#include "machine/inline_text.hpp"
#include "model/naive_profile.hpp"
#include "model/needs.hpp"

namespace cachescape::model {
namespace {

using machine::Machine;

Machine machine_of(const char* text) {
  auto machine = machine::read_inline(text);
  EXPECT_TRUE(machine.has_value()) << text;
  return *std::move(machine);
}

Prediction predicted(const Profile& profile, const Machine& machine) {
  auto prediction = predict(profile, machine);
  EXPECT_TRUE(prediction.has_value()) << (prediction ? "" : prediction.error().what);
  return *std::move(prediction);
}

const naive::ProfileOptions two_sets{.lines = {LineSize{6}}, .sets = {1, 2}, .ways = 2};

TEST(Predict, WorksOutTheExampleByHand) {
  // a b a c b d d a, D = ∞ ∞ 1 ∞ 2 ∞ 0 3. Two sets: a and c in one, b and d in the other. Set distances: a ∞, b ∞, a 0,
  // c ∞, b 0, d ∞, d 0, a 1.
  const Profile profile = naive::profile_of(naive::accesses_of("abacbdda"), two_sets);
  const Prediction one_way = predicted(profile, machine_of("L1:128,1,64"));
  const Tally direct = one_way.outcome.levels[0].reads;
  EXPECT_EQ(direct.accesses, 8u);
  EXPECT_EQ(direct.misses, 5u);
  EXPECT_EQ(direct.classes, (MissClasses{.cold = 4, .capacity = 1}));
  EXPECT_EQ(one_way.outcome.levels[0].bytes_in.value, 5u * 64);
  EXPECT_EQ(one_way.levels[0].method, Method::exact_set_distance);
  EXPECT_TRUE(one_way.levels[0].exact());
  EXPECT_TRUE(one_way.warnings.empty());
  EXPECT_FALSE(one_way.amat_cycles.has_value());

  const Prediction full = predicted(profile, machine_of("L1:128,full,64"));
  EXPECT_EQ(full.outcome.levels[0].reads.misses, 6u);
  EXPECT_EQ(full.levels[0].method, Method::exact_fully_associative);
  EXPECT_TRUE(full.levels[0].exact());
}

TEST(Predict, TellsWriteBacksAndHowItKnowsThem) {
  // A b a c B d d A, capital letters write. What is written at first comes back at distances 1 and 3, B never does but
  // has two lines after it at the end, the last A none.
  std::vector<Access> accesses = naive::accesses_of("abacbdda");
  for (const std::size_t i : {0u, 4u, 7u}) accesses[i].kind = AccessKind::write;
  naive::ProfileOptions options = two_sets;
  options.write_backs = true;
  const Profile profile = naive::profile_of(accesses, options);
  EXPECT_EQ(profile.stacks[0].write_backs, (std::vector<Bin>{{0, 1}, {2, 1}, {3, 1}}));
  const Prediction full = predicted(profile, machine_of("L1:128,full,64"));
  EXPECT_EQ(full.outcome.levels[0].write_backs, 2u);
  EXPECT_EQ(full.outcome.levels[0].bytes_out.value, 2u * 64);
  EXPECT_EQ(full.levels[0].write_backs, WriteBackMethod::exact);
  EXPECT_EQ(predicted(profile, machine_of("L1:192,full,64")).outcome.levels[0].write_backs, 1u);
  EXPECT_EQ(predicted(profile, machine_of("L1:256,full,64")).outcome.levels[0].write_backs, 0u);

  // Two sets of one way: 1 − (1/2)^2 + 1 − (1/2)^3 = 1.625.
  const Prediction sets = predicted(profile, machine_of("L1:128,1,64"));
  EXPECT_TRUE(sets.levels[0].exact());
  EXPECT_EQ(sets.outcome.levels[0].write_backs, 2u);
  EXPECT_EQ(sets.levels[0].write_backs, WriteBackMethod::modelled);
  EXPECT_EQ(sets.levels[0].write_back_note, "chance decides which lines share a set");

  const Prediction through = predicted(profile, machine_of("L1:128,full,64,through"));
  EXPECT_EQ(through.levels[0].write_backs, WriteBackMethod::unknown);
  EXPECT_EQ(through.levels[0].write_back_note,
            "it writes through, and a profile does not tell the bytes of each write");
  const Prediction exclusive = predicted(profile, machine_of("L1:128,full,64 L2:128,full,64,exclusive"));
  EXPECT_EQ(exclusive.levels[0].write_back_note,
            "L2 is exclusive: clean lines that move there are not counted as bytes out");
  EXPECT_EQ(exclusive.levels[1].write_back_note, "the misses are not exact");

  const Prediction without = predicted(naive::profile_of(accesses, two_sets), machine_of("L1:128,full,64"));
  EXPECT_EQ(without.outcome.levels[0].write_backs, 0u);
  EXPECT_EQ(without.levels[0].write_backs, WriteBackMethod::unknown);
  EXPECT_EQ(without.levels[0].write_back_note,
            "the profile does not hold them at 64-byte lines (record with --write-backs 64)");
}

TEST(Predict, ScalesWriteBacksOfASample) {
  std::vector<Access> accesses = naive::accesses_of("abab");
  for (Access& a : accesses) a.kind = AccessKind::write;
  Profile profile = naive::profile_of(accesses, {.lines = {LineSize{6}}, .write_backs = true});
  profile.sampling = {.method = Sampling::Method::shards_rate, .rate = 0.25, .analysed = 4};
  profile.threads[0].accesses = {0, 16, 0};
  const Prediction p = predicted(profile, machine_of("L1:64,full,64"));
  // a b a b: three of four are written back by one line.
  EXPECT_EQ(p.outcome.levels[0].write_backs, 12u);
  EXPECT_EQ(p.levels[0].write_backs, WriteBackMethod::modelled);
}

TEST(Predict, CountsConflictsWhereSetsCostMisses) {
  // a and c share a set of one way: D = ∞ ∞ 1 1.
  const Profile profile = naive::profile_of(naive::accesses_of("acac"), two_sets);
  const Prediction p = predicted(profile, machine_of("L1:128,1,64"));
  EXPECT_EQ(p.outcome.levels[0].reads.classes, (MissClasses{.cold = 2, .conflict = 2}));
}

TEST(Predict, SubtractsLevelsFromEachOther) {
  const Profile profile = naive::profile_of(naive::accesses_of("abacbdda"), two_sets);
  Machine machine = machine_of("L1:64,1,64 L2:192,full,64 L3:256,full,64");
  machine.levels[0].latency = 4;
  machine.levels[1].latency = 12;
  machine.levels[2].latency = 40;
  EXPECT_FALSE(predicted(profile, machine).amat_cycles.has_value());
  machine.memory_latency = 200;
  const Prediction p = predicted(profile, machine);
  EXPECT_EQ(p.outcome.levels[0].total().misses, 7u);
  EXPECT_EQ(p.outcome.levels[1].total().accesses, 7u);
  EXPECT_EQ(p.outcome.levels[1].total().misses, 5u);
  EXPECT_EQ(p.outcome.levels[2].total().accesses, 5u);
  EXPECT_EQ(p.outcome.levels[2].total().misses, 4u);
  EXPECT_TRUE(p.levels[0].exact());
  EXPECT_EQ(p.levels[1].why_not_exact,
            std::vector<std::string>{"it is judged by all touches, not by those that miss nearer to the core"});
  ASSERT_TRUE(p.amat_cycles.has_value());
  EXPECT_DOUBLE_EQ(*p.amat_cycles, (1 * 4 + 2 * 12 + 1 * 40 + 4 * 200) / 8.0);
}

TEST(Predict, LeavesOutMissesThatNobodyAskedFor) {
  // Distances all 2, which three lines hold and one does not.
  const Profile profile = naive::profile_of(naive::accesses_of("abcabc"), two_sets);
  const Prediction p = predicted(profile, machine_of("L1:192,full,64 L2:64,1,64"));
  EXPECT_EQ(p.outcome.levels[0].total().misses, 3u);
  EXPECT_EQ(p.outcome.levels[1].total().accesses, 3u);
  EXPECT_EQ(p.outcome.levels[1].total().misses, 3u);
  EXPECT_EQ(p.outcome.levels[1].total().classes.total(), 3u);
  EXPECT_EQ(p.warnings,
            std::vector<std::string>{"L2 alone would miss 3 times more than L1 asks it; the surplus is left out"});
}

TEST(Predict, JudgesAnExclusiveLevelWithTheLinesNearer) {
  const Profile profile = naive::profile_of(naive::accesses_of("abcdabcd"), two_sets);
  EXPECT_EQ(predicted(profile, machine_of("L1:128,full,64 L2:128,full,64")).outcome.levels[1].total().misses, 8u);
  const Prediction p = predicted(profile, machine_of("L1:128,full,64 L2:128,full,64,exclusive"));
  EXPECT_EQ(p.outcome.levels[1].total().misses, 4u);
  EXPECT_FALSE(p.levels[1].exact());
}

TEST(Predict, FallsBackToTheSdcmAndSaysWhy) {
  const Profile profile = naive::profile_of(naive::accesses_of("abacbdda"), two_sets);
  const Prediction sets = predicted(profile, machine_of("L1:768,4,64"));  // three sets
  EXPECT_EQ(sets.levels[0].method, Method::sdcm);
  EXPECT_EQ(sets.levels[0].why_not_exact,
            std::vector<std::string>{"the profile has no set distances for 3 sets (record with --sets 3)"});
  EXPECT_EQ(sets.outcome.levels[0].total().misses, 4u);  // all finite distances are below 4 ways
  const Prediction ways = predicted(profile, machine_of("L1:512,4,64"));
  EXPECT_EQ(ways.levels[0].why_not_exact, std::vector<std::string>{"the profile's set distances reach 2 ways, not 4"});
}

TEST(Predict, SaysWhereALineSizeHasNoSetDistances) {
  const Profile profile = naive::profile_of(naive::accesses_of("abacbdda"), {});
  EXPECT_EQ(predicted(profile, machine_of("L1:256,2,64")).levels[0].why_not_exact,
            std::vector<std::string>{"the profile has no set distances at this line size"});
}

TEST(Predict, TakesOtherPoliciesForLruAndWarns) {
  const Profile profile = naive::profile_of(naive::accesses_of("abacbdda"), two_sets);
  const Prediction lru = predicted(profile, machine_of("L1:256,2,64"));
  const Prediction fifo = predicted(profile, machine_of("L1:256,2,64,fifo"));
  EXPECT_EQ(lru.outcome, fifo.outcome);
  EXPECT_EQ(fifo.warnings, std::vector<std::string>{"L1 replaces by fifo; it is predicted as LRU"});
  EXPECT_FALSE(fifo.levels[0].exact());
  // A tree over two ways is LRU.
  EXPECT_TRUE(predicted(profile, machine_of("L1:256,2,64,plru")).levels[0].exact());
  EXPECT_FALSE(predicted(profile, machine_of("L1:256,2,64,no-allocate")).levels[0].exact());
}

TEST(Predict, NamesTheLineSizesThatThereAre) {
  const Profile profile = naive::profile_of(naive::accesses_of("ab"), {.lines = {LineSize{5}, LineSize{6}}});
  const auto p = predict(profile, machine_of("L1:128,1,64 L2:1K,2,128"));
  ASSERT_FALSE(p.has_value());
  EXPECT_EQ(p.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(
      p.error().what,
      "L2 has 128-byte lines, for which the profile has no stack distances; it has those of 32 and 64-byte lines");
  EXPECT_EQ(p.error().hint, "record the program again with --lines 32,64,128");
  const auto several = predict(profile, machine_of("L1:128,1,128 L2:1K,2,64 L3:4K,2,512"));
  ASSERT_FALSE(several.has_value());
  EXPECT_EQ(several.error().hint, "record the program again with --lines 32,64,128,512");
  const auto nothing = predict(Profile{}, machine_of("L1:128,1,64"));
  ASSERT_FALSE(nothing.has_value());
  EXPECT_EQ(nothing.error().what,
            "L1 has 64-byte lines, for which the profile has no stack distances; it has none at all");
}

// PPT-SASMM, Table 2, in the notes' order of time: core 1 a · b a e · · d a b, core 2 · c · · · d b · · ·.
Profile two_threads(bool by_thread) {
  std::vector<Access> accesses = naive::accesses_of("acbaedbdab");
  for (const std::size_t second : {1u, 5u, 6u}) accesses[second].thread = ThreadId{1};
  return naive::profile_of(accesses, {.lines = {LineSize{6}}, .sets = {}, .ways = 1, .by_thread = by_thread});
}

TEST(Predict, GivesPrivateLevelsEachThreadsOwnDistances) {
  // Core 1 alone: a b a e d a b: ∞ ∞ 1 ∞ ∞ 2 3; core 2 alone: c d b, all cold. Together: ∞ ∞ ∞ 2 ∞ ∞ 3 1 3 2.
  const Prediction p = predicted(two_threads(true), machine_of("L1:192,full,64 L2:256,full,64,shared=all"));
  EXPECT_EQ(p.outcome.threads, 2u);
  EXPECT_EQ(p.outcome.cores, 2u);
  EXPECT_EQ(p.outcome.levels[0].instances, 2u);
  EXPECT_EQ(p.outcome.levels[0].total().accesses, 10u);
  EXPECT_EQ(p.outcome.levels[0].total().misses, 8u);
  EXPECT_EQ(p.outcome.levels[0].total().classes, (MissClasses{.cold = 7, .capacity = 1}));
  EXPECT_EQ(p.outcome.levels[1].instances, 1u);
  EXPECT_EQ(p.outcome.levels[1].total().misses, 5u);
  EXPECT_FALSE(p.levels[0].exact());
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_TRUE(p.warnings[0].starts_with("coherence is not modelled"));
}

TEST(Predict, JudgesThreadsTogetherWhereTheyWereNotKeptApart) {
  const Prediction p = predicted(two_threads(false), machine_of("L1:128,full,64"));
  // One cache of 2 × 2 lines over the shared stream.
  EXPECT_EQ(p.outcome.levels[0].total().misses, 5u);
  ASSERT_EQ(p.warnings.size(), 2u);
  EXPECT_TRUE(p.warnings[0].starts_with("L1: the profile has no distances by thread at 64-byte lines"));
}

TEST(Predict, StretchesDistancesWhereSomeThreadsShare) {
  std::vector<Access> accesses;
  for (int round = 0; round < 4; ++round) {
    for (std::uint32_t t = 0; t < 4; ++t) {
      accesses.push_back({Address{(t * 16 + static_cast<std::uint64_t>(round % 2)) * 64}, 1, AccessKind::read,
                          ThreadId{t}, SiteId{0}});
    }
  }
  // Each thread alternates between two lines: D = 1 alone, 3 with its neighbour.
  const Profile profile = naive::profile_of(accesses, {.lines = {LineSize{6}}, .by_thread = true});
  EXPECT_EQ(predicted(profile, machine_of("L1:192,full,64,shared=2")).outcome.levels[0].total().misses, 8u);
  EXPECT_EQ(predicted(profile, machine_of("L1:128,full,64,shared=2")).outcome.levels[0].total().misses, 16u);
  EXPECT_EQ(predicted(profile, machine_of("L1:128,full,64")).outcome.levels[0].total().misses, 8u);
}

TEST(Predict, ReportsLossesAndSampling) {
  Profile profile = naive::profile_of(naive::accesses_of("abacbdda"), two_sets);
  profile.losses = {3, 2, true};
  profile.sampling = {.method = Sampling::Method::shards_rate, .rate = 0.5, .analysed = 8};
  profile.threads[0].accesses = {16, 0, 0};
  const Prediction p = predicted(profile, machine_of("L1:128,1,64"));
  EXPECT_EQ(p.warnings, (std::vector<std::string>{"3 accesses are missing from the recording, or too long and cut",
                                                  "2 malformed records were passed over",
                                                  "the recording did not end in order: its end is missing",
                                                  "the profile is a sample (50 % analysed): counts are estimates"}));
  EXPECT_EQ(p.levels[0].method, Method::sdcm);
  EXPECT_EQ(p.outcome.levels[0].total().accesses, 16u);
  // Hits of the sampled touches: D = 0, 1, 2, 3 in two lines of one way: 1 + 1/2 + 1/4 + 1/8; twice the rest misses.
  EXPECT_EQ(p.outcome.levels[0].total().misses, 12u);
  ASSERT_TRUE(p.levels[0].confidence.has_value());
  EXPECT_LT(p.levels[0].confidence->low, 12u);
  EXPECT_GT(p.levels[0].confidence->high, 12u);
  EXPECT_LE(p.levels[0].confidence->high, 16u);
}

TEST(Needed, FollowsWhoSharesWhat) {
  const Machine machine = machine_of("L1:32K,8,64 L2:1M,8,128 L3:8M,16,64,shared=all");
  using Kind = Scope::Kind;
  EXPECT_EQ(needed(machine, 1), (std::vector<Need>{{Kind::everything, LineSize{6}}, {Kind::everything, LineSize{7}}}));
  EXPECT_EQ(
      needed(machine, 4),
      (std::vector<Need>{{Kind::everything, LineSize{6}}, {Kind::thread, LineSize{6}}, {Kind::thread, LineSize{7}}}));
  Machine one_core = machine;
  one_core.cores = 1;
  EXPECT_EQ(needed(one_core, 4), needed(machine, 1));
}

TEST(Predict, OfAnEmptyProgramIsZero) {
  const Profile profile = naive::profile_of({}, {});
  const Prediction p = predicted(profile, machine_of("L1:32K,8,64 L2:1M,16,64"));
  EXPECT_EQ(p.outcome.levels[1].total(), Tally{});
}

}  // namespace
}  // namespace cachescape::model
