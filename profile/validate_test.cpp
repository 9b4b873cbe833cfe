// True profiles have no problems; each kind of lie is found and named.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "profile/arbitrary.hpp"
#include "profile/example.hpp"
#include "profile/validate.hpp"

namespace cachescape::profile {
namespace {

using Sentences = std::vector<std::string>;

RC_GTEST_PROP(Validate, FindsNothingInTrueProfiles, ()) {
  NaivePlan plan;
  plan.lines = {LineSize{0}, LineSize{3}, LineSize{6}};
  plan.sets = {1, 2, 3, 4, 6, 8, 12};
  plan.ways = *rc::gen::inRange<std::uint32_t>(0, 6);
  const Profile profile = naive_profile(some_accesses(3), plan);
  const Sentences found = validate(profile);
  for (const std::string& sentence : found) RC_LOG() << sentence << "\n";
  RC_ASSERT(found.empty());
}

template <class Change>
Sentences problems_of(Change change) {
  Profile profile = example_profile();
  change(profile);
  return validate(profile);
}

TEST(Validate, TheExampleIsTrue) { EXPECT_EQ(validate(example_profile()), Sentences{}); }

TEST(Validate, FindsWrongTotals) {
  EXPECT_EQ(problems_of([](Profile& p) { p.stacks[1].footprint_lines = 64; }),
            (Sentences{"everything, 64-byte lines: there are 65 first touches, but the footprint has 64 lines",
                       "everything, 64-byte lines: popularity counts 65 lines, but the footprint has 64",
                       "everything, 64-byte lines: the footprint of 64 lines cannot hold the 129 with 32-byte lines"}));
  EXPECT_EQ(problems_of([](Profile& p) { p.threads[1].accesses[2] = 33; }),
            (Sentences{"everything, 32-byte lines: 32 modify touches are fewer than 33 accesses",
                       "everything, 64-byte lines: 32 modify touches are fewer than 33 accesses",
                       "thread 1, 32-byte lines: 32 modify touches are fewer than 33 accesses",
                       "thread 1, 64-byte lines: 32 modify touches are fewer than 33 accesses"}));
  EXPECT_EQ(problems_of([](Profile& p) { p.sampling.analysed = 801; }),
            Sentences{"801 accesses were analysed, but there were only 800"});
  EXPECT_EQ(problems_of([](Profile& p) { p.sampling.rate = 0.5; }),
            Sentences{"nothing was sampled, but the rate is 0.5, not 1"});
}

TEST(Validate, FindsDistancesThatCannotBe) {
  EXPECT_EQ(problems_of([](Profile& p) { p.stacks[5].kinds[0].bins.back().value = 9; }),
            Sentences{"thread 1, 64-byte lines: there is a distance of 9, but the footprint has only 9 lines"});
}

TEST(Validate, FindsPopularityThatDoesNotAddUp) {
  EXPECT_EQ(problems_of([](Profile& p) { p.stacks[0].popularity.back().value += 1; }),
            Sentences{"everything, 32-byte lines: popularity does not come to the 800 touches"});
}

TEST(Validate, FindsWriteBacksThatCannotBe) {
  EXPECT_EQ(problems_of([](Profile& p) { ++p.stacks[1].write_backs->front().count; }),
            Sentences{"everything, 64-byte lines: write-backs are told for 289 touches, but 288 write"});
  EXPECT_EQ(
      problems_of([](Profile& p) { p.stacks[1].write_backs->back().value = 65; }),
      Sentences{"everything, 64-byte lines: a cache of 65 lines is said to write back, but the footprint has only "
                "65 lines"});
}

TEST(Validate, FindsTouchesThatNoAccessMakes) {
  const auto found = problems_of([](Profile& p) {
    p.stacks.resize(1);
    p.sets.clear();
    p.stacks[0].popularity.clear();
    p.stacks[0].kinds[0].bins[0].count += 2000;
  });
  EXPECT_EQ(found,
            Sentences{"everything, 32-byte lines: 2800 touches are more than 800 accesses to 6400 bytes can make"});
}

TEST(Validate, FindsThreadsThatDoNotAddUp) {
  EXPECT_EQ(problems_of([](Profile& p) {
              p.sets.clear();
              p.stacks[5].popularity.clear();
              p.stacks[4].popularity.clear();
              p.stacks[5].write_backs.reset();
              ++p.stacks[5].kinds[2].bins.back().count;
              ++p.stacks[4].kinds[2].bins.back().count;
            }),
            (Sentences{"everything, 32-byte lines: there are 32 modify touches, but 33 of single threads",
                       "everything, 64-byte lines: there are 32 modify touches, but 33 of single threads"}));
  EXPECT_EQ(problems_of([](Profile& p) {
              p.threads.pop_back();
              p.sampling.analysed = 0;
              p.stacks.erase(p.stacks.begin(), p.stacks.begin() + 4);
              p.stacks.pop_back();
              p.sets.clear();
              p.places = {};
            }),
            Sentences{"there are stack distances of thread 1, which made no access"});
}

TEST(Validate, FindsSetDistancesThatCannotBe) {
  EXPECT_EQ(problems_of([](Profile& p) { ++p.sets[1].touches[1]; }),
            Sentences{"everything, 64-byte lines: set distances count 257 write touches, stack distances 256"});
  EXPECT_EQ(
      problems_of([](Profile& p) {
        --p.sets[1].counts[0].hits[0][2];
        ++p.sets[1].counts[0].hits[0][3];
      }),
      Sentences{
          "everything, 64-byte lines, 1 sets: 335 read touches have distance 2, but 336 have that stack distance"});
  EXPECT_EQ(problems_of([](Profile& p) { p.sets[1].counts[3].hits[0] = {1, 0, 0, 0}; }),
            Sentences{"everything, 64-byte lines, 8 sets: 1 read hits with 1 ways are fewer than the 104 with 4 sets"});
  EXPECT_EQ(
      problems_of([](Profile& p) { p.sets[1].counts[3].hits[2][3] += 2; }),
      Sentences{"everything, 64-byte lines, 8 sets: 32 modify hits are more than 31 touches that are not first ones"});
  EXPECT_EQ(problems_of([](Profile& p) { p.sets[1].counts[3].hits[2][3] += 3; }),
            Sentences{"everything, 64-byte lines, 8 sets: 33 modify hits are more than 32 touches"});
}

TEST(Validate, LooksNoFurtherWhereFormIsBroken) {
  EXPECT_EQ(problems_of([](Profile& p) {
              p.sampling.rate = 2;
              p.threads.clear();
            }),
            Sentences{"the sampling rate is 2: it must be above 0 and at most 1"});
}

TEST(Validate, LeavesSampledCountsAlone) {
  EXPECT_EQ(problems_of([](Profile& p) {
              p.sampling.method = Sampling::Method::shards_rate;
              p.sampling.rate = 0.1;
              p.stacks[0].footprint_lines = 3;
            }),
            Sentences{});
}

}  // namespace
}  // namespace cachescape::profile
