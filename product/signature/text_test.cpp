#include "product/signature/text.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "product/signature/concise.hpp"

namespace cachescape::signature {
namespace {

std::string appendix() {
  std::ifstream file(CACHESCAPE_SOURCE_DIR "/examples/signatures/appendix-a.sig");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Signature full() {
  Signature s = read_text(appendix(), "x")->front();
  Detail& detail = s.detail.emplace();
  detail.writes[0] = 0.25;
  detail.foreign[cold_bin] = 0.5;
  detail.writes[far_bin] = 1;
  detail.threads = {0.75, 0.25};
  detail.blocks = 12'345;
  BetweenRates between{};
  between.fill(0.5);
  detail.widths = {{LineSize{5}, s.hit_rates, {}}, {LineSize{6}, s.hit_rates, between}};
  detail.between = between;
  detail.sets = {{64, 8, 0.5}, {512, 2, 0.25}, {128, 2, 0.75, LineSize{7}}};
  detail.steps = {{1, 100}, {4095, 7}};
  detail.other_steps = 9;
  detail.parallelism = 2.5;
  return s;
}

TEST(SignatureText, TheDissertationsIsReadAndWrittenBack) {
  const auto read = read_text(appendix(), "appendix-a.sig");
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->size(), 1u);
  const Signature& s = read->front();
  EXPECT_EQ(s.accesses, 1'652'644'414u);
  EXPECT_EQ(s.references, 55'000'000u);
  EXPECT_EQ(s.rule, (SignatureRule{4, true}));
  EXPECT_EQ(s.hit_rates[12], 0.9887);
  EXPECT_EQ(s.halves[0][1].counts, (HalfCounts{1980, 8577821}));
  EXPECT_EQ(s.halves[6][0].share, 0.999411);
  EXPECT_FALSE(s.halves[6][16].share);
  EXPECT_EQ(to_text(*read), appendix());
}

TEST(SignatureText, WhatWeAddIsReadBack) {
  const std::vector<Signature> signatures{full(), full()};
  const auto read = read_text(to_text(signatures), "x");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, signatures);
}

TEST(SignatureText, PointsThatAreLeftOutAreBetweenTheOthers) {
  std::string text = appendix();
  for (int k = 1; k < 16; ++k) {
    const std::size_t at = text.find("HitRate(2^" + std::to_string(k) + ") ");
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  const auto read = read_text(text, "x");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_NEAR(read->front().hit_rates[8], (0.392172 + 0.997505) / 2, 1e-12);
}

TEST(SignatureText, ErrorsSayWhereAndWhat) {
  const auto wrong = [](const std::string& text) {
    const auto read = read_text(text, "x.sig");
    EXPECT_FALSE(read);
    return read ? std::string() : read.error().where + ": " + read.error().what;
  };
  EXPECT_EQ(wrong(replaced(appendix(), "0.392172", "1.5")),
            "x.sig:12: cannot read \"HitRate(2^0) = 1.5\": HitRate(2^0 … 2^16) = a share from 0 to 1 was expected");
  EXPECT_EQ(
      wrong(replaced(appendix(), "(20078766/21050290)", "(21050291/21050290)")),
      "x.sig:33: cannot read \"Reuse(2^0) = 0.953847 (21050291/21050290)\": a share from 0 to 1, or NA, and counts "
      "(SAME/AGAIN) was expected");
  EXPECT_EQ(wrong(replaced(appendix(), "(bytes) : 4", "(bytes) : 5")),
            "x.sig:6: cannot read \"Size of Word (bytes) : 5\": 4 or 8 was expected");
  EXPECT_EQ(
      wrong(replaced(appendix(), "HitRate(2^16)", "HitRate(2^17)")),
      "x.sig:28: cannot read \"HitRate(2^17) = 0.997505\": HitRate(2^0 … 2^16) = a share from 0 to 1 was expected");
  EXPECT_EQ(wrong(""), "x.sig:0: this is no memory signature: there is no line \"Bin: …\"");
  EXPECT_EQ(wrong("Bin: 0\n"), "x.sig:1: \"Bin: 0\" has no HitRate(2^0) or no HitRate(2^16)");
}

TEST(SignatureText, DetailsAreChecked) {
  const std::string text = to_text(std::vector{full()});
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"Parallelism = 2.5", "Parallelism = 0"},
                                                        {"Threads = 0.75 0.25", "Threads = x"},
                                                        {"Mix(cold)", "Mix(2^17)"},
                                                        {"Width(32)", "Width(512)"},
                                                        {"Width(64)", "Width(32)"},
                                                        {"Between(64)", "Between(128)"},
                                                        {"Between(512) = 0.5", "Between(512) ="},
                                                        {"Sets(64x8)", "Sets(0x8)"},
                                                        {"Sets(64x8)", "Sets(65536x65536)"},
                                                        {"Sets(128x2,128)", "Sets(128x2,96)"},
                                                        {"Sets(128x2,128)", "Sets(128x2,512)"},
                                                        {"Sets(128x2,128)", "Sets(128,128)"},
                                                        {"Step(4095)", "Step(4096)"},
                                                        {"Step(4095)", "Step(1)"},
                                                        {"Blocks", "Bricks"}}) {
    EXPECT_FALSE(read_text(replaced(text, from, to), "x")) << to;
  }
}

/// What the missing points are taken for is within the error that was allowed.
TEST(Concise, KeepsTheErrorItPromises) {
  const Signature s = read_text(appendix(), "x")->front();
  std::size_t before = Points::all().count(s) + 1;
  for (const double error : {0.0, 0.001, 0.01, 0.05, 0.2}) {
    const Points points = concise(s, error);
    EXPECT_LE(points.count(s), before) << error;
    before = points.count(s);
    const auto read = read_text(to_text(std::vector{s}, std::vector{points}), "x");
    ASSERT_TRUE(read) << read.error().what;
    const Signature& back = read->front();
    for (std::size_t d = 0; d < signature_depths; ++d) EXPECT_NEAR(back.hit_rates[d], s.hit_rates[d], error + 1e-5);
    for (std::size_t h = 0; h < signature_halves; ++h) {
      double misjudged = 0;
      for (std::size_t b = 1; b < signature_depths; ++b) {
        if (!s.halves[h][b].share) continue;
        misjudged += (s.hit_rates[b] - s.hit_rates[b - 1]) * std::abs(*back.halves[h][b].share - *s.halves[h][b].share);
      }
      EXPECT_LE(misjudged, error + 1e-5) << "half " << h;
    }
  }
  EXPECT_LT(before, 30u);
}

}  // namespace
}  // namespace cachescape::signature
