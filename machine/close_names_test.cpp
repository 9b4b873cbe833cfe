#include "machine/close_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cachescape::machine {
namespace {

TEST(CloseNames, CountsChanges) {
  EXPECT_EQ(spelling_distance("", ""), 0);
  EXPECT_EQ(spelling_distance("ways", "ways"), 0);
  EXPECT_EQ(spelling_distance("Ways", "wAYS"), 0);
  EXPECT_EQ(spelling_distance("wayz", "ways"), 1);
  EXPECT_EQ(spelling_distance("wasy", "ways"), 1);
  EXPECT_EQ(spelling_distance("way", "ways"), 1);
  EXPECT_EQ(spelling_distance("", "ways"), 4);
  EXPECT_EQ(spelling_distance("kitten", "sitting"), 3);
  EXPECT_EQ(spelling_distance(std::string(65, 'a'), "a"), 65);
}

TEST(CloseNames, OffersTheNearestFirst) {
  constexpr std::string_view known[] = {"zen2", "zen3", "zen4", "sapphire-rapids", "power4", "power4-evaluated"};
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(close_names("zen9", known, 3), (Names{"zen2", "zen3", "zen4"}));
  EXPECT_EQ(close_names("ZEN4", known, 1), (Names{"zen4"}));
  EXPECT_EQ(close_names("sapphire", known, 3), (Names{"sapphire-rapids"}));
  EXPECT_EQ(close_names("saphire-rapid", known, 3), (Names{"sapphire-rapids"}));
  EXPECT_EQ(close_names("pwoer4", known, 3), (Names{"power4"}));
  EXPECT_EQ(close_names("quantum", known, 3), Names{});
  EXPECT_EQ(close_names("", known, 3), Names{});
}

}  // namespace
}  // namespace cachescape::machine
