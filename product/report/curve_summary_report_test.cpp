#include "product/report/curve_summary_report.hpp"

#include <gtest/gtest.h>

#include "model/naive_profile.hpp"

namespace cachescape::report {
namespace {

model::CurveSummary example(bool usage) {
  Profile profile =
      model::naive::profile_of(model::naive::accesses_of("abacbdda"), {.lines = {LineSize{5}, LineSize{6}}});
  if (!usage) {
    for (StackProfile& s : profile.stacks) s.popularity.clear();
  }
  return *model::summarise_curves(profile, {.spatial_size = Bytes{128}});
}

std::string after_chart(const std::string& text) { return text.substr(text.find("working sets")); }

TEST(CurveSummaryReport, ShowsEveryPart) {
  const std::string text = curve_summary_text(example(false), {.width = 40, .glyphs = Glyphs::ascii});
  EXPECT_TRUE(text.starts_with("miss ratio by size of a fully associative LRU cache, 64-byte lines\n"));
  EXPECT_EQ(after_chart(text),
            "working sets  lines  misses  miss ratio  half the size\n"
            "64 B              1       7     87.50 %       100.00 %\n"
            "192 B             3       5     62.50 %        87.50 %\n"
            "\n"
            " size  lines  misses  miss ratio\n"
            " 64 B      1       7     87.50 %\n"
            "128 B      2       6     75.00 %\n"
            "256 B      4       4     50.00 %\n"
            "\n"
            "stack distance  median 1.5 lines, median absolute deviation 1\n"
            "\n"
            "spatial use in 128 B  misses       use\n"
            "32-byte lines              4         –\n"
            "64-byte lines              6  -100.0 %\n"
            "\n"
            "memory usage  not recorded: import with --memory-usage\n");
}

TEST(CurveSummaryReport, TabulatesMemoryUsage) {
  const std::string text = curve_summary_text(example(true), {.width = 40, .glyphs = Glyphs::ascii});
  EXPECT_NE(text.find("share of all touches  memory  64-byte lines\n"
                      "                 5 %    64 B              1\n"),
            std::string::npos);
  EXPECT_TRUE(text.ends_with("               100 %   256 B              4\n"));
}

TEST(CurveSummaryReport, IsCompleteAsJson) {
  const auto json = curve_summary_json(example(true));
  EXPECT_EQ(json["schema"], "cachescape.curves");
  EXPECT_EQ(json["line"], 64);
  EXPECT_EQ(json["kind"], "all");
  EXPECT_EQ(json["touches"], 8);
  EXPECT_EQ(json["curve"].size(), 5u);
  EXPECT_EQ(json["curve"][4]["miss_ratio"], 0.5);
  EXPECT_EQ(json["distance"]["median"], 1.5);
  EXPECT_EQ(json["spatial_use"]["lines"][1]["use"], -1.0);
  EXPECT_TRUE(json["spatial_use"]["lines"][0]["use"].is_null());
  EXPECT_EQ(json["memory_usage"]["points"][19]["lines"], 4);
  EXPECT_TRUE(curve_summary_json(example(false))["memory_usage"].is_null());
}

}  // namespace
}  // namespace cachescape::report
