#include "product/proxy/pattern_table.hpp"

#include <gtest/gtest.h>

namespace cachescape::proxy {
namespace {

PatternTable example() {
  PatternTable table;
  for (const char* pattern : {"stride", "random"}) {
    for (const unsigned chains : {1u, 20u}) {
      PatternRun run;
      run.pattern = pattern;
      run.measurement.layout = {4, 1024, 1000, 256, chains};
      run.measurement.rate = {chains * 100e6, 90e6, 2500e6, 95e6, 2400e6};
      run.measurement.spilled_chains = chains > 13 ? chains - 13 : 0;
      table.runs.push_back(run);
    }
  }
  table.why_no_hpcc = "hpcc is not installed";
  return table;
}

TEST(PatternTable, SaysWhatIsMissing) {
  const std::string text = pattern_table_text(example());
  EXPECT_EQ(text.substr(0, text.find("\n\n")),
            "pattern  benchmark   chains  M operations/s  worst     best  GB/s  memory\n"
            "stride   cachescape       1          100.00  90.00  2500.00  0.40  1 MiB\n"
            "stride   cachescape     20*         2000.00  90.00  2500.00  8.00  1 MiB\n"
            "random   cachescape       1          100.00  90.00  2500.00  0.40  1 MiB\n"
            "random   cachescape     20*         2000.00  90.00  2500.00  8.00  1 MiB");
  EXPECT_NE(text.find("STREAM and RandomAccess are missing: hpcc is not installed.\n"), std::string::npos);
  EXPECT_EQ(pattern_table_json(example())["hpcc"], nullptr);
}

TEST(PatternTable, ShowsOthersFirst) {
  PatternTable table = example();
  table.hpcc = HpccFigures{24e9, 1000, 60e6, 4096};
  const std::string text = pattern_table_text(table);
  EXPECT_NE(text.find("\nstride   STREAM triad                 3000.00                  24.00  23.44 KiB\n"
                      "stride   cachescape         1"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nrandom   RandomAccess                   60.00                   0.48  32 KiB\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(pattern_table_json(table)["hpcc"]["random_access_elements"], 4096);
}

TEST(PatternTable, SeedsStandAloneBelow) {
  PatternTable table = example();
  table.hpcc = HpccFigures{24e9, 1000, 60e6, 4096};
  table.runs.push_back(table.runs.front());
  table.runs.back().pattern = "app.seed";
  const std::string text = pattern_table_text(table);
  EXPECT_NE(text.find("\nrandom    cachescape       20*         2000.00  90.00  2500.00   8.00  1 MiB\n"
                      "app.seed  cachescape         1          100.00  90.00  2500.00   0.40  1 MiB\n\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace cachescape::proxy
