#include "product/proxy/measure.hpp"

#include <gtest/gtest.h>

#include "product/proxy/processor.hpp"
#include "product/proxy/seed_example.hpp"

namespace cachescape::proxy {
namespace {

TEST(Measure, DoesWhatItWasAskedFor) {
  MeasureOptions options;
  options.footprint = Bytes{100'000};
  options.chains = 3;
  options.operations = 10'000;
  options.repetitions = 4;
  options.processor = usable_processors().back();
  options.counters = true;
  bool told = false;
  options.progress = [&](std::string_view stage, double done) {
    told = true;
    EXPECT_FALSE(stage.empty());
    EXPECT_GE(done, 0);
    EXPECT_LE(done, 1);
  };
  const auto before = usable_processors();
  const auto measured = measure(shuffled_seed(16, 1000, 4, 1), options);
  ASSERT_TRUE(measured) << measured.error().what;
  EXPECT_EQ(measured->layout.replications, 13u);
  EXPECT_EQ(measured->operations, 10'002u);
  EXPECT_EQ(measured->warm_up, 13'002u);
  EXPECT_EQ(measured->seconds.size(), 4u);
  EXPECT_EQ(measured->processor, options.processor);
  EXPECT_GT(measured->rate.least, 0);
  EXPECT_LE(measured->rate.least, measured->rate.median);
  EXPECT_TRUE(told);
  EXPECT_EQ(usable_processors(), before);
  ASSERT_TRUE(measured->counts);
  for (const auto& value : measured->counts->values) EXPECT_TRUE(value || !measured->counts->why_missing.empty());
}

TEST(Measure, ChoosesTheNumberOfOperationsItself) {
  MeasureOptions options;
  options.repetitions = 1;
  const auto measured = measure(shuffled_seed(1, 100, 8, 1), options);
  ASSERT_TRUE(measured);
  EXPECT_GT(measured->operations, 10'000u);
}

TEST(Measure, RefusesWhatMakesNoSense) {
  const synth::Seed seed = shuffled_seed(1, 100, 4, 1);
  MeasureOptions options;
  options.repetitions = 0;
  EXPECT_EQ(measure(seed, options).error().kind, ErrorKind::usage);
  options.repetitions = 1;
  options.delay = -1;
  EXPECT_EQ(measure(seed, options).error().kind, ErrorKind::usage);
  options.delay = 0;
  options.processor = 100'000;
  EXPECT_EQ(measure(seed, options).error().kind, ErrorKind::unsupported);
}

TEST(Memory, TellsWhichPagesItGot) {
  const Bytes size{std::uint64_t{8} << 20};
  const auto small = Memory::map(size, false);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->pages(), Pages::small);
  EXPECT_EQ(small->in_huge_pages().value, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small->data()) % 512, 0u);

  const auto huge = Memory::map(size, true);
  ASSERT_TRUE(huge);
  auto* const bytes = static_cast<char*>(huge->data());
  for (std::uint64_t i = 0; i < size.value; i += 4096) bytes[i] = 1;
  EXPECT_LE(huge->in_huge_pages().value, size.value);
}

}  // namespace
}  // namespace cachescape::proxy
