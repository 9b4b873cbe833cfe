// Hostile pieces in the rings of a program, published and being written, as the collector merges them. Input:
// SessionInput, with tables and descriptors; its words are cut in two for two threads. The first word of each says what
// kind of block it is.
#include "observe/collect/collector.hpp"
#include "observe/collect/made_module.hpp"
#include "observe/collect/made_ring.hpp"
#include "tests/fuzz/session_input.hpp"

using namespace cachescape::collect;

namespace {

void fill(SessionFile& session, std::uint32_t number, std::span<const std::uint64_t> words) {
  cachescape_session& s = session.header();
  cachescape_ring& ring = *cachescape_ring_of(&s, number);
  ring.head = ring.tail = 0;
  cachescape_block& block = *cachescape_block_of(&s, number, 0);
  std::memset(&block, 0, CACHESCAPE_BLOCK_BYTES);
  MadeRing made(session, number);
  if (words.empty()) return;
  made.begin_plain(1, words[0] >> 8);
  block.in_pieces = words[0] & 1;
  words = words.subspan(1, std::min<std::size_t>(words.size() - 1, CACHESCAPE_RECORD_BYTES / sizeof words[0]));
  if (!words.empty()) std::memcpy(&block + 1, words.data(), words.size_bytes());
  if ((block.tickets & 1) != 0) {
    block.bytes = static_cast<std::uint32_t>(block.tickets & 2 ? block.tickets : words.size_bytes());
    ring.head = 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t program = 0x400000;
  static SessionFile session = *SessionFile::create(CACHESCAPE_WANT_ACCESSES);
  const SessionInput input(data, size);
  for (const std::uint32_t order : {CACHESCAPE_ORDER_FINE, CACHESCAPE_ORDER_EXACT}) {
    session.header().arena_used = 0;
    session.header().modules_used = 0;
    session.header().order = order;
    join(session, input.tables[0], input.tables[1], program, {}, 16);
    const std::span<const std::uint64_t> words(input.words);
    fill(session, 0, words.first(words.size() / 2));
    fill(session, 1, words.subspan(words.size() / 2));
    Nowhere sink;
    Collector collector(session, sink);
    collector.context().most_trips = 1000;
    collector.context().most_bytes = 1 << 20;
    collector.collect();
    collector.collect_rest();
  }
  return 0;
}
