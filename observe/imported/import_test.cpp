#include "observe/imported/import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "observe/imported/excerpt.hpp"
#include "observe/imported/head.hpp"
#include "observe/imported/testing.hpp"

namespace cachescape::imported {
namespace {

struct Sample {
  std::string format;
  std::string path;
};
const std::vector<Sample> samples{
    {"champsim", "champsim/testdata/loop.champsim"},
    {"csv", "csv/testdata/crlf.csv"},
    {"csv", "csv/testdata/unsorted.tsv"},
    {"din", "din/testdata/classic.din"},
    {"din", "din/testdata/extended.din"},
    {"lackey", "lackey/testdata/ls.lackey"},
    {"oracle_general", "oracle_general/testdata/objects.oracleGeneral"},
    {"pinatrace", "pinatrace/testdata/plain.out"},
    {"pinatrace", "pinatrace/testdata/sizes_and_values.out"},
};

/// Delivers a few bytes at a time and cannot seek, as a pipe does.
class Trickle final : public bytes::ByteSource {
 public:
  explicit Trickle(std::string_view text) : text_(text) {}
  Result<std::size_t> read(std::span<std::byte> into) override {
    const std::size_t count = std::min({into.size(), text_.size(), std::size_t{13}});
    std::memcpy(into.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  const std::string& name() const override { return name_; }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  std::string_view text_;
  std::string name_ = "pipe";
};

TEST(Import, KnowsItsFormatsByName) {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  EXPECT_EQ(names, (std::vector<std::string>{"champsim", "csv", "din", "lackey", "oracle_general", "pinatrace"}));
}

TEST(Import, RecognisesEverySampleAndLosesNothing) {
  for (const Sample& sample : samples) {
    const std::string data = test_data(sample.path);
    const Reading named = read_text(data, sample.format);
    ASSERT_FALSE(named.error) << sample.path;
    auto source = open_trace(std::make_unique<Trickle>(data), "", {});
    ASSERT_TRUE(source) << sample.path << ": " << source.error().what;
    const Reading recognised = drain(**source, 1000);
    EXPECT_FALSE(recognised.error) << sample.path;
    EXPECT_EQ(recognised.accesses, named.accesses) << sample.path;
    EXPECT_FALSE(named.accesses.empty());
  }
}

TEST(Import, RecognisesNoSampleAsAnotherFormat) {
  for (const Sample& sample : samples) {
    const std::string data = test_data(sample.path);
    for (const Format& format : formats()) {
      const int score = format.recognise(as_bytes(data));
      if (format.name == sample.format) {
        EXPECT_GE(score, 50) << sample.path;
      } else {
        EXPECT_EQ(score, 0) << sample.path << " as " << format.name;
      }
    }
  }
}

TEST(Import, ReadsOrRefusesEveryPrefixOfEverySample) {
  for (const Sample& sample : samples) {
    const std::string data = test_data(sample.path);
    const Reading whole = read_text(data, sample.format);
    for (std::size_t length = 0; length < data.size(); ++length) {
      const std::string_view prefix = std::string_view(data).substr(0, length);
      const Reading strict = read_text(prefix, sample.format);
      EXPECT_LE(strict.accesses.size(), whole.accesses.size());
      const Reading forgiving = read_text(prefix, sample.format, lenient());
      EXPECT_GE(forgiving.accesses.size(), strict.accesses.size());
      if (strict.error) {
        EXPECT_FALSE(strict.error->what.empty());
        EXPECT_FALSE(strict.error->where.empty());
      } else {
        EXPECT_EQ(strict.accesses, forgiving.accesses);
      }
      read_text(prefix, "");
    }
  }
}

TEST(Import, ReportsABrokenLineOfARecognisedTrace) {
  const Reading r = read_text("0 10\n1 20\n0 30\n0 zz\n0 40\n", "");
  EXPECT_EQ(r.accesses.size(), 3u);
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->where, "test:4");
}

TEST(Import, ListsTheFormatsWhereTheNameIsUnknown) {
  const Reading r = read_text("0 10\n", "dinn");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::usage);
  EXPECT_EQ(r.error->what,
            "there is no trace format \"dinn\"; known are champsim, csv, din, lackey, oracle_general, pinatrace");
}

TEST(Import, ListsTheFormatsWhereNoneFits) {
  const Reading r = read_text("The quick brown fox\njumps\n", "");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->kind, ErrorKind::unsupported);
  EXPECT_EQ(
      r.error->what,
      "the format of the trace is not recognised; it begins with \"The quick brown fox\" and known are champsim, csv, "
      "din, lackey, oracle_general, pinatrace");
  EXPECT_EQ(r.error->hint, "name the format with --format");
}

TEST(Import, RecognisesNothingInZerosNoiseAndExecutables) {
  std::string noise;
  std::uint64_t state = 1;
  for (int i = 0; i < 70'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise += static_cast<char>(state >> 56);
  }
  for (const std::string& data : {std::string(70'000, '\0'), noise,
                                  "\x7f"
                                  "ELF\x02\x01\x01" +
                                      std::string(9, '\0') + noise}) {
    const Reading r = read_text(data, "");
    ASSERT_TRUE(r.error);
    EXPECT_EQ(r.error->kind, ErrorKind::unsupported);
  }
}

TEST(Import, RefusesAnEmptyInputWithoutAFormat) {
  const Reading r = read_text("", "");
  ASSERT_TRUE(r.error);
  EXPECT_EQ(r.error->what, "the input is empty");
  for (const Format& format : formats()) {
    const Reading named = read_text("", format.name);
    EXPECT_FALSE(named.error) << format.name;
    EXPECT_TRUE(named.accesses.empty());
  }
}

TEST(Import, LeavesOutALineCutByTheEndOfTheHead) {
  std::string text;
  while (text.size() < head_size) text += "0 123456\n";
  text.resize(head_size);
  HeadLines lines(as_bytes(text));
  std::string_view line;
  std::size_t count = 0;
  while (lines.next(line)) {
    EXPECT_EQ(line, "0 123456");
    ++count;
  }
  EXPECT_EQ(count, head_size / 9);
}

TEST(Excerpt, ShortensAndEscapes) {
  EXPECT_EQ(excerpt("a\tb\"c\\d\x01\xff"), R"("a\tb\"c\\d\x01\xff")");
  EXPECT_EQ(excerpt(std::string(61, 'x')), "\"" + std::string(60, 'x') + "…\"");
}

}  // namespace
}  // namespace cachescape::imported
