#include "product/report/places_report.hpp"

#include <gtest/gtest.h>

#include "machine/inline_text.hpp"
#include "product/report/fitted_text.hpp"
#include "product/report/places_csv.hpp"
#include "product/report/places_example.hpp"
#include "product/report/places_json.hpp"
#include "product/report/places_text.hpp"
#include "product/report/table.hpp"
#include "profile/reader.hpp"
#include "profile/validate.hpp"

namespace cachescape::report {
namespace {

const Profile& matrix() {
  static const Profile profile = MatrixExample().profile();
  return profile;
}

profile::ProfileHeader header_of(const Profile& profile) {
  profile::ProfileHeader header;
  header.finished = true;
  header.general = profile;
  header.general.stacks.clear();
  for (const StackProfile& s : profile.stacks) {
    header.stacks.push_back({s.scope, s.line, {}, {}, s.footprint_lines});
    for (std::size_t k = 0; k < access_kinds; ++k) header.stacks.back().touches[k] = s.kinds[k].total();
  }
  return header;
}

PlacesReport report_of(const Profile& profile, const PlacesOptions& options = {},
                       const char* machine = "L1:4K,4,64 L2:32K,8,64") {
  return places_report(summary_of(header_of(profile), "matrix.cscape"), profile, *machine::read_inline(machine),
                       options);
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    longest = std::max(longest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return longest;
}

TEST(MatrixExample, IsInTheFileThatTheDocumentsShow) {
  const auto file = profile::read_profile(CACHESCAPE_SOURCE_DIR "/examples/profiles/matrix.cscape");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(*file, matrix()) << "tests/examples/matrix_profile.cpp says how it is written";
  EXPECT_EQ(profile::validate(*file), std::vector<std::string>{});
}

TEST(PlacesReport, AddsUpToTheProgram) {
  const PlacesReport report = report_of(matrix());
  ASSERT_TRUE(report.prediction);
  // Every access of the example has a site: places and program differ by the sets of the machine alone.
  EXPECT_EQ(report.places.total.accesses, report.summary.accesses);
  EXPECT_EQ(report.places.total.bytes, report.summary.bytes);
  const PlacesReport full = report_of(matrix(), {}, "L1:4K,full,64 L2:32K,full,64");
  for (std::size_t i = 0; i < 2; ++i) {
    const KindCounts& by_place = full.places.total.misses[i];
    EXPECT_EQ(by_place[0] + by_place[1] + by_place[2], full.prediction->outcome.levels[i].total().misses);
  }
}

TEST(PlacesReport, KeepsTheTopAndAddsUpTheRest) {
  const PlacesReport report = report_of(matrix(), {.grouping = model::Grouping::line, .top = 2});
  ASSERT_EQ(report.places.rows.size(), 2u);
  EXPECT_EQ(report.places.rows[0].group.name, "matrix_multiply.c:18");
  EXPECT_EQ(report.other_places, 4u);
  model::PlaceRow sum = report.others;
  for (const model::PlaceRow& row : report.places.rows) model::add(sum, row);
  EXPECT_EQ(sum, report.places.total);
  EXPECT_EQ(report_of(matrix(), {.grouping = model::Grouping::line, .top = 0}).places.rows.size(), 6u);
}

TEST(PlacesText, FitsEveryTerminal) {
  const PlacesReport report = report_of(matrix(), {.grouping = model::Grouping::object, .counters = true});
  for (const std::size_t width : {60, 80, 100, 132}) EXPECT_LE(longest_line(places_text(report, width)), width);
  Profile renamed = matrix();
  for (Location& l : renamed.places.locations) l.function = "a::very::long::name<of, a, template>::" + l.function;
  const std::string narrow = places_text(report_of(renamed), 80);
  EXPECT_LE(longest_line(narrow), 80u);
  EXPECT_NE(narrow.find("…"), std::string::npos);
  EXPECT_NE(narrow.find("multiply "), std::string::npos);
}

TEST(PlacesText, GivesEachLevelALineWhereThereIsLittleRoom) {
  const std::string text = places_text(report_of(matrix()), 60);
  const auto at = text.find("function");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.substr(at, text.find("\nNote") - at),
            "function      accesses     share  level  misses    ratio\n"
            "multiply       131,200   97.62 %  L1      8,398   6.40 %\n"
            "                                  L2        285   0.22 %\n"
            "main             3,201    2.38 %  L1        401  12.53 %\n"
            "                                  L2        401  12.53 %\n"
            "all of these   134,401  100.00 %  L1      8,799   6.55 %\n"
            "                                  L2        686   0.51 %\n"
            "as predicted   134,401  100.00 %  L1     11,445   8.52 %\n"
            "                                  L2        673   0.50 %\n");
}

TEST(PlacesText, TellsMissesPerThousandInstructions) {
  const auto levels_of = [](const Profile& profile) {
    const std::string text = places_text(report_of(profile), 100);
    const auto at = text.find("\nlevel ") + 1;
    return text.substr(at, text.find("\n\n", at) - at);
  };
  // 11,445 and 673 misses in 598,405 instructions.
  EXPECT_EQ(levels_of(matrix()),
            "level  accesses  misses  of all touches   MPKI  method\n"
            "L1      134,401  11,445          8.52 %  19.13  exact\n"
            "L2       11,445     673          0.50 %   1.12  approximate");
  const auto json = places_json(report_of(matrix()));
  EXPECT_NEAR(json["misses_per_thousand_instructions"]["L1"], 19.1258, 1e-3);
  Profile part = matrix();
  part.provenance.emplace_back("region", "kernel");
  EXPECT_EQ(levels_of(part).find("MPKI"), std::string::npos);
  EXPECT_TRUE(places_json(report_of(part))["misses_per_thousand_instructions"].is_null());
  Profile unknown = matrix();
  unknown.instructions = 0;
  EXPECT_EQ(levels_of(unknown).find("MPKI"), std::string::npos);
}

TEST(PlacesText, SaysWhatIsMissing) {
  Profile without = matrix();
  without.places = {};
  const std::string text = places_text(report_of(without), 80);
  EXPECT_NE(text.find("The profile knows no places in the source."), std::string::npos);
  EXPECT_EQ(text.find("counter"), std::string::npos);
  EXPECT_NE(text.find("L1      134,401  11,445          8.52 %  19.13  exact"), std::string::npos);

  Profile objects = matrix();
  objects.places.object_distances.clear();
  EXPECT_NE(places_text(report_of(objects, {.grouping = model::Grouping::object}), 80)
                .find("The profile has no distances by object."),
            std::string::npos);
  EXPECT_NE(places_text(report_of(matrix(), {}, "L1:4K,4,128"), 80).find("Nothing can be predicted: L1 has 128-byte"),
            std::string::npos);
}

TEST(PlacesText, CountersNeedNoDistances) {
  Profile counted = matrix();
  counted.places.site_distances.clear();
  const PlacesReport report = report_of(counted, {.grouping = model::Grouping::line, .top = 2, .counters = true});
  const std::string text = places_text(report, 80);
  EXPECT_NE(text.find("The profile has no distances by line.\n"
                      "\n"
                      "line                  instructions    loads  stores    flops  int ops\n"
                      "matrix_multiply.c:18       576,000  128,000       –  128,000  128,000\n"
                      "matrix_multiply.c:26        12,800        –   3,200        –    4,800\n"),
            std::string::npos)
      << text;
}

TEST(PlacesJson, HasTheSameNumbers) {
  const PlacesReport report = report_of(matrix(), {.top = 1, .counters = true});
  const auto json = places_json(report);
  EXPECT_EQ(json["schema"], "cachescape.report");
  EXPECT_EQ(json["summary"]["accesses"], 134401);
  EXPECT_EQ(json["counters"]["flops"], 128000);
  EXPECT_EQ(json["ratios"]["bytes_per_flop"], report.ratios.front().value);
  EXPECT_EQ(json["prediction"]["schema"], "cachescape.outcome");
  EXPECT_EQ(json["machine_reason"], nullptr);
  const auto& places = json["places"];
  EXPECT_EQ(places["by"], "function");
  ASSERT_EQ(places["rows"].size(), 1u);
  const auto& row = places["rows"][0];
  EXPECT_EQ(row["name"], "multiply");
  EXPECT_EQ(row["accesses"], 131200);
  EXPECT_EQ(
      row["levels"][0]["misses"].get<std::uint64_t>() + places["others"]["levels"][0]["misses"].get<std::uint64_t>(),
      places["total"]["levels"][0]["misses"].get<std::uint64_t>());
  EXPECT_EQ(places["counters"][0]["name"], "multiply");
  EXPECT_EQ(places["counters"][0]["counters"]["flops"], 128000);
  EXPECT_EQ(places["other_places"], 1);
}

TEST(PlacesCsv, QuotesWhatNeedsIt) {
  Profile profile = matrix();
  for (Location& l : profile.places.locations) {
    if (l.function == "multiply") l.function = "multiply(int, \"x\")";
  }
  const std::string csv = places_csv(report_of(profile, {.top = 1}));
  EXPECT_TRUE(
      csv.starts_with("name,function,file,line,kind,reads,writes,modifies,bytes,touches,cold,L1_misses,L2_misses\r\n"
                      "\"multiply(int, \"\"x\"\")\",,,,,129600,1600,0,1049600,131200,200,"))
      << csv;
  const std::string counters = counters_csv(report_of(matrix(), {.counters = true}));
  EXPECT_NE(counters.find("\r\n,flops,128000\r\n"), std::string::npos);
  EXPECT_NE(counters.find("\r\nmultiply,flops,128000\r\n"), std::string::npos);
}

TEST(FittedText, LosesItsMiddle) {
  EXPECT_EQ(shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(shortened("abcdefgh", 7), "abc…fgh");
  EXPECT_EQ(shortened("abcdefgh", 4), "ab…h");
  EXPECT_EQ(shortened("äöüßäöüß", 5), "äö…üß");
  EXPECT_EQ(shortened("abc", 1), "…");
}

TEST(FittedText, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("unbreakable", 4), "unbreakable\n");
}

TEST(ProfileSummary, TellsWhatIsKnown) {
  const ProfileSummary summary = summary_of(header_of(matrix()), "m.cscape");
  EXPECT_EQ(summary_text(summary),
            "profile       m.cscape\n"
            "command       ./matrix_multiply\n"
            "recorded      2026-01-15T09:30:00Z\n"
            "duration      0.0021 s\n"
            "accesses      134,401: 129,601 reads, 4,800 writes, 0 modifies\n"
            "bytes         1.03 MiB\n"
            "instructions  598,405\n"
            "footprint     37.5 KiB (64-byte lines)\n"
            "threads       1\n"
            "sampling      none: every access was analysed\n"
            "losses        none\n");
  Profile odd = matrix();
  odd.provenance = {{"duration", "long"}};
  EXPECT_FALSE(summary_of(header_of(odd), "").duration);
}

}  // namespace
}  // namespace cachescape::report
