// Merging against the truth: the profile of the merged accesses themselves.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "profile/arbitrary.hpp"
#include "profile/example.hpp"
#include "profile/merge.hpp"
#include "profile/validate.hpp"

namespace cachescape::profile {
namespace {

constexpr std::uint64_t elsewhere = 1 << 20;  // a multiple of every set size of the plan

std::vector<Access> moved(std::vector<Access> accesses, std::uint64_t offset, std::uint32_t first_thread) {
  for (Access& a : accesses) {
    a.address = Address{a.address.value + offset};
    a.thread = ThreadId{a.thread.value + first_thread};
  }
  return accesses;
}

std::vector<Access> joined(std::vector<Access> first, const std::vector<Access>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Both threads of `threads` act, so that all inputs know the same scopes.
std::vector<Access> accesses_of_two_threads() {
  auto accesses = some_accesses(2);
  accesses.push_back({Address{0}, 8, AccessKind::read, ThreadId{0}, SiteId{}});
  accesses.push_back({Address{64}, 8, AccessKind::write, ThreadId{1}, SiteId{}});
  return accesses;
}

Profile without_provenance(Profile profile) {
  profile.provenance.clear();
  return profile;
}

/// Write-backs are those of executions that each end for themselves.
Profile ending_apart(Profile joined, std::span<const Profile> inputs) {
  for (StackProfile& stack : joined.stacks) {
    if (!stack.write_backs) continue;
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const Profile& input : inputs) {
      for (const StackProfile& part : input.stacks) {
        if (part.scope != stack.scope || !part.write_backs || part.line != stack.line) continue;
        for (const Bin& b : *part.write_backs) counts[b.value] += b.count;
      }
    }
    stack.write_backs = bins_of(counts);
  }
  return joined;
}

RC_GTEST_PROP(Merge, RunsAreOneExecutionAfterTheOtherInMemoryOfItsOwn, ()) {
  const auto one = accesses_of_two_threads();
  const auto two = accesses_of_two_threads();
  const std::array inputs = {naive_profile(one), naive_profile(two)};
  const auto merged = merge(inputs, MergeKind::runs);
  RC_ASSERT(merged.has_value());
  RC_ASSERT(without_provenance(*merged) == ending_apart(naive_profile(joined(one, moved(two, elsewhere, 0))), inputs));
  RC_ASSERT(validate(*merged).empty());
}

RC_GTEST_PROP(Merge, RanksAreProcessesWithThreadsAndMemoryOfTheirOwn, ()) {
  const auto one = accesses_of_two_threads();
  const auto two = accesses_of_two_threads();
  const std::array inputs = {naive_profile(one), naive_profile(moved(two, 0, 1000))};
  const auto merged = merge(inputs, MergeKind::ranks);
  RC_ASSERT(merged.has_value());
  const std::array renumbered = {inputs[0], naive_profile(moved(two, 0, 2))};
  RC_ASSERT(without_provenance(*merged) ==
            ending_apart(naive_profile(joined(one, moved(two, elsewhere, 2))), renumbered));
  RC_ASSERT(validate(*merged).empty());
}

RC_GTEST_PROP(Merge, ThreadsStandSideBySideWithoutEverything, ()) {
  const auto one = accesses_of_two_threads();
  const auto two = accesses_of_two_threads();
  const std::array inputs = {naive_profile(one), naive_profile(two)};
  const auto merged = merge(inputs, MergeKind::threads);
  RC_ASSERT(merged.has_value());
  Profile expected = naive_profile(joined(one, moved(two, 0, 2)));
  std::erase_if(expected.stacks, [](const StackProfile& s) { return s.scope == Scope{}; });
  std::erase_if(expected.sets, [](const SetProfile& s) { return s.scope == Scope{}; });
  RC_ASSERT(without_provenance(*merged) == expected);
  RC_ASSERT(validate(*merged).empty());
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Merge, SaysWhereItComesFrom) {
  std::array inputs = {example_profile(), example_profile()};
  inputs[1].provenance[1].second = "other";
  EXPECT_EQ(merge(inputs, MergeKind::runs)->provenance, (Pairs{{"merge.kind", "runs"},
                                                               {"merge.inputs", "2"},
                                                               {"command", "./transpose 16"},
                                                               {"version", "0.1.0"},
                                                               {"input1.host", "example"},
                                                               {"input2.host", "other"}}));
  EXPECT_EQ(merge(inputs, MergeKind::threads)->provenance,
            (Pairs{{"merge.kind", "threads"},
                   {"merge.inputs", "2"},
                   {"merge.input1.threads", "0-1"},
                   {"merge.input2.threads", "2-3"},
                   {"merge.everything", "dropped: it depends on how the threads interleave"},
                   {"command", "./transpose 16"},
                   {"version", "0.1.0"},
                   {"input1.host", "example"},
                   {"input2.host", "other"}}));
  EXPECT_EQ(merge(inputs, MergeKind::ranks)->provenance[4],
            (std::pair<std::string, std::string>{"merge.everything",
                                                 "sum over the ranks, as if each had its caches to itself"}));
}

TEST(Merge, AddsWhatIsNoHistogram) {
  std::array inputs = {example_profile(), example_profile(), example_profile()};
  inputs[1].losses = {5, 6, true};
  inputs[2].losses = {10, 0, false};
  auto merged = merge(inputs, MergeKind::runs);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->instructions, 3u * 4096);
  EXPECT_EQ(merged->bytes, 3u * 6400);
  EXPECT_EQ(merged->losses, (Losses{15, 6, true}));
  EXPECT_EQ(merged->threads, (std::vector<ThreadCounts>{{ThreadId{0}, {768, 768, 0}}, {ThreadId{1}, {768, 0, 96}}}));
  EXPECT_EQ(merged->sampling.analysed, 2400u);
  inputs[2].instructions = 0;
  EXPECT_EQ(merge(inputs, MergeKind::runs)->instructions, 0u);
}

TEST(Merge, ASingleThreadIsItsEverything) {
  const std::vector<Access> accesses = {{Address{0}, 8, AccessKind::read, ThreadId{5}, SiteId{}},
                                        {Address{0}, 8, AccessKind::read, ThreadId{5}, SiteId{}}};
  Profile single = naive_profile(accesses);
  const Profile whole = single;
  std::erase_if(single.stacks, [](const StackProfile& s) { return s.scope != Scope{}; });
  std::erase_if(single.sets, [](const SetProfile& s) { return s.scope != Scope{}; });
  const std::array inputs = {single, single};
  const auto merged = merge(inputs, MergeKind::threads);
  ASSERT_TRUE(merged) << merged.error().what;
  ASSERT_EQ(merged->stacks.size(), 4u);
  EXPECT_EQ(merged->stacks[2].scope, (Scope{Scope::Kind::thread, ThreadId{1}}));
  EXPECT_EQ(merged->stacks[2].kinds, whole.stacks[2].kinds);
  EXPECT_EQ(merged->sets[3].counts, whole.sets[3].counts);
}

template <class Change>
std::string refusal(Change change, MergeKind kind = MergeKind::runs) {
  std::array inputs = {example_profile(), example_profile()};
  change(inputs[1]);
  const auto merged = merge(inputs, kind);
  return merged ? "merged" : merged.error().what;
}

TEST(Merge, RefusesWhatIsNotComparable) {
  EXPECT_EQ(refusal([](Profile& p) { p.sampling.method = Sampling::Method::interval; }),
            "the sampling method differs: input 1 has none, input 2 has interval");
  EXPECT_EQ(refusal([](Profile& p) { p.sampling.rate = 0.25; }),
            "the sampling rate differs: input 1 has 1, input 2 has 0.25");
  EXPECT_EQ(refusal([](Profile& p) { p.sampling.on = 7; }),
            "the number of accesses on differs: input 1 has 0, input 2 has 7");
  EXPECT_EQ(refusal([](Profile& p) { p.stacks.erase(p.stacks.begin()); }),
            "input 2 has no stack distances of everything with 32-byte lines, but input 1 has");
  EXPECT_EQ(refusal([](Profile& p) { p.stacks.back().line = LineSize{7}; }),
            "input 1 has no stack distances of single threads with 128-byte lines, but input 2 has");
  EXPECT_EQ(
      refusal([](Profile& p) { p.sets[1].counts.pop_back(); }),
      "input 2 has no set distances of everything with 64-byte lines, 4 ways and 1, 2, 4, 8 sets, but input 1 has");
  EXPECT_EQ(refusal([](Profile& p) {
              for (StackProfile& s : p.stacks) s.popularity.clear();
            }),
            "input 2 has no popularity, but input 1 has");
  EXPECT_EQ(refusal([](Profile& p) { p.instructions = 0x7fff'ffff'ffff'ffff; }),
            "the number of instructions is 9223372036854779903: at most 9223372036854775807 can be kept");
  EXPECT_EQ(refusal([](Profile& p) { p.sampling.rate = 7; }),
            "the sampling rate is 7: it must be above 0 and at most 1");
  EXPECT_EQ(merge({}, MergeKind::runs).error().what, "there is nothing to merge");
}

TEST(Merge, RefusesThreadsOfWhichOnlyEverythingIsKnown) {
  const auto only_everything = [](Profile& p) {
    std::erase_if(p.stacks, [](const StackProfile& s) { return s.scope != Scope{}; });
    std::erase_if(p.sets, [](const SetProfile& s) { return s.scope != Scope{}; });
  };
  EXPECT_EQ(refusal(only_everything, MergeKind::threads),
            "input 2 has several threads, but only the distances of everything, which cannot be merged");
}

}  // namespace
}  // namespace cachescape::profile
