#include "product/report/stacks_report.hpp"

#include <gtest/gtest.h>

#include "product/report/stacks_csv.hpp"
#include "product/report/stacks_json.hpp"
#include "product/report/stacks_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

/// main calls solve, which calls itself and dot; dot is also called where nobody knows.
Profile example() {
  Profile profile;
  Places& p = profile.places;
  p.contexts = {{nowhere, "main", "x.c", false, 1},
                {0, "solve", "x.c", true, 9},
                {1, "dot", "dot, new.c", false, 500},
                {nowhere, "(no call stack)", "", false, 0},
                {3, "dot", "dot, new.c", false, 2}};
  p.context_counted = {{0, "instructions", 10}, {1, "instructions", 90}, {1, "loads", 4},
                       {2, "instructions", 70}, {2, "loads", 50},        {4, "instructions", 7}};
  p.counted = {{"instructions", nowhere, 177}, {"loads", nowhere, 54}};
  return profile;
}

StacksReport report_of(std::size_t top, model::StackOrder order = model::StackOrder::instructions) {
  ProfileSummary summary;
  summary.path = "x.cscape";
  return stacks_report(summary, example(), order, top, false);
}

std::string table_of(const StacksReport& report, std::size_t width) {
  const std::string text = stacks_text(report, width);
  return text.substr(text.find("call stack"));
}

TEST(StacksReport, PutsTheWorstFirst) {
  EXPECT_EQ(table_of(report_of(0), 100),
            "call stack                calls  instructions  loads\n"
            "main > solve (recursive)      9            90      4\n"
            "main > solve > dot          500            70     50\n"
            "main                          1            10      0\n"
            "(no call stack) > dot         2             7      0\n"
            "all of these                512           177     54\n");
  EXPECT_EQ(report_of(0, model::StackOrder::memory_operations).rows.front().functions.back(), "dot");
}

TEST(StacksReport, AddsUpWhatIsNotShown) {
  EXPECT_EQ(table_of(report_of(1), 100),
            "call stack                calls  instructions  loads\n"
            "main > solve (recursive)      9            90      4\n"
            "(3 others)                  503            87     50\n"
            "all of these                512           177     54\n");
}

TEST(StacksReport, FitsTheTerminal) {
  const std::string table = table_of(report_of(0), 40);
  std::size_t begin = 0;
  for (std::size_t end; (end = table.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(display_width(table.substr(begin, end - begin)), 40u) << table;
  EXPECT_NE(table.find("instructions"), std::string::npos);
}

TEST(StacksReport, SaysHowToGetStacks) {
  const std::string text = stacks_text(stacks_report({}, {}, model::StackOrder::instructions, 10, false), 100);
  EXPECT_NE(text.find("The profile has no counters by call stack."), std::string::npos);
}

TEST(StacksReport, AsJson) {
  const auto json = stacks_json(report_of(2))["stacks"];
  EXPECT_EQ(json["rows"][1]["stack"], (std::vector<std::string>{"main", "solve", "dot"}));
  EXPECT_EQ(json["rows"][0]["recursive"], true);
  EXPECT_EQ(json["rows"][1]["counters"]["loads"], 50);
  EXPECT_EQ(json["other_stacks"], 2);
  EXPECT_EQ(json["others"]["counters"]["instructions"], 17);
  EXPECT_EQ(json["total"]["calls"], 512);
}

TEST(StacksReport, AsCsv) {
  EXPECT_EQ(stacks_csv(report_of(2)),
            "stack,module,recursive,calls,instructions,loads,stores,bytes.loaded,bytes.stored,flops,int.ops\r\n"
            "main > solve,x.c,1,9,90,4,0,0,0,0,0\r\n"
            "main > solve > dot,\"dot, new.c\",0,500,70,50,0,0,0,0,0\r\n");
  EXPECT_EQ(stack_counters_csv(report_of(1)),
            "stack,metric,value\r\n,instructions,177\r\n,loads,54\r\n"
            "main > solve,instructions,90\r\nmain > solve,loads,4\r\n");
}

}  // namespace
}  // namespace cachescape::report
