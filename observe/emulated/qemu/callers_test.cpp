// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

extern "C" {
#include "observe/emulated/qemu/observer.h"
}

namespace {

struct Place {
  bool calls = false, translated_unwatched = false;
};

/// The table is one for the process, and so is what it is compared with.
std::map<std::uint64_t, Place>& naive() {
  static std::map<std::uint64_t, Place> places;
  return places;
}

RC_GTEST_PROP(QemuCallers, AreThoseOfAMap, ()) {
  const auto steps = *rc::gen::container<std::vector<std::tuple<int, std::uint64_t>>>(
      rc::gen::tuple(rc::gen::inRange(0, 20), rc::gen::inRange<std::uint64_t>(1, 20000)));
  for (const auto& [what, address] : steps) {
    Place& place = naive()[address];
    if (what == 0) {
      cs_forget_blocks();
      for (auto& [_, other] : naive()) other.translated_unwatched = false;
    } else if (what == 1) {
      cs_forget_sites();
    } else if (what < 10) {
      place.calls = true;
      RC_ASSERT(cs_returns_are_seen(address) == !place.translated_unwatched);
    } else {
      cs_caller* const caller = cs_caller_at(address);
      RC_ASSERT((caller != nullptr) == place.calls);
      if (caller != nullptr) RC_ASSERT(caller->returns_to == address);
      place.translated_unwatched = !place.calls;
    }
  }
}

TEST(QemuCallers, StayWhereTheyAreWhileTheTableGrows) {
  const std::uint64_t first = UINT64_C(1) << 40;
  ASSERT_TRUE(cs_returns_are_seen(first));
  cs_caller* const caller = cs_caller_at(first);
  caller->site = 7;
  for (std::uint64_t i = 1; i < 20000; ++i) EXPECT_EQ(cs_caller_at(first + i), nullptr);
  EXPECT_EQ(cs_caller_at(first), caller);
  EXPECT_FALSE(cs_returns_are_seen(first + 5));
  cs_forget_sites();
  EXPECT_EQ(caller->site, 0U);
  EXPECT_TRUE(cs_returns_are_seen(0));  // of which nothing is noted
  EXPECT_EQ(cs_caller_at(0), nullptr);
}

}  // namespace
