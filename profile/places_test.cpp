// Places in files: hostile rows, form, agreement with the program, merging.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "profile/arbitrary.hpp"
#include "profile/example.hpp"
#include "profile/form.hpp"
#include "profile/merge.hpp"
#include "profile/places_form.hpp"
#include "profile/validate.hpp"

namespace cachescape::profile {
namespace {

template <class Change>
std::string complaint(Change change) {
  Profile profile = example_profile();
  change(profile.places);
  const auto form = check_form(profile);
  return form ? std::string("fine") : form.error().what;
}

TEST(PlacesForm, NamesWhatLeadsNowhere) {
  EXPECT_EQ(complaint([](Places&) {}), "fine");
  EXPECT_EQ(complaint([](Places& p) { p.locations[3].inlined_at = 5; }), "location 4: there is no location 6");
  EXPECT_EQ(complaint([](Places& p) { p.blocks[1].location = 9; }), "block 2: there is no location 10");
  EXPECT_EQ(complaint([](Places& p) { p.sites[0].block = 2; }), "site 1: there is no block 3");
  EXPECT_EQ(complaint([](Places& p) { p.counted[4].block = 7; }), "counter 5: there is no block 8");
  EXPECT_EQ(complaint([](Places& p) { p.objects[0].location = 5; }), "object 1: there is no location 6");
  EXPECT_EQ(complaint([](Places& p) { p.site_distances[3].place = 4; }), "distances of site 5: there is no such site");
  EXPECT_EQ(complaint([](Places& p) { p.object_distances[1].place = 0; }),
            "distances of object 1 follow those of object 1: they must ascend");
}

TEST(PlacesForm, CallersComeFirst) {
  EXPECT_EQ(complaint([](Places& p) { p.contexts[0].caller = 1; }),
            "context 1: its caller, context 2, does not come before it");
  EXPECT_EQ(complaint([](Places& p) { p.contexts[1].caller = 1; }),
            "context 2: its caller, context 2, does not come before it");
  EXPECT_EQ(complaint([](Places& p) { p.context_counted.back().context = 2; }),
            "counter stores of context 3: there is no such one");
  EXPECT_EQ(complaint([](Places& p) { std::swap(p.context_counted[0], p.context_counted[1]); }),
            "counter bytes.loaded of context 1: contexts and metrics must ascend");
  EXPECT_EQ(complaint([](Places& p) {
              for (std::uint32_t i = 1; i <= most_callers; ++i) p.contexts.push_back({i, "f", "f.c", false, 1});
            }),
            "context 1026 has more than 1024 callers");
}

TEST(PlacesForm, ChainsOfCallsEnd) {
  EXPECT_EQ(complaint([](Places& p) { p.locations[2].inlined_at = 3; }), "location 3 is inlined into itself");
  EXPECT_EQ(complaint([](Places& p) { p.locations[4].inlined_at = 4; }), "location 5 is inlined into itself");
  EXPECT_EQ(complaint([](Places& p) { p.locations[2].inlined_at = 4; }), "fine");
}

TEST(PlacesForm, NumbersAreInRange) {
  EXPECT_EQ(complaint([](Places& p) { p.blocks[0].executions = std::uint64_t{1} << 63; }),
            "block 1: the number of executions is 9223372036854775808: at most 9223372036854775807 can be kept");
  EXPECT_EQ(complaint([](Places& p) { p.objects[0].kind = static_cast<Object::Kind>(9); }),
            "object 1: there is no kind of object 9");
  EXPECT_EQ(complaint([](Places& p) { p.site_distances[0].kinds[0].bins.push_back({64, 1}); }), "fine");
  EXPECT_EQ(complaint([](Places& p) { p.site_distances[0].kinds[0].bins.push_back({65, 1}); }),
            "distances of site 1, read: distance 65 has more than five binary digits; 64 was expected");
  EXPECT_EQ(complaint([](Places& p) { p.site_distances[0].kinds[0].bins[0].count = 0; }),
            "distances of site 1, read: the count of value 0 is 0");
  EXPECT_EQ(complaint([](Places& p) { p.line = LineSize{31}; }), "places: the line size 2^31 is larger than 2^30");
}

template <class Change>
std::vector<std::string> problems_of(Change change) {
  Profile profile = example_profile();
  change(profile.places);
  return validate(profile);
}

using Problems = std::vector<std::string>;

TEST(ValidatePlaces, ArePartsOfTheProgram) {
  EXPECT_EQ(problems_of([](Places&) {}), Problems{});
  EXPECT_EQ(problems_of([](Places& p) { p.site_distances.pop_back(); }), Problems{});
  EXPECT_EQ(problems_of([](Places& p) { p.site_distances[1].accesses[1] = 300; }),
            (Problems{"site 2: 256 write touches are fewer than 300 accesses",
                      "all sites together make more write accesses than the 256 of the program"}));
  EXPECT_EQ(problems_of([](Places& p) { p.object_distances[1].bytes += 6400; }),
            (Problems{"all objects together access more than the 6400 bytes of the program"}));
  EXPECT_EQ(problems_of([](Places& p) { p.site_distances[3].kinds[2].cold += 1; }),
            (Problems{"all sites together make more modify touches than the 32 of the program",
                      "all sites together make more first touches than the 65 of the program"}));
  EXPECT_EQ(problems_of([](Places& p) { p.object_distances[1].kinds[1].cold += 320; }).front(),
            "object 2: 576 touches are more than 256 accesses to 2048 bytes can make");
}

TEST(ValidatePlaces, ContextsArePartsOfTheProgram) {
  EXPECT_EQ(problems_of([](Places& p) { p.context_counted[3].value += 1; }),
            (Problems{"all contexts together count more loads than the program"}));
  EXPECT_EQ(problems_of([](Places& p) { p.context_counted.pop_back(); }), Problems{});
}

/// Only what adds up has grown.
void expect_twice(const Places& twice, const Places& once, std::uint64_t most_bytes_factor) {
  Places expected = once;
  for (Block& b : expected.blocks) b.executions *= 2;
  for (Counted& c : expected.counted) c.value *= 2;
  for (Context& c : expected.contexts) c.calls *= 2;
  for (ContextCounted& c : expected.context_counted) c.value *= 2;
  for (Object& o : expected.objects) {
    o.allocations *= 2;
    o.bytes *= 2;
    o.most_bytes *= most_bytes_factor;
  }
  for (auto* all : {&expected.site_distances, &expected.object_distances}) {
    for (PlaceDistances& d : *all) {
      d.bytes *= 2;
      for (std::uint64_t& a : d.accesses) a *= 2;
      for (Histogram& h : d.kinds) {
        h.cold *= 2;
        for (Bin& b : h.bins) b.count *= 2;
      }
    }
  }
  EXPECT_EQ(twice, expected);
}

TEST(MergePlaces, AProfileWithItselfIsTwiceItself) {
  const std::array inputs = {example_profile(), example_profile()};
  expect_twice(merge(inputs, MergeKind::runs)->places, inputs[0].places, 1);
  expect_twice(merge(inputs, MergeKind::ranks)->places, inputs[0].places, 2);
  expect_twice(merge(inputs, MergeKind::threads)->places, inputs[0].places, 2);
}

TEST(MergePlaces, WhatOneInputKeepsApartStaysApart) {
  std::array inputs = {example_profile(), example_profile()};
  for (Profile& p : inputs) p.places.blocks[1] = p.places.blocks[0];
  expect_twice(merge(inputs, MergeKind::runs)->places, inputs[0].places, 1);
}

TEST(MergePlaces, UnifiesByValueWhateverTheOrder) {
  std::array inputs = {example_profile(), example_profile()};
  Places& p = inputs[1].places;
  // The call's location moves behind what was inlined there, and the sites change places.
  std::swap(p.locations[2], p.locations[3]);
  p.locations[2].inlined_at = 3;
  p.blocks[1].location = 2;
  p.objects[1].location = 3;
  for (Site& s : p.sites) s.location = s.location == 3 ? 2 : s.location;
  std::swap(p.sites[0], p.sites[1]);
  std::swap(p.site_distances[0], p.site_distances[1]);
  p.site_distances[0].place = 0;
  p.site_distances[1].place = 1;
  ASSERT_TRUE(check_form(inputs[1]));
  expect_twice(merge(inputs, MergeKind::runs)->places, inputs[0].places, 1);
}

TEST(MergePlaces, KeepsWhatOnlyOneInputHas) {
  std::array inputs = {example_profile(), example_profile()};
  inputs[1].places.sites[0].variable = "other";
  const Places merged = merge(inputs, MergeKind::runs)->places;
  ASSERT_EQ(merged.sites.size(), 5u);
  EXPECT_EQ(merged.sites[4].variable, "other");
  EXPECT_EQ(merged.site_distances[0], inputs[0].places.site_distances[0]);
  EXPECT_EQ(merged.site_distances[4].kinds, inputs[1].places.site_distances[0].kinds);
}

TEST(MergePlaces, RefusesWhatIsNotComparable) {
  std::array inputs = {example_profile(), example_profile()};
  inputs[1].places.line = LineSize{7};
  EXPECT_EQ(merge(inputs, MergeKind::runs).error().what,
            "the line size of places differs: input 1 has 64 bytes, input 2 has 128");
  inputs[1].places = {};
  EXPECT_EQ(merge(inputs, MergeKind::runs).error().what, "input 2 has no places, but input 1 has");
}

RC_GTEST_PROP(MergePlaces, OneInputStaysWhatItIs, ()) {
  Profile profile;
  profile.places = some_source();
  const std::array inputs = {profile};
  const auto merged = merge(inputs, MergeKind::runs);
  RC_ASSERT(merged.has_value());
  const Places& p = merged->places;
  RC_ASSERT(p.blocks.size() == profile.places.blocks.size());
  RC_ASSERT(p.sites.size() == profile.places.sites.size());
  RC_ASSERT(p.site_distances == profile.places.site_distances);
  RC_ASSERT(p.object_distances == profile.places.object_distances);
}

}  // namespace
}  // namespace cachescape::profile
