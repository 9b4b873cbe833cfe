#include "observe/collect/collector.hpp"

#include <algorithm>
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

/// How long what is there waits for what should come before it: longer than a thread that runs needs for a record, not
/// so long that rings fill.
constexpr std::chrono::milliseconds patience{1};
constexpr long between_looks = 100'000;  // nanoseconds

/// Rings where there was nothing are looked at again after so many parts.
constexpr unsigned parts_between_looks = 256;

}  // namespace

void let_program_go(const SessionFile& session) {
  cachescape_session& s = session.header();
  cachescape_store32(&s.wants, cachescape_load32(&s.wants) | CACHESCAPE_DROP_WHEN_FULL);
  for (std::uint32_t i = 0; i < s.max_rings; ++i) wake(&cachescape_ring_of(&s, i)->tail);
  cachescape_store32(&s.collected, 1);
  wake(&s.collected);
}

void Collector::learn_modules() {
  if (!context_.modules.update(session_)) ++context_.broken_blocks;
  context_.code.update(session_);
  for (const auto& globals = context_.modules.globals(); globals_known_ < globals.size(); ++globals_known_)
    context_.objects.add_global(globals[globals_known_]);
}

void Collector::take(RingReader& ring) {
  learn_modules();  // those that joined before the records were written
  const RingReader::Front front = ring.front();
  ring.take(batch_, sink_);
  if (front.is_piece && front.ticket < next_ticket_) ++late_parts_;
  if (front.is_piece && front.ends) next_ticket_ = std::max(next_ticket_, front.ticket + 1);
  if (front.ends) ++parts_;
  held_up_since_.reset();
}

void Collector::look_at_rings(bool program_is_over) {
  learn_modules();
  cachescape_session& s = session_.header();
  const std::uint32_t rings = std::min<std::uint32_t>(cachescape_load32(&s.rings_used), s.max_rings);
  for (std::uint32_t i = static_cast<std::uint32_t>(rings_.size()); i < rings; ++i) rings_.emplace_back(session_, i);
  for (RingReader& ring : rings_) ring.look(context_, program_is_over);
}

RingReader* Collector::earliest() {
  RingReader* first = nullptr;
  for (RingReader& ring : rings_)
    if (ring.front().ready && (first == nullptr || ring.front().before(first->front()))) first = &ring;
  return first;
}

bool Collector::is_next(const RingReader::Front& front, bool program_is_over) {
  if (front.ticket <= next_ticket_) return true;
  const Clock::time_point now = Clock::now();
  if (!held_up_since_) held_up_since_ = now;
  if (!program_is_over && now - *held_up_since_ < patience) return false;
  next_ticket_ = front.ticket;
  return true;
}

bool Collector::collect(bool program_is_over) {
  bool any = false;
  unsigned since_look = 0;
  while (true) {
    RingReader* next = earliest();
    const bool sure = next != nullptr && next->front().is_piece && next->front().ticket <= next_ticket_;
    if (!sure || ++since_look == parts_between_looks) {
      since_look = 0;
      look_at_rings(program_is_over);
      next = earliest();
    }
    if (next == nullptr || !is_next(next->front(), program_is_over)) break;
    take(*next);
    next->look(context_, program_is_over);
    any = true;
  }
  if (!batch_.empty() && any) {
    sink_.take(batch_);
    batch_.clear();
  }
  return any;
}

void Collector::wait(unsigned milliseconds) {
  cachescape_session& s = session_.header();
  if (held_up_since_) {
    const timespec time{0, between_looks};
    nanosleep(&time, nullptr);
    return;
  }
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
  collect(true);
  context_.modules.update(session_);
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
double Collector::waited_seconds() const {
  cachescape_session& s = session_.header();
  const std::uint32_t rings = std::min<std::uint32_t>(cachescape_load32(&s.rings_used), s.max_rings);
  double nanoseconds = 0;
  for (std::uint32_t i = 0; i < rings; ++i)
    nanoseconds += static_cast<double>(cachescape_load64(&cachescape_ring_of(&s, i)->waited));
  return nanoseconds * 1e-9;
}
std::uint64_t Collector::dropped_blocks() const { return cachescape_load64(&session_.header().unobserved); }

}  // namespace cachescape::collect
