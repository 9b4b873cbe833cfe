// Hostile tables and records of a program, as the collector reads them.
//
// Input: two numbers of 16 bits, the bytes of tables and of descriptors; these; the rest are the words of a block.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "observe/collect/made_module.hpp"
#include "observe/collect/record_decoder.hpp"

using namespace cachescape;
using namespace cachescape::collect;

namespace {

class Nowhere : public AccessSink {
 public:
  void take(const PackedBatch& batch) override { accesses += batch.size(); }
  void take(const StridedRun& run) override { accesses += run.trips; }
  std::uint64_t unwanted() const override { return accesses % 3 == 0 ? 5 : 0; }
  void pass_over(ThreadId, const KindCounts& passed, std::uint64_t) override { accesses += passed[0]; }
  std::uint64_t accesses = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t program = 0x400000;
  static SessionFile session = *SessionFile::create(0);
  std::uint16_t lengths[2];
  if (size < sizeof lengths) return 0;
  std::memcpy(lengths, data, sizeof lengths);
  data += sizeof lengths;
  size -= sizeof lengths;
  const auto taken = [&](std::size_t wanted) {
    const std::size_t n = std::min(wanted, size);
    std::vector<std::uint8_t> bytes(data, data + n);
    data += n;
    size -= n;
    return bytes;
  };
  session.header().arena_used = 0;
  session.header().modules_used = 0;
  const auto tables = taken(lengths[0]);
  const auto descriptors = taken(lengths[1]);
  join(session, tables, descriptors, program, {}, 16);
  // The tables are as good a list of files and stacks as any.
  session.header().loaded_at = session.header().arena_at;
  // Exactly as long as the block, so that reading beyond it is seen.
  std::vector<std::uint64_t> words(size / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(std::uint64_t));

  for (const bool want_blocks : {false, true}) {
    DecoderContext context;
    context.want_blocks = want_blocks;
    context.most_trips = 1000;
    context.most_bytes = 1 << 20;
    context.session = &session;
    context.modules.update(session);
    RecordDecoder decoder(context, ThreadId{0});
    PackedBatch batch(64);
    Nowhere sink;
    const std::size_t half = words.size() / 2;
    decoder.decode(std::span(words).first(half), batch, sink);
    decoder.decode(std::span(words).subspan(half), batch, sink);
    (void)context.modules.counted(session);
  }
  return 0;
}
