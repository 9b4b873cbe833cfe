#include "product/report/surface_report.hpp"

#include <gtest/gtest.h>

#include "model/naive_profile.hpp"
#include "product/report/curve_report.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

/// Two lines of 64 bytes in turn: D = 1, cold 2 of 10.
model::Surface example() {
  const Profile profile =
      model::naive::profile_of(model::naive::accesses_of("ababababab"), {.lines = {LineSize{6}, LineSize{7}}});
  return *model::surface(profile);
}

TEST(SurfaceReport, Tabulates) {
  const std::string text = surface_table(example());
  EXPECT_TRUE(
      text.starts_with("hit rate by lines and bytes per line\n"
                       "lines     64 B    128 B\n"
                       "    1   0.00 %  90.00 %\n"
                       "    2  80.00 %  90.00 %\n"))
      << text;
  EXPECT_TRUE(text.ends_with("\nNot in the profile: 4, 8, 16, 32, 256, 512 bytes.\n"));
}

TEST(SurfaceReport, WritesCsvAndJson) {
  const std::string csv = surface_csv(example());
  EXPECT_TRUE(csv.starts_with("depth,width,hit_rate\r\n1,64,0\r\n2,64,0.8\r\n"));
  const auto json = surface_json(example());
  EXPECT_EQ(json["schema"], "cachescape.surface");
  EXPECT_EQ(json["widths"].dump(), "[64,128]");
  EXPECT_EQ(json["touches"].dump(), "[10,10]");
  EXPECT_EQ(json["hit_rate"][0].size(), 17u);
  EXPECT_EQ(json["hit_rate"][0][1], 0.8);
  EXPECT_EQ(json["missing_widths"].size(), 6u);
}

TEST(SurfaceReport, ShadesCellsByCharacters) {
  const std::string text = surface_heat_map(example(), Glyphs::ascii, Colours::none);
  EXPECT_NE(text.find("  128 B @@@@@@@@"), std::string::npos) << text;
  EXPECT_NE(text.find("   64 B     %%%%%%%%"), std::string::npos) << text;
  EXPECT_NE(text.find("0 %     ....::::----====++++****####%%%%@@@@ 100 %\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(SurfaceReport, ColoursCells) {
  const std::string fine = surface_heat_map(example(), Glyphs::unicode, Colours::truecolor);
  EXPECT_NE(fine.find("   64 B \x1b[48;2;68;1;84m    \x1b[0m"), std::string::npos);
  const std::string coarse = surface_heat_map(example(), Glyphs::unicode, Colours::ansi256);
  EXPECT_NE(coarse.find("\x1b[48;5;"), std::string::npos);
}

TEST(CurveReport, ShowsTheWorkedExample) {
  const StackProfile stack = model::naive::stack_profile(model::naive::accesses_of("abacbdda"), {}, LineSize{6});
  const auto points = model::curve_at_changes(model::MissCurve(stack, {}));
  EXPECT_EQ(curve_table(points, LineSize{6}),
            " size  lines  misses  miss ratio\n"
            "  0 B      0       8    100.00 %\n"
            " 64 B      1       7     87.50 %\n"
            "128 B      2       6     75.00 %\n"
            "192 B      3       5     62.50 %\n"
            "256 B      4       4     50.00 %\n");
  EXPECT_TRUE(curve_csv(points, LineSize{6}).ends_with("64,3,192,5,0.625\r\n64,4,256,4,0.5\r\n"));
  EXPECT_EQ(curve_json(points, LineSize{6})["points"][2].dump(),
            R"({"lines":2,"size":128,"misses":6,"miss_ratio":0.75})");
  EXPECT_TRUE(curve_chart(points, LineSize{6}, {.glyphs = Glyphs::ascii})
                  .starts_with("miss ratio by size of a fully associative LRU cache, 64-byte lines\n 87.5 %|***"));
}

}  // namespace
}  // namespace cachescape::report
