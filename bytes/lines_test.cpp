#include "bytes/lines.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "bytes/compressing.hpp"

namespace cachescape::bytes {
namespace {

std::unique_ptr<ByteSource> source_of(std::string_view text) {
  return memory_source(std::as_bytes(std::span(text.data(), text.size())), "test");
}

std::vector<std::string> lines_of(std::string_view text) {
  LineReader reader(source_of(text), 2 * LineReader::longest_line);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line) == LineStatus::line) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.line_number(), lines.size());
  }
  EXPECT_TRUE(line.empty());
  return lines;
}

/// Fails after its text.
class BrokenSource final : public ByteSource {
 public:
  explicit BrokenSource(std::string_view text) : text_(text) {}
  Result<std::size_t> read(std::span<std::byte> into) override {
    if (text_.empty()) return failure(ErrorKind::io, "broken", name_);
    const std::size_t count = std::min(into.size(), text_.size());
    std::memcpy(into.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  const std::string& name() const override { return name_; }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  std::string_view text_;
  std::string name_ = "broken";
};

TEST(Lines, AcceptsEveryLineEnd) {
  EXPECT_EQ(lines_of(""), (std::vector<std::string>{}));
  EXPECT_EQ(lines_of("a"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(lines_of("a\n"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(lines_of("\n\n"), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(lines_of("a\r\nb\n\r\nc\r"), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(lines_of("a\rb\n"), (std::vector<std::string>{"a\rb"}));
}

TEST(Lines, SaysWhetherTheLastLineHadAnEnd) {
  LineReader reader(source_of("a\nb"));
  std::string_view line;
  ASSERT_EQ(reader.next(line), LineStatus::line);
  EXPECT_TRUE(reader.terminated());
  ASSERT_EQ(reader.next(line), LineStatus::line);
  EXPECT_FALSE(reader.terminated());
  EXPECT_EQ(reader.where(), "test:2");
  EXPECT_EQ(reader.next(line), LineStatus::end);
  EXPECT_EQ(reader.next(line), LineStatus::end);
}

TEST(Lines, RefusesALongLineAndGoesOnBehindIt) {
  const std::string fits(LineReader::longest_line, 'x');
  for (const std::size_t excess : {std::size_t{1}, 5 * LineReader::longest_line}) {
    const std::string text = fits + "\n" + fits + std::string(excess, 'y') + "\nlast\n";
    LineReader reader(source_of(text), 2 * LineReader::longest_line);
    std::string_view line;
    ASSERT_EQ(reader.next(line), LineStatus::line);
    EXPECT_EQ(line.size(), LineReader::longest_line);
    ASSERT_EQ(reader.next(line), LineStatus::too_long);
    EXPECT_EQ(line.front(), 'x');
    EXPECT_EQ(reader.error().kind, ErrorKind::limit);
    EXPECT_EQ(reader.error().what, "the line is longer than 65536 bytes");
    EXPECT_EQ(reader.error().where, "test:2");
    ASSERT_EQ(reader.next(line), LineStatus::line);
    EXPECT_EQ(line, "last");
    EXPECT_EQ(reader.line_number(), 3u);
    EXPECT_EQ(reader.next(line), LineStatus::end);
  }
}

TEST(Lines, EndsInsideALongLine) {
  const std::string text(3 * LineReader::longest_line, 'x');
  LineReader reader(source_of(text), 2 * LineReader::longest_line);
  std::string_view line;
  ASSERT_EQ(reader.next(line), LineStatus::too_long);
  EXPECT_EQ(reader.next(line), LineStatus::end);
}

TEST(Lines, DeliversWholeLinesBeforeAFailure) {
  LineReader reader(std::make_unique<BrokenSource>("a\nb\npart"));
  std::string_view line;
  ASSERT_EQ(reader.next(line), LineStatus::line);
  ASSERT_EQ(reader.next(line), LineStatus::line);
  EXPECT_EQ(line, "b");
  EXPECT_EQ(reader.next(line), LineStatus::failed);
  EXPECT_EQ(reader.error().what, "broken");
  EXPECT_EQ(reader.next(line), LineStatus::failed);
}

TEST(Lines, GrowsItsBufferForLinesLongerThanTheStoredInput) {
  const std::string text = std::string(60'000, 'x') + "\n" + std::string(50'000, 'y') + "\nend";
  const std::string stored = zstd_compressed(text);
  ASSERT_LT(stored.size(), 1000u);
  LineReader reader(decompressed(source_of(stored)).value());
  std::string_view line;
  ASSERT_EQ(reader.next(line), LineStatus::line);
  EXPECT_EQ(line.size(), 60'000u);
  ASSERT_EQ(reader.next(line), LineStatus::line);
  EXPECT_EQ(line.size(), 50'000u);
  ASSERT_EQ(reader.next(line), LineStatus::line);
  EXPECT_EQ(line, "end");
}

RC_GTEST_PROP(Lines, SplitsLikeANaiveReader, (const std::vector<std::uint16_t>& lengths)) {
  // Long enough to cross the buffer's end again and again.
  std::string text;
  std::vector<std::string> expected;
  for (const std::uint16_t length : lengths) {
    expected.emplace_back(length, static_cast<char>('a' + length % 26));
    text += expected.back() + (length % 3 == 0 ? "\r\n" : "\n");
  }
  RC_ASSERT(lines_of(text) == expected);
}

}  // namespace
}  // namespace cachescape::bytes
