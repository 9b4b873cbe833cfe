#include "product/report/sharing_report.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

/// Two threads that write neighbouring fields, and a flag that one sets and the other reads.
Profile example() {
  Profile p;
  p.threads = {{ThreadId{0}, {10, 10, 0}}, {ThreadId{1}, {10, 10, 0}}};
  p.places.locations = {{"count", "/src/count.c", 7, 3, nowhere}, {"wait", "/src/wait.c", 9, 1, nowhere}};
  p.places.blocks = {{"count", "count.c", 0, 0, true, 1, 1}};
  p.places.sites = {{0, 0, "total.hits", "i64"}, {1, 0, "flag", "i32"}};
  p.places.objects = {{Object::Kind::global, "total", 0, 1, 64, 64}, {Object::Kind::global, "flag", 1, 1, 4, 4}};
  CoherentProfile& own = p.sharing.degrees.emplace_back();
  own.caches = 2;
  own.kinds[1].kept = {{{0, 6}}, 4};
  own.kinds[1].lost = {std::vector<Bin>{{0, 3}}, std::vector<Bin>{{1, 27}}};
  p.sharing.pairs = {{0, 0, 0, 0, {0, 27}}, {1, 1, 1, 1, {3, 0}}};
  p.sharing.lines = {{Address{0x1000}, {0, 27}, {{0, 0, 0, true, 0xff}, {1, 0, 0, true, 0xff00}}},
                     {Address{0x2000}, {3, 0}, {{0, 1, 1, false, 0xf}, {1, 1, 1, true, 0xf}}}};
  return p;
}

SharingReport report_of(const Profile& profile) {
  SharingReport report;
  report.summary.path = "x.cscape";
  report.summary.threads = profile.threads.size();
  report.table = model::sharing_of(profile);
  return report;
}

TEST(SharingReport, NamesWhoTakesWhatAndTheCure) {
  const std::string text = sharing_text(report_of(example()), 100);
  for (const char* part :
       {"30 of 40 touches (75.00", "total (global, /src/count.c:7)              27      0     67.50 %",
        "count.c:7 count: total.hits", "line at 0x1000: 27 falsely shared, 0 truly", "bytes 0–7", "bytes 8–15",
        "begin 8 bytes apart; 56 bytes of padding after each"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }
  // What is truly shared cannot be padded.
  EXPECT_EQ(text.find("cure"), text.rfind("cure"));
}

TEST(SharingReport, FitsTheTerminal) {
  for (const std::size_t width : {60u, 80u, 120u}) {
    std::istringstream lines(sharing_text(report_of(example()), width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(SharingReport, JsonAndCsvHaveTheSameNumbers) {
  const SharingReport report = report_of(example());
  const auto json = sharing_json(report);
  EXPECT_EQ(json["schema"], "cachescape.sharing");
  const auto& total = json["sharing"]["objects"][0];
  EXPECT_EQ(total["name"], "total");
  EXPECT_EQ(total["false_sharing"], 27);
  EXPECT_EQ(total["lines"][0]["padding"]["bytes"], 56);
  EXPECT_EQ(total["pairs"][0]["taken_by"]["line"], 7);
  EXPECT_TRUE(json["sharing"]["objects"][1]["lines"][0]["padding"].is_null());
  EXPECT_NE(sharing_csv(report).find("total,/src/count.c,7,count,total.hits,/src/count.c,7,count,total.hits,27,0\r\n"),
            std::string::npos);
}

TEST(SharingReport, SaysWhereNothingIsKnown) {
  Profile alone;
  alone.threads = {{ThreadId{0}, {1, 0, 0}}};
  EXPECT_NE(sharing_text(report_of(alone), 80).find("one thread: nothing is shared"), std::string::npos);
  Profile unknown = example();
  unknown.sharing = {};
  EXPECT_NE(sharing_text(report_of(unknown), 80).find("knows nothing of sharing"), std::string::npos);
  EXPECT_TRUE(sharing_json(report_of(unknown))["sharing"].is_null());
  Profile apart = example();
  for (auto& lost : apart.sharing.degrees[0].kinds[1].lost) lost.clear();
  EXPECT_NE(sharing_text(report_of(apart), 80).find("No thread took a line from another"), std::string::npos);
}

}  // namespace
}  // namespace cachescape::report
