#include "product/proxy/hpcc.hpp"

#include <gtest/gtest.h>

namespace cachescape::proxy {
namespace {

// As version 1.5.0 writes it.
constexpr const char* summary =
    "Begin of Summary section.\n"
    "VersionMajor=1\n"
    "Success=1\n"
    "MPIRandomAccess_N=4194304\n"
    "SingleRandomAccess_LCG_GUPs=0.0845846\n"
    "RandomAccess_N=4194304\n"
    "StarRandomAccess_GUPs=0.0583\n"
    "SingleRandomAccess_GUPs=0.0592922\n"
    "STREAM_VectorSize=2795605\n"
    "SingleSTREAM_Copy=19.824\n"
    "SingleSTREAM_Triad=23.4017\n"
    "End of Summary section.\n";

TEST(Hpcc, ReadsItsSummary) {
  const auto figures = read_hpcc_output(summary);
  ASSERT_TRUE(figures) << figures.error().what;
  EXPECT_DOUBLE_EQ(figures->triad_bytes_per_second, 23.4017e9);
  EXPECT_DOUBLE_EQ(figures->updates_per_second, 0.0592922e9);
  EXPECT_EQ(figures->triad_elements, 2795605u);
  EXPECT_EQ(figures->table_elements, 4194304u);
}

TEST(Hpcc, RefusesWhatIsNone) {
  EXPECT_FALSE(read_hpcc_output(""));
  for (const char* value : {"-1", "many", "0", "1e999", "nan", "12x", ""}) {
    std::string text = summary;
    const std::string key = "\nSingleSTREAM_Triad=";
    text.replace(text.find(key) + key.size(), 7, value);
    EXPECT_FALSE(read_hpcc_output(text)) << value;
  }
}

TEST(Hpcc, TheMatrixDecidesTheSizes) {
  EXPECT_NE(hpcc_input(Bytes{std::uint64_t{256} << 20}).find("\n5792 Ns\n"), std::string::npos);
}

}  // namespace
}  // namespace cachescape::proxy
