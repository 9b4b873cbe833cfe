// Traces written and read back: whole, cut, damaged, sought in, piped.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "bytes/replayed.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

namespace cachescape::trace {
namespace {

struct Contents {
  std::vector<Access> accesses;
  std::vector<std::pair<std::uint64_t, BlockEntry>> blocks;  ///< (position, entry with index 0)

  friend bool operator==(const Contents&, const Contents&) = default;
};

struct ReadBack {
  Contents contents;
  std::vector<std::uint64_t> positions;
  SourceStatus status;
  Metadata metadata;
  std::optional<Error> error;
};

std::string write_trace(const Contents& contents, std::uint32_t round_accesses) {
  std::string file;
  auto writer = TraceWriter::create(bytes::memory_sink(file), {{"source", "test"}}, {3, round_accesses});
  EXPECT_TRUE(writer);
  auto block = contents.blocks.begin();
  for (std::size_t i = 0; i <= contents.accesses.size(); ++i) {
    for (; block != contents.blocks.end() && block->first == i; ++block)
      (*writer)->enter_block(block->second.thread, block->second.block);
    if (i < contents.accesses.size()) {
      EXPECT_TRUE((*writer)->append(contents.accesses[i]));
    }
  }
  EXPECT_TRUE((*writer)->finish({{"instructions", "7"}}));
  return file;
}

ReadBack drain(TraceReader& reader, std::size_t batch_size) {
  ReadBack back;
  AccessBatch batch(batch_size);
  while (true) {
    auto more = reader.next(batch);
    if (!more) {
      back.error = more.error();
      break;
    }
    if (!*more) break;
    for (const BlockEntry& b : batch.blocks) {
      back.contents.blocks.push_back({batch.first.value + b.index, {0, b.thread, b.block}});
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      back.contents.accesses.push_back(batch[i]);
      back.positions.push_back(batch.first.value + i);
    }
  }
  back.status = reader.status();
  back.metadata = reader.metadata();
  return back;
}

ReadBack read_trace(std::string_view file, Strictness strictness, std::size_t batch_size = 100, bool pipe = false) {
  auto source = bytes::memory_source(std::as_bytes(std::span(file)));
  if (pipe) source = bytes::replayed({}, std::move(source));
  auto reader = TraceReader::open(std::move(source), strictness);
  if (!reader) {
    ReadBack back;
    back.error = reader.error();
    return back;
  }
  return drain(**reader, batch_size);
}

rc::Gen<Access> an_access(int threads) {
  return rc::gen::construct<Access>(
      rc::gen::construct<Address>(
          rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange<std::uint64_t>(0x1000, 0x1200))),
      rc::gen::element<std::uint32_t>(0, 1, 4, 8, 64, 0xffffffff),
      rc::gen::element(AccessKind::read, AccessKind::write, AccessKind::modify),
      rc::gen::construct<ThreadId>(
          rc::gen::map(rc::gen::inRange(0, threads), [](int t) { return static_cast<std::uint32_t>(t * 1000); })),
      rc::gen::construct<SiteId>(
          rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0x400000, 0x400008), rc::gen::arbitrary<std::uint64_t>())));
}

Contents some_contents(int threads, bool with_blocks) {
  Contents c;
  c.accesses = *rc::gen::container<std::vector<Access>>(an_access(threads));
  if (with_blocks) {
    auto positions =
        *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, c.accesses.size() + 1));
    std::ranges::sort(positions);
    for (const std::uint64_t p : positions) {
      // A block is entered by the thread that makes the next access, so that its place in the order is known.
      const ThreadId thread = p < c.accesses.size() ? c.accesses[p].thread : ThreadId{0};
      c.blocks.push_back({p, {0, thread, BlockId{*rc::gen::inRange<std::uint64_t>(0, 5)}}});
    }
  }
  return c;
}

/// A trace of `n` accesses of two threads that compresses badly enough to need all its bytes.
Contents sample(std::size_t n) {
  Contents c;
  std::uint64_t x = 1;
  for (std::size_t i = 0; i < n; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    c.accesses.push_back({Address{x >> 20}, static_cast<std::uint32_t>(x >> 60), AccessKind::write,
                          ThreadId{static_cast<std::uint32_t>(x >> 40 & 1)}, SiteId{x >> 58}});
  }
  return c;
}

RC_GTEST_PROP(Trace, ComesBackAsItWasWritten, ()) {
  const Contents contents = some_contents(*rc::gen::inRange(1, 5), false);
  const auto round = *rc::gen::inRange<std::uint32_t>(1, 40);
  const std::string file = write_trace(contents, round);
  const ReadBack back =
      read_trace(file, Strictness::strict, *rc::gen::inRange<std::size_t>(1, 50), *rc::gen::arbitrary<bool>());
  RC_ASSERT(!back.error);
  RC_ASSERT(back.contents == contents);
  for (std::size_t i = 0; i < back.positions.size(); ++i) RC_ASSERT(back.positions[i] == i);
  RC_ASSERT(value_of(back.metadata, "source") == "test");
  RC_ASSERT(value_of(back.metadata, "instructions") == "7");
}

RC_GTEST_PROP(Trace, KeepsBlocksOfOneThreadInPlace, ()) {
  const Contents contents = some_contents(1, true);
  const ReadBack back = read_trace(write_trace(contents, *rc::gen::inRange<std::uint32_t>(1, 40)), Strictness::strict,
                                   *rc::gen::inRange<std::size_t>(1, 50));
  RC_ASSERT(!back.error);
  RC_ASSERT(back.contents == contents);
}

RC_GTEST_PROP(Trace, KeepsEachThreadsBlocksBeforeTheSameAccess, ()) {
  const Contents contents = some_contents(4, true);
  const ReadBack back = read_trace(write_trace(contents, *rc::gen::inRange<std::uint32_t>(1, 40)), Strictness::strict);
  RC_ASSERT(!back.error);
  RC_ASSERT(back.contents.accesses == contents.accesses);
  const auto of_thread = [](const Contents& c, ThreadId t) {
    std::vector<std::pair<std::uint64_t, BlockId>> found;
    for (const auto& [position, b] : c.blocks) {
      if (b.thread == t && position < c.accesses.size()) found.emplace_back(position, b.block);
    }
    return found;
  };
  for (std::uint32_t t = 0; t < 4; ++t)
    RC_ASSERT(of_thread(back.contents, ThreadId{t * 1000}) == of_thread(contents, ThreadId{t * 1000}));
}

RC_GTEST_PROP(Trace, SeeksToEveryPosition, ()) {
  const Contents contents = some_contents(*rc::gen::inRange(1, 4), false);
  const std::string file = write_trace(contents, *rc::gen::inRange<std::uint32_t>(1, 40));
  const auto position = *rc::gen::inRange<std::uint64_t>(0, contents.accesses.size() + 3);
  auto reader = TraceReader::open(bytes::memory_source(std::as_bytes(std::span(file))), Strictness::strict);
  RC_ASSERT(reader.has_value());
  RC_ASSERT((*reader)->load_index().value());
  RC_ASSERT((*reader)->seek(AccessCount{position}).has_value());
  const ReadBack back = drain(**reader, 7);
  RC_ASSERT(!back.error);
  const auto from = std::min<std::size_t>(position, contents.accesses.size());
  RC_ASSERT(back.contents.accesses == std::vector<Access>(contents.accesses.begin() + static_cast<std::ptrdiff_t>(from),
                                                          contents.accesses.end()));
  if (!back.positions.empty()) RC_ASSERT(back.positions.front() == position);
}

TEST(Trace, EveryCutIsAnErrorAndLeavesAPrefix) {
  const Contents contents = sample(60);
  const std::string file = write_trace(contents, 25);
  for (std::size_t n = 0; n < file.size(); ++n) {
    const std::string cut = file.substr(0, n);
    const ReadBack strict = read_trace(cut, Strictness::strict);
    ASSERT_TRUE(strict.error) << n;
    const ReadBack lenient = read_trace(cut, Strictness::lenient);
    ASSERT_EQ(lenient.error.has_value(), n < sizeof(FileHeader)) << n;
    ASSERT_GE(lenient.contents.accesses.size(), strict.contents.accesses.size());
    ASSERT_TRUE(
        std::equal(strict.contents.accesses.begin(), strict.contents.accesses.end(), contents.accesses.begin()));
  }
}

TEST(Trace, ATruncatedTraceSaysWhereAndWhatIsIntact) {
  Contents contents = sample(60);
  for (Access& a : contents.accesses) a.thread = ThreadId{0};
  const std::string file = write_trace(contents, 25);
  auto reader = TraceReader::open(bytes::memory_source(std::as_bytes(std::span(file))), Strictness::strict);
  ASSERT_TRUE((*reader)->load_index().value());
  const std::uint64_t second = (*reader)->index()[1].offset;
  const auto error_at = [&](std::uint64_t n) {
    return *read_trace(std::string_view(file).substr(0, n), Strictness::strict).error;
  };

  EXPECT_EQ(error_at(second).kind, ErrorKind::truncated);
  EXPECT_EQ(error_at(second).what, "the trace was not finished: its end is missing");
  EXPECT_EQ(error_at(second).where, "memory: byte " + std::to_string(second));
  EXPECT_EQ(error_at(second).hint, "the 25 accesses before it are intact; --lenient uses them");
  EXPECT_EQ(error_at(second + 70).what, "the trace ends inside a chunk");
}

TEST(Trace, EveryFlippedBitIsNoticed) {
  const std::string file = write_trace(sample(30), 15);
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; bit += 3) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      ASSERT_TRUE(read_trace(damaged, Strictness::strict).error) << at;
      (void)read_trace(damaged, Strictness::lenient);
    }
  }
}

TEST(Trace, LenientReadingLosesOnlyTheDamagedChunk) {
  Contents contents = sample(100);
  for (Access& a : contents.accesses) a.thread = ThreadId{3};
  const std::string file = write_trace(contents, 25);
  auto reader = TraceReader::open(bytes::memory_source(std::as_bytes(std::span(file))), Strictness::strict);
  ASSERT_TRUE((*reader)->load_index().value());
  const Index index = (*reader)->index();
  ASSERT_EQ(index.size(), 4u);

  for (const std::uint64_t place : {std::uint64_t{0}, sizeof(ChunkHeader) + 2}) {  // in the header, in the payload
    std::string damaged = file;
    damaged[index[1].offset + place] = static_cast<char>(damaged[index[1].offset + place] ^ 0x10);
    const ReadBack back = read_trace(damaged, Strictness::lenient);
    ASSERT_FALSE(back.error);
    EXPECT_EQ(back.contents.accesses.size(), 75u);
    EXPECT_EQ(back.status.lost_accesses.value, 25u);
    EXPECT_EQ(back.positions[25], 50u);
    EXPECT_EQ(back.contents.accesses[25], contents.accesses[50]);
  }
}

TEST(Trace, OneLostThreadLeavesTheOthersInOrder) {
  const Contents contents = sample(100);
  const std::string file = write_trace(contents, 100);
  auto reader = TraceReader::open(bytes::memory_source(std::as_bytes(std::span(file))), Strictness::strict);
  ASSERT_TRUE((*reader)->load_index().value());
  const IndexEntry lost = (*reader)->index()[0];
  std::string damaged = file;
  damaged[lost.offset + sizeof(ChunkHeader)] = static_cast<char>(damaged[lost.offset + sizeof(ChunkHeader)] ^ 1);
  const ReadBack back = read_trace(damaged, Strictness::lenient);
  std::vector<Access> expected;
  std::ranges::copy_if(contents.accesses, std::back_inserter(expected),
                       [&](const Access& a) { return a.thread != lost.thread; });
  EXPECT_EQ(back.contents.accesses, expected);
  EXPECT_EQ(back.status.lost_accesses.value, lost.accesses);
}

TEST(Trace, BytesAfterTheEndAreNoticed) {
  const std::string file = write_trace(sample(10), 25) + "x";
  EXPECT_EQ(read_trace(file, Strictness::strict).error->what, "there are more bytes after the end of the trace");
  EXPECT_EQ(read_trace(file, Strictness::lenient).contents.accesses.size(), 10u);
}

TEST(Trace, RefusesOtherFiles) {
  const ReadBack back = read_trace("hello, world, this is not a trace", Strictness::lenient);
  ASSERT_TRUE(back.error);
  EXPECT_EQ(back.error->what, "this is not a cachescape trace");
}

TEST(Trace, RefusesOtherVersionsByName) {
  std::string file = write_trace(sample(1), 25);
  auto header = load<FileHeader>(std::as_bytes(std::span(file)));
  header.version = 9;
  header.checksum = checksum_of_fields(header);
  std::memcpy(file.data(), &header, sizeof header);
  EXPECT_EQ(read_trace(file, Strictness::strict).error->what,
            "the trace has format version 9, this program reads version 1");
}

TEST(Trace, AFullDiskKeepsWhatWasWritten) {
  // A sink that takes `room` bytes and then fails, as a disk does.
  class Full : public bytes::ByteSink {
   public:
    Full(std::string& out, std::size_t room) : out_(out), room_(room) {}
    Result<void> write(std::span<const std::byte> bytes) override {
      const std::size_t n = std::min(bytes.size(), room_ - out_.size());
      out_.append(reinterpret_cast<const char*>(bytes.data()), n);
      if (n < bytes.size()) return failure(ErrorKind::io, "no space left");
      return {};
    }
    Result<void> close() override { return {}; }
    const std::string& name() const override { return name_; }
    std::uint64_t bytes_written() const override { return out_.size(); }

   private:
    std::string& out_;
    std::size_t room_;
    std::string name_ = "full";
  };
  const Contents contents = sample(1000);
  std::string file;
  auto writer = TraceWriter::create(std::make_unique<Full>(file, 5000), {}, {3, 50});
  Result<void> result;
  for (std::size_t i = 0; i < contents.accesses.size() && result; ++i) result = (*writer)->append(contents.accesses[i]);
  ASSERT_FALSE(result);
  const ReadBack back = read_trace(file, Strictness::lenient);
  ASSERT_FALSE(back.error);
  ASSERT_GE(back.contents.accesses.size(), 100u);
  EXPECT_TRUE(
      std::equal(back.contents.accesses.begin(), back.contents.accesses.begin() + 100, contents.accesses.begin()));
}

TEST(Trace, ReadsFilesOfFormatVersion1) {
  std::ifstream in(CACHESCAPE_SOURCE_DIR "/tests/compat/version-1.cstrace", std::ios::binary);
  ASSERT_TRUE(in) << "tests/compat/version-1.cstrace is missing";
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const ReadBack back = read_trace(file, Strictness::strict);
  ASSERT_FALSE(back.error);
  EXPECT_EQ(back.contents.accesses, sample(500).accesses);
}

}  // namespace
}  // namespace cachescape::trace
