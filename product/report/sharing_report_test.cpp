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

std::string cure_of(const Profile& profile) {
  const std::string text = sharing_text(report_of(profile), 200);
  const std::size_t at = text.find("cure: ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(SharingReport, WhoOnlyReadsWhatOthersWriteLeavesTheCure) {
  Profile p = example();
  p.sharing.lines[0].uses.push_back({2, 0, 0, false, 0xffff});
  EXPECT_NE(cure_of(p).find("begin 8 bytes apart; 56 bytes of padding"), std::string::npos) << cure_of(p);
  // One that writes, and one that reads other bytes.
  p.sharing.lines[0].uses = {{0, 0, 0, true, 0xff}, {1, 0, 0, false, 0xff0000}};
  EXPECT_NE(cure_of(p).find("begin 16 bytes apart; 48 bytes of padding"), std::string::npos) << cure_of(p);
  p.sharing.lines[0].uses = {{0, 0, 0, true, 0xff}, {1, 0, 0, true, 0xf0}};
  EXPECT_EQ(cure_of(p), "");
}

TEST(SharingReport, WhatTheFirstThreadSetsUpIsNoPartOfItsOwn) {
  Profile p = example();
  // It clears what others count in, and writes a number between that they only read.
  p.sharing.lines[0].uses = {{0, 0, 0, true, 0xff0000ffull}, {1, 0, 0, true, 0xff}, {2, 0, 0, true, 0xff000000ff0000}};
  EXPECT_NE(cure_of(p).find("begin 16 bytes apart; 48 bytes of padding"), std::string::npos) << cure_of(p);
  // Bytes beside those of the others are its own.
  p.sharing.lines[0].uses = {{0, 0, 0, true, 0xffull << 32}, {1, 0, 0, true, 0xff}, {2, 0, 0, true, 0xff0000}};
  EXPECT_NE(cure_of(p).find("begin 16 bytes apart; 48 bytes of padding"), std::string::npos) << cure_of(p);
  p.sharing.lines[0].uses[0].bytes = 0xff00;
  EXPECT_NE(cure_of(p).find("begin 8 bytes apart; 56 bytes of padding"), std::string::npos) << cure_of(p);
  // Handed over again and again.
  p.sharing.lines[0].uses[0].bytes = 0xff;
  p.sharing.lines[0].misses = {50, 27};
  EXPECT_EQ(cure_of(p), "");
}

TEST(SharingReport, PartsThatLieInTwoLinesAreMeasuredFromTheirBeginning) {
  // Parts of 32 bytes from byte 24 on: of the second thread, bytes 56–63 and then 0–23 of the next line.
  Profile p = example();
  p.sharing.lines[0].uses = {{0, 0, 0, true, 0xffffffffull << 24}, {1, 0, 0, true, 0xffull << 56}};
  p.sharing.lines.push_back({Address{0x1040}, {0, 20}, {{1, 0, 0, true, 0xffffff}, {2, 0, 0, true, 0xffffull << 24}}});
  const auto table = model::sharing_of(p);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows[0].lines.size(), 2u);
  for (const model::SharedLineRow& line : table->rows[0].lines)
    EXPECT_EQ(line.padding, (model::Padding{32, 32, true})) << line.address.value;
  EXPECT_EQ(cure_of(p),
            "cure: the threads' parts begin 32 bytes apart, some in two lines; 32 bytes of padding after each, the "
            "first at a multiple of 64, or alignment to 64 bytes, gives each thread lines of its own.");
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
  EXPECT_NE(sharing_text(report_of(Profile{}), 80).find("holds no accesses"), std::string::npos);
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
