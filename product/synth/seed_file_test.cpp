#include "product/synth/seed_file.hpp"

#include <string>

#include <gtest/gtest.h>

#include "product/synth/seed_example.hpp"

namespace cachescape::synth {
namespace {

std::string written(const Seed& seed) {
  std::string file;
  const auto sink = bytes::memory_sink(file);
  EXPECT_TRUE(write_seed(seed, *sink));
  return file;
}

Result<Seed> read(const std::string& file) { return read_seed(std::as_bytes(std::span(file)), "x.seed"); }

TEST(SeedFile, ReadsWhatWasWritten) {
  Seed seed = seed_example();
  ASSERT_TRUE(read(written(seed)));
  EXPECT_EQ(*read(written(seed)), seed);
  seed.kinds.clear();
  seed.threads.clear();
  seed.unique = true;
  EXPECT_EQ(*read(written(seed)), seed);
}

TEST(SeedFile, EveryCutIsNoticed) {
  const std::string file = written(seed_example());
  for (std::size_t length = 0; length < file.size(); ++length) {
    const auto seed = read(file.substr(0, length));
    ASSERT_FALSE(seed) << length;
    EXPECT_EQ(seed.error().kind, length < 8 ? ErrorKind::malformed : ErrorKind::truncated) << length;
  }
  EXPECT_FALSE(read(file + 'x'));
}

TEST(SeedFile, EveryChangedByteIsNoticed) {
  const std::string file = written(seed_example());
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    EXPECT_FALSE(read(changed)) << at;
  }
}

TEST(SeedFile, WordsTwiceInAUniqueSeedAreRefused) {
  Seed seed = seed_example();
  seed.unique = true;
  seed.words[2] = 1;
  const auto back = read(written(seed));
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().what.find("word 1 is referenced twice"), std::string::npos) << back.error().what;
}

TEST(SeedFile, WordsOutsideOfTheMemoryAreRefused) {
  Seed seed = seed_example();
  seed.words[3] = 3 * 128;
  EXPECT_FALSE(read(written(seed)));
}

}  // namespace
}  // namespace cachescape::synth
