#include "product/report/sweep_report.hpp"

#include <gtest/gtest.h>

#include "model/naive_profile.hpp"

namespace cachescape::report {
namespace {

model::Sweep example() {
  const Profile profile =
      model::naive::profile_of(model::naive::accesses_of("abacbdda"), {.lines = {LineSize{6}}, .sets = {2}, .ways = 1});
  return *model::sweep(profile, {.name = "L1",
                                 .sizes = {Bytes{64}, Bytes{128}, Bytes{192}, Bytes{256}},
                                 .ways = {2, model::fully_associative},
                                 .lines = {LineSize{6}}});
}

TEST(SweepReport, Tabulates) {
  EXPECT_EQ(sweep_table(example()),
            " size  ways  sets  line  misses  miss ratio  model\n"
            "128 B     2     1    64       6     75.00 %  exact\n"
            "256 B     2     2    64       5     62.50 %  SDCM\n"
            " 64 B  full     1    64       7     87.50 %  exact\n"
            "128 B  full     1    64       6     75.00 %  exact\n"
            "192 B  full     1    64       5     62.50 %  exact\n"
            "256 B  full     1    64       4     50.00 %  exact\n"
            "\n2 combinations left out: the size is no multiple of ways × line.\n");
}

TEST(SweepReport, WritesCsv) {
  model::Sweep sweep = example();
  sweep.name = "a \"b\", c";
  const std::string csv = sweep_csv(sweep);
  EXPECT_EQ(csv.substr(0, csv.find("\"a", 60)),
            "level,size,ways,sets,line,misses,miss_ratio,model\r\n\"a \"\"b\"\", c\",128,2,1,64,6,0.75,exact\r\n");
  EXPECT_TRUE(csv.ends_with(",256,full,1,64,4,0.5,exact\r\n"));
}

TEST(SweepReport, WritesJson) {
  const auto json = sweep_json(example());
  EXPECT_EQ(json["schema"], "cachescape.sweep");
  EXPECT_EQ(json["left_out"], 2);
  EXPECT_EQ(json["points"].size(), 6u);
  EXPECT_EQ(json["points"][1].dump(),
            R"({"size":256,"ways":2,"sets":2,"line":64,"misses":5,"miss_ratio":0.625,"model":"sdcm"})");
  EXPECT_EQ(json["points"][2]["ways"], "full");
}

TEST(SweepReport, ChartsALinePerWaysAndLine) {
  const std::string text = sweep_chart(example(), {.width = 60, .height = 8, .glyphs = Glyphs::ascii});
  EXPECT_TRUE(text.starts_with("miss ratio by size\n 87.5 %|"));
  EXPECT_TRUE(text.ends_with("        * 2-way, 64 B   + fully associative, 64 B\n")) << text;
}

}  // namespace
}  // namespace cachescape::report
