#include <gtest/gtest.h>

#include "machine/inline_text.hpp"
#include "model/naive_profile.hpp"
#include "product/report/prediction_json.hpp"
#include "product/report/prediction_text.hpp"

namespace cachescape::report {
namespace {

model::Prediction example(const machine::Machine& machine, Sampling sampling = {}) {
  std::vector<Access> accesses = model::naive::accesses_of("abacbdda");
  accesses[4].kind = AccessKind::modify;
  Profile profile = model::naive::profile_of(
      accesses, {.lines = {LineSize{6}}, .sets = {1, 2}, .ways = 2, .by_thread = false, .write_backs = true});
  profile.sampling = sampling;
  return *model::predict(profile, machine);
}

machine::Machine two_levels() {
  machine::Machine machine = *machine::read_inline("L1:128,1,64 L2:192,full,64,fifo");
  machine.levels[0].latency = 4;
  machine.levels[1].latency = 10;
  machine.memory_latency = 100;
  return machine;
}

TEST(PredictionText, SaysHowEachLevelWasPredicted) {
  const machine::Machine machine = two_levels();
  EXPECT_EQ(
      prediction_text(example(machine), machine, {}),
      "L1  128 B, direct mapped, 64-byte lines\n"
      "L2  192 B, fully associative, 64-byte lines\n"
      "\n"
      "    accesses  hits  misses  miss ratio  of all touches\n"
      "L1         8     3       5     62.50 %         62.50 %\n"
      "L2         5     0       5    100.00 %         62.50 %\n"
      "\n"
      "misses by cause  cold  capacity  conflict\n"
      "L1                  4         1         0\n"
      "L2                  4         1         0\n"
      "\n"
      "traffic  bytes in  bytes out  write-backs\n"
      "L1          320 B       64 B            1\n"
      "L2          320 B        0 B            0\n"
      "\n"
      "model  method       write-backs  because\n"
      "L1     exact        modelled     the profile holds the distances of this geometry\n"
      "L2     approximate  modelled     it is judged by all touches, not by those that miss nearer to the core; it is "
      "predicted as LRU\n"
      "\n"
      "average access time  64.00 cycles\n"
      "\n"
      "Note: L1's write-backs and bytes out are modelled: chance decides which lines share a set.\n"
      "Note: L2's write-backs and bytes out are modelled: the misses are not exact.\n"
      "Warning: L2 replaces by fifo; it is predicted as LRU.\n");
}

TEST(PredictionText, SaysWhereWriteBacksAreNotKnown) {
  const Profile profile = model::naive::profile_of(model::naive::accesses_of("ab"), {});
  const machine::Machine machine = *machine::read_inline("L1:128,full,64");
  const std::string text = prediction_text(*model::predict(profile, machine), machine, {});
  EXPECT_TRUE(
      text.ends_with("\n\nNote: L1's write-backs and bytes out are not known and shown as 0: the profile does "
                     "not hold them at 64-byte lines (record with --write-backs 64).\n"))
      << text;
}

TEST(PredictionText, ShowsTheConfidenceOfASample) {
  const machine::Machine machine = *machine::read_inline("L1:128,1,64");
  const model::Prediction p =
      example(machine, {.method = Sampling::Method::interval, .rate = 0.5, .on = 4, .off = 4, .analysed = 4});
  const std::string text = prediction_text(p, machine, {});
  EXPECT_NE(text.find("model  method       95 % of misses between  write-backs  because\nL1     approximate  0 and 16"),
            std::string::npos)
      << text;
}

TEST(PredictionJson, HasTheKeysOfTheSimulatorAndItsOwn) {
  const machine::Machine machine = two_levels();
  const auto json = prediction_json(example(machine), machine);
  EXPECT_EQ(json["schema"], "cachescape.outcome");
  EXPECT_EQ(json["method"], "prediction");
  EXPECT_EQ(json["levels"][0]["misses"], 5);
  EXPECT_EQ(json["levels"][0]["model"], "exact");
  EXPECT_TRUE(json["levels"][0]["why_not_exact"].empty());
  EXPECT_FALSE(json["levels"][0].contains("confidence"));
  EXPECT_EQ(json["levels"][1]["model"], "approximate");
  EXPECT_EQ(json["amat_cycles"], 64.0);
  EXPECT_EQ(json["warnings"].dump(), "[\"L2 replaces by fifo; it is predicted as LRU\"]");
  EXPECT_EQ(json["not_modelled"].dump(), "[\"upgrades\",\"invalidations\",\"remote_hits\"]");
  EXPECT_EQ(json["levels"][0]["write_backs"], 1);
  EXPECT_EQ(json["levels"][0]["bytes_out"], 64);
  EXPECT_EQ(json["levels"][0]["write_back_model"], "modelled");
  EXPECT_EQ(json["levels"][0]["write_back_note"], "chance decides which lines share a set");
}

TEST(PredictionJson, HasTheConfidenceOfASample) {
  machine::Machine machine = *machine::read_inline("L1:384,1,64");
  const auto json =
      prediction_json(example(machine, {.method = Sampling::Method::shards_rate, .rate = 1, .analysed = 8}), machine);
  EXPECT_EQ(json["levels"][0]["model"], "sdcm");
  // Nothing was left out at a rate of 1.
  EXPECT_EQ(json["levels"][0]["confidence"].dump(), "{\"level\":0.95,\"misses\":[5,5]}");
  EXPECT_TRUE(json["amat_cycles"].is_null());
}

}  // namespace
}  // namespace cachescape::report
