// Signatures as rows and back, merged, and judged.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "profile/arbitrary.hpp"
#include "profile/complaint.hpp"
#include "profile/form.hpp"
#include "profile/merge.hpp"
#include "profile/reader.hpp"
#include "profile/scratch.hpp"
#include "profile/signature_example.hpp"
#include "profile/signature_form.hpp"
#include "profile/validate.hpp"
#include "profile/writer.hpp"

namespace cachescape::profile {
namespace {

TEST(Signatures, TheExampleIsTrue) { EXPECT_EQ(validate(signature_example()), std::vector<std::string>{}); }

TEST(Signatures, ReadsFilesOfVersion4) {
  const auto back = read_profile(CACHESCAPE_SOURCE_DIR "/tests/compat/version-4.cscape");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, signature_example());
}

TEST(Signatures, AreReadAsFarAsAskedFor) {
  const Scratch scratch;
  const Profile example = signature_example();
  ASSERT_TRUE(write_profile(scratch.path("p"), example));
  ReadFilter filter;
  filter.signatures = false;
  EXPECT_TRUE(read_profile(scratch.path("p"), filter)->signatures.empty());
  filter = {};
  filter.places = false;
  auto expected = example.signatures;
  for (SignatureProfile& s : expected) s.sites.clear();
  EXPECT_EQ(read_profile(scratch.path("p"), filter)->signatures, expected);
  filter.scopes = {{Scope::Kind::thread, ThreadId{1}}};
  EXPECT_EQ(read_profile(scratch.path("p"), filter)->signatures, std::vector{example.signatures[3]});
  const auto header = read_header(scratch.path("p"));
  ASSERT_EQ(header->signatures.size(), 4u);
  EXPECT_EQ(header->signatures[1].rule, (SignatureRule{8, false}));
  EXPECT_EQ(header->signatures[1].references, example.accesses());
}

TEST(Signatures, MergeAddsThemUp) {
  const Profile example = signature_example();
  const std::array<Profile, 2> twice = {example, example};
  const auto runs = merge(twice, MergeKind::runs);
  ASSERT_TRUE(runs) << runs.error().what;
  ASSERT_EQ(runs->signatures.size(), 4u);
  SignatureCounts sum = example.signatures[0].counts;
  add_to(sum, sum);
  EXPECT_EQ(runs->signatures[0].counts, sum);
  ASSERT_EQ(runs->signatures[0].sites.size(), example.signatures[0].sites.size());
  EXPECT_EQ(runs->signatures[0].steps[0].count, 2 * example.signatures[0].steps[0].count);
  EXPECT_EQ(validate(*runs), std::vector<std::string>{});

  const auto threads = merge(twice, MergeKind::threads);
  ASSERT_TRUE(threads) << threads.error().what;
  // Everything depends on how threads interleave; each of the four threads knows its own signature.
  ASSERT_EQ(threads->signatures.size(), 4u);
  EXPECT_EQ(threads->signatures[2].scope, (Scope{Scope::Kind::thread, ThreadId{2}}));
  EXPECT_EQ(threads->signatures[2].counts, example.signatures[2].counts);
}

TEST(Signatures, MergeOfSingleThreadsKnowsThem) {
  std::vector<Access> accesses = example_accesses();
  std::erase_if(accesses, [](const Access& a) { return a.thread.value == 1; });
  Profile one = naive_profile(accesses);
  std::erase_if(one.stacks, [](const StackProfile& s) { return s.scope.kind == Scope::Kind::thread; });
  std::erase_if(one.sets, [](const SetProfile& s) { return s.scope.kind == Scope::Kind::thread; });
  one.signatures = {naive_signature(accesses, {}, {})};
  one.signatures[0].sites.clear();
  const std::array<Profile, 2> two = {one, one};
  const auto threads = merge(two, MergeKind::threads);
  ASSERT_TRUE(threads) << threads.error().what;
  ASSERT_EQ(threads->signatures.size(), 2u);
  EXPECT_EQ(threads->signatures[1].counts, one.signatures[0].counts);
}

TEST(Signatures, MergeRefusesWhatOnlySomeKnow) {
  std::array<Profile, 2> inputs = {signature_example(), signature_example()};
  std::erase_if(inputs[1].signatures, [](const SignatureProfile& s) { return s.rule.word == 8; });
  const auto merged = merge(inputs, MergeKind::runs);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().what, "input 2 has no signature of everything, 8-byte words, but input 1 has");
}

/// What validate() or check_form() says after a change.
template <class Change>
std::string said_after(Change change) {
  Profile profile = signature_example();
  change(profile.signatures);
  const auto said = validate(profile);
  return said.empty() ? "" : said.front();
}

TEST(Signatures, WhatCannotBeIsFound) {
  using Signatures = std::vector<SignatureProfile>;
  EXPECT_EQ(said_after([](Signatures& s) { s[0].rule.word = 16; }),
            "signature of everything, 16-byte words: words have 4 or 8 bytes");
  EXPECT_EQ(said_after([](Signatures& s) { std::swap(s[0], s[1]); }),
            "signature of everything, 4-byte words: it must come before the signature of everything, 8-byte words, and "
            "only once");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].scope.thread = ThreadId{2}; }),
            "signature of everything, 4-byte words: the scope is everything, but names thread 2");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].counts[0].foreign = 1000; }),
            "signature of everything, 4-byte words, bin 0: more references follow another thread's than there are");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].counts[cold_bin].halves[6].again = 1; }),
            "signature of everything, 4-byte words, bin 18: what is touched for the first time has no part that was "
            "touched before");
  EXPECT_EQ(said_after([](Signatures& s) { s[1].counts[1].halves[0] = {0, 1}; }),
            "signature of everything, 8-byte words, bin 1: halves of 4 bytes are less than a word");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].counts[1].halves[3].same = 5000; }),
            "signature of everything, 4-byte words, bin 1: 32 bytes: more touches of the same half than of any");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].counts[1].halves[3].again = 5000; }),
            "signature of everything, 4-byte words, bin 1: 32 bytes: parts are touched more often than blocks");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].counts[1].references[0] = max_integer; }),
            "signature of everything, 4-byte words: the sum of references is 9223372036854775863: at most "
            "9223372036854775807 can be kept");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].steps.push_back({4096, 1}); }),
            "signature of everything, 4-byte words: a step of 4096 blocks is not less than 4096");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].sites[0].site = 7; }),
            "signature of everything, 4-byte words, site 7: there is no such site");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].sites[1].site = 0; }),
            "signature of everything, 4-byte words, site 0: sites must ascend");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].sites[1].counts = {}; }),
            "signature of everything, 4-byte words, site 1: it made no references");
  EXPECT_EQ(said_after([](Signatures& s) { s[2].sites = s[0].sites; }),
            "signature of thread 0, 4-byte words: sites are told of everything only");
}

TEST(Signatures, WhatIsNotTrueIsFound) {
  using Signatures = std::vector<SignatureProfile>;
  EXPECT_EQ(said_after([](Signatures& s) { --s[0].counts[1].halves[6].again; }).find("signature of everything"), 0u);
  EXPECT_EQ(said_after([](Signatures& s) { s[0].counts[1].halves[2].again = 0, s[0].counts[1].halves[2].same = 0; }),
            "signature of everything, 4-byte words, bin 1: parts of 16 bytes are touched again more often than those "
            "around them");
  EXPECT_EQ(said_after([](Signatures& s) { s[0].steps[0].count += 100; })
                .find("signature of everything, 4-byte words: "
                      "there are "),
            0u);
  EXPECT_EQ(said_after([](Signatures& s) { ++s[0].counts[cold_bin].references[0]; }),
            "signature of everything, 4-byte words: 512 accesses make 513 read references");
  EXPECT_EQ(said_after([](Signatures& s) {
              s[2].scope.thread = ThreadId{1}, s[3].scope.thread = ThreadId{9};
            }).find("signature of thread 1"),
            0u);
  EXPECT_EQ(said_after([](Signatures& s) { s[3].scope.thread = ThreadId{9}; }),
            "there is a signature of thread 9, 4-byte words, which made no access");
  EXPECT_EQ(said_after([](Signatures& s) { ++s[0].sites[0].counts[far_bin].references[0]; }),
            "signature of everything, 4-byte words, bin 17: the sites make more references than there are");
}

TEST(Signatures, FirstTouchesAreTheFootprint) {
  NaivePlan plan;
  plan.lines = {LineSize{6}, signature_block};
  Profile profile = naive_profile(example_accesses(), plan);
  profile.signatures = {naive_signature(example_accesses(), {}, {})};
  profile.signatures[0].sites.clear();
  EXPECT_EQ(validate(profile), std::vector<std::string>{});
  profile.signatures[0].rule.every_word = true;
  EXPECT_EQ(validate(profile), std::vector<std::string>{});
  SignatureCounts& counts = profile.signatures[0].counts;
  ++counts[cold_bin].references[0];
  EXPECT_EQ(validate(profile).front(),
            "signature of everything, all 4-byte words: 10 blocks are touched, but the footprint has 9");
}

TEST(SignatureErrors, NameTableAndRow) {
  const std::pair<const char*, const char*> cases[] = {
      {"UPDATE signature SET word = 2 WHERE id = 1", ": table signature, id 1: word is 2: 4 or 8 was expected"},
      {"UPDATE signature SET every_word = 2 WHERE id = 1",
       ": table signature, id 1: every_word is 2: at most 1 was expected"},
      {"UPDATE signature SET word = 4 WHERE id = 2",
       ": table signature, id 2: signature of everything, 4-byte words follows signature of everything, 4-byte words: "
       "scopes and words must ascend"},
      {"UPDATE signature SET id = 7 WHERE id = 4", ": table signature, id 7: id 4 was expected"},
      {"UPDATE signature SET reads = 9223372036854775807 WHERE id = 1",
       ": table signature, id 1: the references are too many"},
      {"UPDATE signature SET reads = reads + 1 WHERE id = 1",
       ": table signature_bin: the references of signature 1, kind 0 are 1 less than table signature says"},
      {"UPDATE signature SET reads = reads - 1 WHERE id = 1",
       ": table signature_bin, signature 1, site 0, bin 18: the references are more than table signature says"},
      {"UPDATE signature SET steps = steps + 1 WHERE id = 1",
       ": table signature_step: the counts of signature 1 come to 1 less than steps in table signature"},
      {"UPDATE signature SET steps = 0 WHERE id = 1",
       ": table signature_step, signature 1, step 1: the counts come to more than steps in table signature"},
      {"INSERT INTO signature_bin VALUES(1, 0, 19, 1, 0, 0, 0)",
       ": table signature_bin, signature 1, site 0, bin 19: bin is 19: at most 18 was expected"},
      {"INSERT INTO signature_bin VALUES(5, 0, 0, 1, 0, 0, 0)",
       ": table signature_bin, signature 5: there is no signature 5"},
      {"INSERT INTO signature_bin VALUES(1, 0, 15, 0, 0, 0, 0)",
       ": table signature_bin, signature 1, site 0, bin 15: there are no references: at least 1 was expected"},
      {"INSERT INTO signature_bin VALUES(1, 5, 0, 1, 0, 0, 0)",
       ": table signature_bin, signature 1, site 5, bin 0: there is no site 5"},
      {"INSERT INTO signature_bin VALUES(3, 1, 0, 1, 0, 0, 0)",
       ": table signature_bin, signature 3, site 1, bin 0: sites are told of everything only"},
      {"UPDATE signature_bin SET reads = 9223372036854775807 WHERE signature = 1 AND site = 1",
       ": table signature_bin, signature 1, site 1, bin 1: the references are too many"},
      {"UPDATE signature_bin SET after_others = 1000 WHERE signature = 1 AND site = 0 AND bin = 1",
       ": table signature_bin, signature 1, site 0, bin 1: more references follow another thread's than there are"},
      {"UPDATE signature_bin SET reads = -1 WHERE signature = 1 AND site = 0 AND bin = 1",
       ": table signature_bin, signature 1, site 0, bin 1: reads is -1: an integer from 0 on was expected"},
      {"INSERT INTO signature_half VALUES(1, 0, 15, 4, 0, 1)",
       ": table signature_half, signature 1, site 0, bin 15, half 4: there is no such row in table signature_bin"},
      {"INSERT INTO signature_half VALUES(1, 9, 1, 4, 0, 1)",
       ": table signature_half, signature 1, site 9, bin 1, half 4: there is no such row in table signature_bin"},
      {"INSERT INTO signature_half VALUES(1, 0, 1, 5, 0, 1)",
       ": table signature_half, signature 1, site 0, bin 1, half 5: half is none of 4, 8 … 256"},
      {"INSERT INTO signature_half VALUES(1, 0, 1, 512, 0, 1)",
       ": table signature_half, signature 1, site 0, bin 1, half 512: half is none of 4, 8 … 256"},
      {"INSERT INTO signature_half VALUES(2, 0, 1, 4, 0, 1)",
       ": table signature_half, signature 2, site 0, bin 1, half 4: halves of 4 bytes are less than a word"},
      {"INSERT INTO signature_half VALUES(1, 0, 18, 4, 0, 1)",
       ": table signature_half, signature 1, site 0, bin 18, half 4: what is touched for the first time has no part "
       "that was touched before"},
      {"UPDATE signature_half SET same = 0, again = 0 WHERE signature = 1 AND site = 0 AND bin = 1 AND half = 16",
       ": table signature_half, signature 1, site 0, bin 1, half 16: again is 0: at least 1 was expected"},
      {"UPDATE signature_half SET same = again + 1 WHERE signature = 1 AND site = 0 AND bin = 1 AND half = 16",
       ": table signature_half, signature 1, site 0, bin 1, half 16: 16 bytes: more touches of the same half than of "
       "any"},
      {"UPDATE signature_half SET again = 10000 WHERE signature = 1 AND site = 0 AND bin = 1 AND half = 16",
       ": table signature_half, signature 1, site 0, bin 1, half 16: 16 bytes: parts are touched more often than "
       "blocks"},
      {"INSERT INTO signature_step VALUES(1, 4096, 1)",
       ": table signature_step, signature 1, step 4096: step is 4096: at most 4095 was expected"},
      {"INSERT INTO signature_step VALUES(1, 0, 0)",
       ": table signature_step, signature 1, step 0: count is 0: at least 1 was expected"},
  };
  for (const auto& [sql, expected] : cases) EXPECT_EQ(complaint(signature_example(), sql), expected) << sql;
}

}  // namespace
}  // namespace cachescape::profile
