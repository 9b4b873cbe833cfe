#include "product/synth/expansion.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "product/synth/seed_example.hpp"
#include "product/synth/write_expansion.hpp"
#include "trace/reader.hpp"

namespace cachescape::synth {
namespace {

std::vector<Access> all(const Seed& seed, const ExpansionOptions& options, std::size_t batch_size = 4096) {
  const auto layout = plan(seed, options);
  EXPECT_TRUE(layout);
  Expansion expansion(seed, *layout, options.base);
  std::vector<Access> accesses;
  AccessBatch batch(batch_size);
  while (*expansion.next(batch)) {
    EXPECT_EQ(batch.first.value, accesses.size());
    for (std::size_t i = 0; i < batch.size(); ++i) accesses.push_back(batch[i]);
  }
  EXPECT_EQ(expansion.status().accesses.value, accesses.size());
  return accesses;
}

std::vector<std::uint64_t> words(const std::vector<Access>& accesses, std::uint64_t base) {
  std::vector<std::uint64_t> numbers;
  for (const Access& a : accesses) numbers.push_back((a.address.value - base) / 4);
  return numbers;
}

TEST(Expansion, RepeatsPhasesAndReplicates) {
  ExpansionOptions options;
  options.base = 4096;
  const auto accesses = all(seed_example(), options);
  const std::vector<std::uint64_t> expected{0, 1, 128, 0, 1, 128, 256, 384, 385, 512, 384, 385, 512, 640};
  EXPECT_EQ(words(accesses, 4096), expected);
  EXPECT_EQ(accesses[4].kind, AccessKind::write);
  EXPECT_EQ(accesses[4].thread, ThreadId{1});
  EXPECT_EQ(accesses[6].kind, AccessKind::modify);
  EXPECT_EQ(accesses[6].size, 4u);
}

TEST(Expansion, IsAsLongAsAskedForInBatchesOfAnySize) {
  ExpansionOptions options;
  options.length = 31;
  const auto expected = all(seed_example(), options);
  ASSERT_EQ(expected.size(), 31u);
  EXPECT_EQ(expected[14], expected[0]);
  for (const std::size_t size : {1, 2, 3, 5, 7, 30}) EXPECT_EQ(all(seed_example(), options, size), expected) << size;
}

TEST(Expansion, IsAsLargeAsAskedForInWholeReplications) {
  ExpansionOptions options;
  options.footprint = 3 * 1536 + 1;
  const auto layout = plan(seed_example(), options);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->replications, 4u);
  EXPECT_EQ(layout->footprint, 4u * 1536);
  EXPECT_EQ(layout->round, 4u * 7);
  options.footprint = 1;
  EXPECT_EQ(plan(seed_example(), options)->replications, 2u);
  options.footprint = std::uint64_t{1} << 50;
  EXPECT_FALSE(plan(seed_example(), options));
}

/// Packed rounds are what an ordinary copy writes.
TEST(Expansion, IsWrittenAsItIsRead) {
  for (const std::uint64_t length : {1, 3, 5, 6, 7, 13, 14, 29, 100}) {
    ExpansionOptions options;
    options.length = length;
    const Seed seed = seed_example();
    Expansion expansion(seed, *plan(seed, options), options.base);
    std::string file;
    const auto writer = trace::TraceWriter::create(bytes::memory_sink(file), {});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(write_expansion(expansion, **writer, [](const AccessSource&) {}));
    ASSERT_TRUE((*writer)->finish());
    const auto reader =
        trace::TraceReader::open(bytes::memory_source(std::as_bytes(std::span(file))), Strictness::strict);
    ASSERT_TRUE(reader);
    std::vector<Access> accesses;
    AccessBatch batch;
    while (true) {
      const auto more = (*reader)->next(batch);
      ASSERT_TRUE(more) << more.error().what;
      if (!*more) break;
      for (std::size_t i = 0; i < batch.size(); ++i) accesses.push_back(batch[i]);
    }
    EXPECT_EQ(accesses, all(seed, options)) << length;
  }
}

}  // namespace
}  // namespace cachescape::synth
