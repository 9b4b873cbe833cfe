#include "observe/collect/collector.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session_atomic.h"
#include "session/session_layout.h"

namespace cachescape::collect {
namespace {

void wake(std::uint32_t* futex) {
  syscall(SYS_futex, futex, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

std::size_t record_bytes(std::size_t wanted) {
  return std::min<std::size_t>(wanted, CACHESCAPE_RECORD_BYTES) / sizeof(std::uint64_t) * sizeof(std::uint64_t);
}

}  // namespace

void let_program_go(const SessionFile& session) {
  cachescape_session& s = session.header();
  cachescape_store32(&s.wants, cachescape_load32(&s.wants) | CACHESCAPE_DROP_WHEN_FULL);
  for (std::uint32_t i = 0; i < s.max_rings; ++i) wake(&cachescape_ring_of(&s, i)->tail);
  cachescape_store32(&s.collected, 1);
  wake(&s.collected);
}

void Collector::join_ring(std::uint32_t ring) {
  if (decoders_.size() <= ring) decoders_.resize(ring + 1);
  if (decoders_[ring] != nullptr) return;
  const cachescape_ring& r = *cachescape_ring_of(&session_.header(), ring);
  decoders_[ring] = std::make_unique<RecordDecoder>(context_, ThreadId{r.thread});
  if (r.stack_low < r.stack_high) context_.objects.add_stack(r.stack_low, r.stack_high);
}

void Collector::take_block(std::uint32_t ring, const cachescape_block& block, std::size_t bytes) {
  join_ring(ring);
  if (!context_.modules.update(session_)) ++context_.broken_blocks;
  context_.code.update(session_);
  for (const auto& globals = context_.modules.globals(); globals_known_ < globals.size(); ++globals_known_)
    context_.objects.add_global(globals[globals_known_]);
  const std::size_t words = record_bytes(bytes) / sizeof(std::uint64_t);
  decoders_[ring]->decode({reinterpret_cast<const std::uint64_t*>(&block + 1), words}, batch_, sink_);
}

void Collector::give_back(std::uint32_t ring) {
  cachescape_ring& r = *cachescape_ring_of(&session_.header(), ring);
  cachescape_block* const block = cachescape_block_of(&session_.header(), ring, r.tail);
  std::memset(block, 0, CACHESCAPE_BLOCK_BYTES);
  cachescape_add32(&r.tail, 1);
  // Not for every block: a program that fills the one block that is free waits again at once.
  if (cachescape_load32(&r.waiting) != 0 && cachescape_load32(&r.head) - r.tail <= CACHESCAPE_RING_BLOCKS / 2)
    wake(&r.tail);
}

bool Collector::collect() {
  cachescape_session& s = session_.header();
  bool any = false;
  while (true) {
    const std::uint32_t rings = std::min<std::uint32_t>(cachescape_load32(&s.rings_used), s.max_rings);
    std::uint32_t oldest = rings;
    std::uint64_t oldest_began = 0;
    for (std::uint32_t i = 0; i < rings; ++i) {
      cachescape_ring& r = *cachescape_ring_of(&s, i);
      const std::uint32_t state = cachescape_load32(&r.state);
      if (state != CACHESCAPE_RING_ACTIVE && state != CACHESCAPE_RING_ENDED) continue;
      if (cachescape_load32(&r.head) == r.tail) {
        if (state == CACHESCAPE_RING_ENDED) {
          if (i < decoders_.size()) decoders_[i].reset();
          cachescape_store32(&r.state, CACHESCAPE_RING_FREE);
        }
        continue;
      }
      const std::uint64_t began = cachescape_block_of(&s, i, r.tail)->began;
      if (oldest == rings || began < oldest_began) {
        oldest = i;
        oldest_began = began;
      }
    }
    if (oldest == rings) break;
    const cachescape_ring& r = *cachescape_ring_of(&s, oldest);
    const cachescape_block& block = *cachescape_block_of(&s, oldest, r.tail);
    take_block(oldest, block, block.bytes);
    give_back(oldest);
    any = true;
  }
  if (any && !batch_.empty()) {
    sink_.take(batch_);
    batch_.clear();
  }
  return any;
}

void Collector::wait(unsigned milliseconds) {
  cachescape_session& s = session_.header();
  const std::uint32_t news = cachescape_load32(&s.news);
  cachescape_store32(&s.sleeping, 1);
  // Published between the last look and now?
  const std::uint32_t rings = std::min<std::uint32_t>(cachescape_load32(&s.rings_used), s.max_rings);
  bool idle = true;
  for (std::uint32_t i = 0; i < rings && idle; ++i) {
    const cachescape_ring& r = *cachescape_ring_of(&s, i);
    const std::uint32_t state = cachescape_load32(&r.state);
    idle = (state != CACHESCAPE_RING_ACTIVE && state != CACHESCAPE_RING_ENDED) || cachescape_load32(&r.head) == r.tail;
  }
  if (idle && !finished()) {
    const timespec time{static_cast<time_t>(milliseconds / 1000), static_cast<long>(milliseconds % 1000) * 1'000'000};
    syscall(SYS_futex, &s.news, FUTEX_WAIT, news, &time, nullptr, 0);
  }
  cachescape_store32(&s.sleeping, 0);
}

void Collector::collect_rest() {
  collect();
  cachescape_session& s = session_.header();
  const std::uint32_t rings = std::min<std::uint32_t>(cachescape_load32(&s.rings_used), s.max_rings);
  for (std::uint32_t i = 0; i < rings; ++i) {
    const cachescape_ring& r = *cachescape_ring_of(&s, i);
    if (cachescape_load32(&r.state) != CACHESCAPE_RING_ACTIVE) continue;
    const cachescape_block& block = *cachescape_block_of(&s, i, r.head);
    if (block.began != 0) take_block(i, block, CACHESCAPE_RECORD_BYTES);
  }
  context_.modules.update(session_);
  if (!batch_.empty()) sink_.take(batch_);
  batch_.clear();
}

bool Collector::finished() const { return cachescape_load32(&session_.header().finished) != 0; }

void Collector::want_no_more() {
  cachescape_session& s = session_.header();
  cachescape_store32(&s.wants, cachescape_load32(&s.wants) & ~std::uint32_t{CACHESCAPE_WANT_ACCESSES});
}

void Collector::release_program() {
  cachescape_store32(&session_.header().collected, 1);
  wake(&session_.header().collected);
}

std::uint32_t Collector::threads() const { return cachescape_load32(&session_.header().threads_seen); }
std::uint64_t Collector::dropped_blocks() const { return cachescape_load64(&session_.header().unobserved); }

}  // namespace cachescape::collect
