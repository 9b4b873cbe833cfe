#include "product/report/chart.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

std::string number(double x) { return fmt::format("{:.0f}", x); }

const std::vector<Series> falling{{"falling", {1, 2, 4, 8}, {1, 0.5, 0.25, 0}}};
const std::vector<Series> two{{"falling", {1, 2, 4, 8}, {1, 0.5, 0.25, 0}}, {"flat", {1, 8}, {0.5, 0.5}}};

TEST(Chart, DrawsMarksInAscii) {
  EXPECT_EQ(chart(two, number, {.width = 40, .height = 5, .glyphs = Glyphs::ascii}),
            "100.0 %|***\n"
            "       |   *****\n"
            " 50.0 %|++++++++********++++++++++++++++\n"
            "       |                **********\n"
            "  0.0 %|                          ******\n"
            "       +--------------------------------\n"
            "        1         2          4         8\n"
            "        * falling   + flat\n");
}

TEST(Chart, DrawsOneSeriesInBraille) {
  const std::string text = chart(falling, number, {.width = 40, .height = 4});
  EXPECT_TRUE(
      text.starts_with("100.0 %┤⠉⠓⠲⠤⣄⡀\n"
                       "       │     ⠉⠙⠒⠦⢤⣀⡀\n"
                       " 33.3 %┤           ⠉⠉⠙⠒⠒⠲⠤⠤⣄⣀⣀⡀\n"
                       "  0.0 %┤                      ⠉⠉⠙⠒⠒⠲⠤⠤⢤⣀\n"
                       "       └───"))
      << text;
}

TEST(Chart, HoldsValuesBetweenPointsWhenAsked) {
  const std::string text = chart(falling, number, {.width = 40, .height = 5, .glyphs = Glyphs::ascii, .steps = true});
  EXPECT_EQ(text.substr(0, text.find('\n')), "100.0 %|***********");
}

TEST(Chart, KeepsToItsWidth) {
  for (const std::size_t width : {10u, 40u, 61u, 120u, 300u}) {
    for (const Glyphs glyphs : {Glyphs::ascii, Glyphs::unicode}) {
      std::istringstream lines(chart(two, number, {.width = width, .glyphs = glyphs}));
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(display_width(line), std::max<std::size_t>(width, 40)) << line;
    }
  }
}

TEST(Chart, UsesColoursOnlyWhenAsked) {
  EXPECT_EQ(chart(two, number, {}).find('\x1b'), std::string::npos);
  EXPECT_NE(chart(two, number, {.colours = Colours::ansi256}).find("\x1b[38;5;214m"), std::string::npos);
  EXPECT_NE(chart(two, number, {.colours = Colours::truecolor}).find("\x1b[38;2;230;159;0m"), std::string::npos);
}

TEST(Chart, SurvivesNothingAndOnePoint) {
  EXPECT_NE(chart({}, number, {}), "");
  EXPECT_NE(chart({{"empty", {}, {}}}, number, {}), "");
  const std::string one = chart({{"one", {64}, {0}}}, number, {.width = 40, .height = 4, .glyphs = Glyphs::ascii});
  EXPECT_NE(one.find("  0.0 %|*\n"), std::string::npos) << one;
  EXPECT_NE(one.find("\n        64 "), std::string::npos) << one;
}

}  // namespace
}  // namespace cachescape::report
