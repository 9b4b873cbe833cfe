#include "machine/geometry.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace cachescape::machine {
namespace {

constexpr LineSize line64{6};

Geometry given(std::optional<std::uint64_t> size, std::optional<std::uint64_t> ways, std::optional<std::uint64_t> sets,
               bool full = false) {
  Geometry g;
  if (size) g.size = Bytes{*size};
  g.ways = ways;
  g.sets = sets;
  g.fully_associative = full;
  return g;
}

TEST(Geometry, TwoOfThreeDetermineTheThird) {
  EXPECT_EQ(complete(given(32768, 8, {}), line64), (SetsAndWays{64, 8}));
  EXPECT_EQ(complete(given(32768, {}, 64), line64), (SetsAndWays{64, 8}));
  EXPECT_EQ(complete(given({}, 8, 64), line64), (SetsAndWays{64, 8}));
  EXPECT_EQ(complete(given(32768, 8, 64), line64), (SetsAndWays{64, 8}));
  EXPECT_EQ(complete(given(49152, 12, {}), line64), (SetsAndWays{64, 12}));
  EXPECT_EQ(complete(given(366592, 8, {}), LineSize{7}), (SetsAndWays{358, 8}));
  EXPECT_EQ(complete(given(28835840, 11, {}), line64), (SetsAndWays{40960, 11}));
  EXPECT_EQ(complete(given(4096, {}, {}, true), line64), (SetsAndWays{1, 64}));
  EXPECT_EQ(complete(given(4096, {}, 1, true), line64), (SetsAndWays{1, 64}));
}

TEST(Geometry, SaysWhatDoesNotFit) {
  const auto error = [](const Geometry& g) { return complete(g, line64).error(); };
  EXPECT_EQ(error(given(0, 8, {})).error.what, "size must be at least 1, not 0");
  EXPECT_EQ(error(given(32768, 0, {})).error.what, "ways must be at least 1, not 0");
  EXPECT_EQ(error(given({}, 8, 0)).error.what, "sets must be at least 1, not 0");
  EXPECT_EQ(error(given(100, 1, {})).error.what, "size 100 B is not a multiple of the line of 64 bytes");
  EXPECT_EQ(error(given(32768, 7, {})).error.what,
            "size 32 KiB is 512 lines of 64 bytes, which do not divide into 7 ways");
  EXPECT_EQ(error(given(32768, {}, 3)).error.what,
            "size 32 KiB is 512 lines of 64 bytes, which do not divide into 3 sets");
  EXPECT_EQ(error(given(32768, 8, 65)).error.what,
            "size 32 KiB does not agree with 65 sets × 8 ways × 64 bytes = 32.5 KiB");
  EXPECT_EQ(error(given(4096, {}, 2, true)).error.what, "a fully associative cache has 1 set, but sets says 2");
  EXPECT_EQ(error(given({}, {}, {}, true)).error.what, "a fully associative cache needs a size");
  EXPECT_EQ(error(given(4096, {}, {})).error.what, "two of size, ways and sets are needed");
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max() / 2;
  EXPECT_EQ(error(given({}, 3, huge)).error.what, "9223372036854775807 sets of 3 ways are too large a cache");
  EXPECT_EQ(error(given({}, 1, huge)).error.what, "9223372036854775807 sets of 1 ways are too large a cache");
  EXPECT_EQ(error(given(32768, 7, {})).key, GeometryKey::size);
  EXPECT_EQ(error(given({}, 1, huge)).key, GeometryKey::sets);
}

TEST(Geometry, LinesArePowersOfTwoUpTo64KiB) {
  EXPECT_EQ(line_of_bytes(1)->log2(), 0);
  EXPECT_EQ(line_of_bytes(65536)->log2(), 16);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{48}, std::uint64_t{131072}, ~std::uint64_t{0}}) {
    EXPECT_FALSE(line_of_bytes(bytes)) << bytes;
  }
  EXPECT_EQ(line_of_bytes(48).error().what, "line must be a power of two from 1 to 65536 bytes, not 48");
}

}  // namespace
}  // namespace cachescape::machine
