#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bytes/compressing.hpp"
#include "bytes/source.hpp"

namespace cachescape::bytes {
namespace {

using Compress = std::string (*)(const std::string&);
const std::vector<std::pair<std::string, Compress>> compressions{
    {"gzip", gzip_compressed}, {"xz", xz_compressed}, {"zstd", zstd_compressed}};

struct Outcome {
  std::string data;
  std::optional<Error> error;
};

Outcome decompress(std::string_view stored, std::size_t piece = 1000) {
  auto source = decompressed(memory_source(std::as_bytes(std::span(stored.data(), stored.size()))));
  if (!source) return {"", source.error()};
  Outcome outcome;
  std::string buffer(piece, '\0');
  while (true) {
    auto count = (*source)->read(std::as_writable_bytes(std::span(buffer)));
    if (!count) {
      // A source that has failed keeps failing.
      EXPECT_FALSE((*source)->read(std::as_writable_bytes(std::span(buffer))));
      outcome.error = count.error();
      break;
    }
    if (*count == 0) break;
    outcome.data.append(buffer, 0, *count);
  }
  return outcome;
}

std::string sample(std::size_t size) {
  std::string data;
  std::uint64_t state = 7;
  while (data.size() < size) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    data += std::to_string(state >> 50);
    data += '\n';
  }
  data.resize(size);
  return data;
}

TEST(Decompress, ReadsEveryFormatWithAnyBuffer) {
  for (const auto& [name, compress] : compressions) {
    for (const std::size_t size : {0u, 1u, 5000u, 1'500'000u}) {
      const std::string data = sample(size);
      for (const std::size_t piece : {999u, 2'000'000u}) {
        const Outcome outcome = decompress(compress(data), piece);
        EXPECT_FALSE(outcome.error) << name;
        EXPECT_TRUE(outcome.data == data) << name << ' ' << size;
      }
    }
  }
}

TEST(Decompress, ReadsConcatenatedMembersAsOne) {
  for (const auto& [name, compress] : compressions) {
    const std::string first = sample(70'000);
    const Outcome outcome = decompress(compress(first) + compress("") + compress("second"));
    EXPECT_FALSE(outcome.error) << name;
    EXPECT_TRUE(outcome.data == first + "second") << name;
  }
}

TEST(Decompress, PassesZerosBehindGzipMembers) {
  const Outcome outcome =
      decompress(gzip_compressed("a") + std::string(512, '\0') + gzip_compressed("b") + std::string(9, '\0'));
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.data, "ab");
}

TEST(Decompress, PassesSkippableZstdFrames) {
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0xyz", 11);
  const Outcome outcome = decompress(skippable + zstd_compressed("data") + skippable);
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.data, "data");
}

TEST(Decompress, CallsCutDataTruncated) {
  const std::string data = sample(20'000);
  for (const auto& [name, compress] : compressions) {
    const std::string stored = compress(data);
    for (const std::size_t length : {stored.size() / 10, stored.size() / 2, stored.size() - 1}) {
      const Outcome outcome = decompress(stored.substr(0, length));
      ASSERT_TRUE(outcome.error) << name << ' ' << length;
      EXPECT_EQ(outcome.error->kind, ErrorKind::truncated) << name << ' ' << length << ' ' << outcome.error->what;
      EXPECT_TRUE(data.starts_with(outcome.data));
    }
    const Outcome second = decompress(stored + stored.substr(0, 12));
    ASSERT_TRUE(second.error) << name;
    EXPECT_EQ(second.error->kind, ErrorKind::truncated) << name;
    EXPECT_TRUE(second.data == data);
  }
}

TEST(Decompress, CallsChangedDataCorrupt) {
  const std::string data = sample(20'000);
  for (const auto& [name, compress] : compressions) {
    std::string stored = compress(data);
    stored[stored.size() / 2] = static_cast<char>(stored[stored.size() / 2] ^ 0x10);
    const Outcome outcome = decompress(stored);
    ASSERT_TRUE(outcome.error) << name;
    EXPECT_EQ(outcome.error->kind, ErrorKind::corrupt) << name;
    EXPECT_TRUE(outcome.error->where.starts_with("memory, compressed byte ")) << outcome.error->where;

    const Outcome garbage = decompress(compress("x") + "something else entirely");
    ASSERT_TRUE(garbage.error) << name;
    EXPECT_EQ(garbage.error->kind, ErrorKind::corrupt) << name;
    EXPECT_EQ(garbage.data, "x");
  }
}

TEST(Decompress, RefusesAWindowThatIsTooLarge) {
  // A frame header that asks for 2 GiB: exponent 21, mantissa 0.
  const std::string stored("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00", 9);
  const Outcome outcome = decompress(stored);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind, ErrorKind::limit);
}

TEST(Decompress, NamesACompressionItDoesNotRead) {
  const Outcome outcome = decompress("BZh91AY&SY");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind, ErrorKind::unsupported);
  EXPECT_EQ(outcome.error->what, "it is compressed with bzip2, which is not read");
}

TEST(Decompress, LeavesOtherDataAloneAndSeekable) {
  for (const std::string_view data : {"", "x", "plain text, longer than any magic number", "\x1f\x8b"}) {
    const Outcome outcome = decompress(data);
    EXPECT_FALSE(outcome.error);
    EXPECT_EQ(outcome.data, data);
    auto source = decompressed(memory_source(std::as_bytes(std::span(data.data(), data.size()))));
    EXPECT_TRUE((*source)->seekable());
  }
}

TEST(Decompress, CountsStoredBytes) {
  const std::string stored = gzip_compressed(sample(100'000));
  auto source = decompressed(memory_source(std::as_bytes(std::span(stored))));
  ASSERT_TRUE(source);
  EXPECT_FALSE((*source)->seekable());
  EXPECT_FALSE((*source)->seek(0));
  std::array<std::byte, 200'000> buffer;
  EXPECT_EQ(read_fully(**source, buffer).value(), 100'000u);
  EXPECT_EQ((*source)->bytes_read(), stored.size());
  EXPECT_EQ((*source)->bytes_total(), stored.size());
}

RC_GTEST_PROP(Decompress, ReadsBackWhatWasCompressed, (const std::string& data, std::uint8_t piece)) {
  for (const auto& [name, compress] : compressions) {
    const Outcome outcome = decompress(compress(data), std::size_t{piece} + 1);
    RC_ASSERT(!outcome.error);
    RC_ASSERT(outcome.data == data);
  }
}

}  // namespace
}  // namespace cachescape::bytes
