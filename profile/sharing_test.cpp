// Sharing in files: form, agreement with the program, merging.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "profile/arbitrary.hpp"
#include "profile/form.hpp"
#include "profile/merge.hpp"
#include "profile/reader.hpp"
#include "profile/scratch.hpp"
#include "profile/sharing_example.hpp"
#include "profile/validate.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {
namespace {

std::uint64_t lost(const CoherentProfile& p, SharingKind sharing) {
  std::uint64_t n = 0;
  for (const CoherentCounts& c : p.kinds) n += count_of(c.lost[static_cast<std::size_t>(sharing)]);
  return n;
}

/// By hand: each counter is taken by the other thread before each increment but the first, and the flag before each
/// reading but the first.
TEST(NaiveSharing, TellsTrueFromFalse) {
  const Profile example = sharing_example();
  ASSERT_EQ(example.sharing.degrees.size(), 1u);
  const CoherentProfile& p = example.sharing.degrees[0];
  EXPECT_EQ(p.caches, 2u);
  EXPECT_EQ(lost(p, SharingKind::false_sharing), 38u);
  EXPECT_EQ(lost(p, SharingKind::true_sharing), 3u);
  EXPECT_EQ(p.kinds[0].kept.cold + p.kinds[1].kept.cold + p.kinds[2].kept.cold, 12u);
  // Each increment finds the other's line changed, and so does each reading of the flag.
  EXPECT_EQ(count_of(p.remote), 39u + 4u);
  // Once more than it is missed: nobody comes back for the counter that was taken last.
  EXPECT_EQ(count_of(p.taken), 38u + 3u + 1u);
  // The flag is set again while the other thread has it.
  EXPECT_EQ(count_of(p.upgrades), 3u);
}

TEST(Sharing, ReadsFilesOfVersion3) {
  const auto back = read_profile(CACHESCAPE_SOURCE_DIR "/tests/compat/version-3-sharing.cscape");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, sharing_example());
}

template <class Change>
std::string complaint(Change change) {
  Profile profile = sharing_example();
  change(profile.sharing);
  const auto form = check_form(profile);
  return form ? std::string("fine") : form.error().what;
}

TEST(SharingForm, NamesWhatIsWrong) {
  EXPECT_EQ(complaint([](Sharing&) {}), "fine");
  EXPECT_EQ(complaint([](Sharing& s) { s.degrees[0].degree = 0; }), "sharing: caches that serve no thread");
  EXPECT_EQ(complaint([](Sharing& s) { s.degrees[0].line = LineSize{31}; }),
            "sharing: the line size 2^31 is larger than 2^30");
  EXPECT_EQ(complaint([](Sharing& s) { s.degrees.push_back(s.degrees[0]); }),
            "sharing by 1 thread, 64-byte lines must come before sharing by 1 thread, 64-byte lines, and only once");
  EXPECT_EQ(complaint([](Sharing& s) { s.degrees[0].kinds[0].kept.bins[0].count = 0; }),
            "sharing by 1 thread, 64-byte lines, read, kept: the count of value 4 is 0");
  EXPECT_EQ(
      complaint([](Sharing& s) { s.degrees[0].remote[0].value = std::uint64_t{1} << 63; }),
      "sharing by 1 thread, 64-byte lines, remote: a value is 9223372036854775808: at most 9223372036854775807 can "
      "be kept");
  EXPECT_EQ(complaint([](Sharing& s) { s.degrees[0].sets[1].lost[2][0].pop_back(); }),
            "sharing by 1 thread, 64-byte lines, 2 sets: there are 3 counts of truly shared lines, modify, not 4, one "
            "per way");
  EXPECT_EQ(complaint([](Sharing& s) { s.degrees[0].sets[1].sets = 1; }),
            "sharing by 1 thread, 64-byte lines: 1 sets follow 1: the numbers of sets must ascend");
  EXPECT_EQ(complaint([](Sharing& s) { s.degrees[0].sets[0].kept[0][0] = max_integer; }),
            "sharing by 1 thread, 64-byte lines, 1 sets: the sum of counts is more than 9223372036854775807");
  EXPECT_EQ(complaint([](Sharing& s) { s.pairs[0].site = 4; }), "a pair of sharing: there is no site 5");
  EXPECT_EQ(complaint([](Sharing& s) { s.pairs[1].writer_object = 2; }), "a pair of sharing: there is no object 3");
  EXPECT_EQ(complaint([](Sharing& s) { std::swap(s.pairs[0], s.pairs[1]); }), "pairs of sharing do not ascend");
  EXPECT_EQ(complaint([](Sharing& s) { s.lines[1].uses[0].object = 7; }), "a shared line: there is no object 8");
  EXPECT_EQ(complaint([](Sharing& s) { s.lines[0].uses[0].bytes = ~std::uint64_t{0}; }), "fine");
}

template <class Change>
std::vector<std::string> problems_of(Change change) {
  Profile profile = sharing_example();
  change(profile.sharing);
  return validate(profile);
}

using Problems = std::vector<std::string>;

TEST(ValidateSharing, AgreesWithTheProgram) {
  EXPECT_EQ(problems_of([](Sharing&) {}), Problems{});
  EXPECT_EQ(problems_of([](Sharing& s) { s.degrees[0].kinds[1].kept.cold += 1; }),
            (Problems{"sharing by 1 thread, 64-byte lines: 5 write touches are more than the 4 of the program"}));
  EXPECT_EQ(problems_of([](Sharing& s) { s.degrees[0].caches = 1; }),
            (Problems{"sharing by 1 thread, 64-byte lines: 1 caches make more first touches than the 10 lines of the "
                      "footprint allow"}));
  EXPECT_EQ(problems_of([](Sharing& s) { s.degrees[0].upgrades = {{0, 45}}; }),
            (Problems{"sharing by 1 thread, 64-byte lines: 45 upgrades are more than 44 touches that write"}));
  EXPECT_EQ(
      problems_of([](Sharing& s) { s.degrees[0].remote = {{0, 89}}; }),
      (Problems{"sharing by 1 thread, 64-byte lines: 89 touches find the line in another cache, but there are only "
                "88"}));
  EXPECT_EQ(
      problems_of([](Sharing& s) { s.degrees[0].msi_upgrades = {{{{1, 2}}, {{1, 1}, {4, 2}}}}; }),
      (Problems{"sharing by 1 thread, 64-byte lines: caches of more than 4 lines are spared more MSI upgrades than "
                "they had to make"}));
  EXPECT_EQ(problems_of([](Sharing& s) { s.degrees[0].sets[0].lost[2][1][0] -= 1; }).size(), 1u);
  EXPECT_EQ(problems_of([](Sharing& s) { s.degrees[0].sets[3].lost[2][1][3] += 38; }),
            (Problems{"sharing by 1 thread, 64-byte lines, 8 sets: 76 modify touches lose theirs to false sharing, but "
                      "only 38 do in any cache"}));
  EXPECT_EQ(problems_of([](Sharing& s) { s.pairs[1].misses[0] = 4; }),
            (Problems{"all pairs of sharing together have more misses by true sharing than the 3 of sharing by 1 "
                      "thread"}));
  EXPECT_EQ(problems_of([](Sharing& s) { s.lines[1].uses[1].thread = 2; }),
            (Problems{"the shared line at 0x2000 is used by thread 2, which the program does not have"}));
}

NaivePlan plan_with_sharing() {
  NaivePlan plan;
  plan.degrees = {1, 2};
  return plan;
}

RC_GTEST_PROP(ValidateSharing, FindsNothingInTrueProfiles, ()) {
  const auto problems = validate(naive_profile(some_accesses(3), plan_with_sharing()));
  for (const std::string& problem : problems) RC_LOG() << problem << "\n";
  RC_ASSERT(problems.empty());
}

std::vector<Access> with_all_threads(std::vector<Access> accesses, std::uint32_t threads) {
  std::vector<Access> all;
  for (std::uint32_t t = 0; t < threads; ++t) {
    all.push_back({Address{64 * t}, 8, AccessKind::write, ThreadId{t}, SiteId{}});
  }
  all.insert(all.end(), accesses.begin(), accesses.end());
  return all;
}

/// Write-backs are those of executions that each end for themselves, and a cache that is alone need not ask: both are
/// not those of one execution.
std::vector<CoherentProfile> comparable(std::vector<CoherentProfile> degrees) {
  for (CoherentProfile& d : degrees) {
    d.write_backs.clear();
    d.msi_upgrades = {};
  }
  return degrees;
}

/// The second run has fewer threads than the first: at degree 2 it has one cache.
RC_GTEST_PROP(MergeSharing, RunsAreOneExecutionAfterTheOtherInMemoryOfItsOwn, ()) {
  const auto one = with_all_threads(some_accesses(3), 3);
  const auto second_threads = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto two = with_all_threads(some_accesses(second_threads), second_threads);
  const std::array inputs = {naive_profile(one, plan_with_sharing()), naive_profile(two, plan_with_sharing())};
  const auto merged = merge(inputs, MergeKind::runs);
  RC_ASSERT(merged.has_value());
  auto both = one;
  for (Access a : two) {
    a.address = Address{a.address.value + (1 << 20)};
    both.push_back(a);
  }
  RC_ASSERT(comparable(merged->sharing.degrees) ==
            comparable(naive_profile(both, plan_with_sharing()).sharing.degrees));
  RC_ASSERT(validate(*merged).empty());
}

/// Ranks with as many threads as fill their caches are one program with more threads.
RC_GTEST_PROP(MergeSharing, RanksHaveTheirCachesSideBySide, ()) {
  const auto one = with_all_threads(some_accesses(4), 4);
  const auto two = with_all_threads(some_accesses(2), 2);
  const std::array inputs = {naive_profile(one, plan_with_sharing()), naive_profile(two, plan_with_sharing())};
  const auto merged = merge(inputs, MergeKind::ranks);
  RC_ASSERT(merged.has_value());
  auto both = one;
  for (Access a : two) {
    a.address = Address{a.address.value + (1 << 20)};
    a.thread = ThreadId{a.thread.value + 4};
    both.push_back(a);
  }
  RC_ASSERT(comparable(merged->sharing.degrees) ==
            comparable(naive_profile(both, plan_with_sharing()).sharing.degrees));
  RC_ASSERT(validate(*merged).empty());
}

TEST(MergeSharing, PairsAndLinesGetTheNumbersOfTheirPlaces) {
  std::array inputs = {sharing_example(), sharing_example()};
  Profile& second = inputs[1];
  std::swap(second.places.sites[1], second.places.sites[3]);
  std::swap(second.places.objects[0], second.places.objects[1]);
  second.sharing.pairs = {{1, 0, 2, 0, {3, 0}}, {3, 1, 3, 1, {0, 38}}};
  for (SharedLine& line : second.sharing.lines) {
    for (LineUse& use : line.uses) {
      use.site = use.site == 1 ? 3 : use.site == 3 ? 1 : use.site;
      use.object = 1 - use.object;
    }
  }
  Sharing twice = sharing_example().sharing;
  for (SharingPair& p : twice.pairs)
    for (std::uint64_t& m : p.misses) m *= 2;
  for (SharedLine& l : twice.lines)
    for (std::uint64_t& m : l.misses) m *= 2;
  const auto runs = merge(inputs, MergeKind::runs);
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_EQ(runs->sharing.pairs, twice.pairs);
  EXPECT_EQ(runs->sharing.lines, twice.lines);
  EXPECT_EQ(runs->sharing.degrees[0].caches, 2u);
  EXPECT_EQ(validate(*runs), Problems{});

  // In ranks the same address is another line, and the worst are kept.
  const auto ranks = merge(inputs, MergeKind::ranks);
  ASSERT_TRUE(ranks) << ranks.error().what;
  EXPECT_EQ(ranks->sharing.pairs, twice.pairs);
  EXPECT_EQ(ranks->sharing.degrees[0].caches, 4u);
  ASSERT_EQ(ranks->sharing.lines.size(), 2u);
  EXPECT_EQ(ranks->sharing.lines[0], sharing_example().sharing.lines[0]);
  EXPECT_EQ(ranks->sharing.lines[1],
            (SharedLine{Address{0x1000}, {0, 38}, {{2, 1, 0, true, 0xff}, {3, 1, 0, true, 0xff00}}}));
  EXPECT_EQ(validate(*ranks), Problems{});
}

TEST(MergeSharing, ThreadsRecordedApartLeaveNone) {
  const std::array inputs = {sharing_example(), sharing_example()};
  const auto merged = merge(inputs, MergeKind::threads);
  ASSERT_TRUE(merged) << merged.error().what;
  EXPECT_EQ(merged->sharing, Sharing{});
  const std::pair<std::string, std::string> told{"merge.sharing", "dropped: it depends on how the threads interleave"};
  EXPECT_NE(std::ranges::find(merged->provenance, told), merged->provenance.end());
}

TEST(MergeSharing, RefusesWhatIsNotComparable) {
  std::array inputs = {sharing_example(), sharing_example()};
  inputs[0].sharing = {};
  EXPECT_EQ(merge(inputs, MergeKind::runs).error().what,
            "input 1 has no sharing by 1 thread, 64-byte lines, but input 2 has");
  inputs[0] = sharing_example();
  inputs[0].sharing.degrees[0].sets.pop_back();
  EXPECT_EQ(merge(inputs, MergeKind::runs).error().what,
            "sharing by 1 thread, 64-byte lines: inputs 1 and 2 differ in their ways or numbers of sets");
}

}  // namespace
}  // namespace cachescape::profile
