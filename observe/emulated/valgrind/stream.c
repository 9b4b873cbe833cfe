/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ring of blocks that records go into.
 *
 * Valgrind lets one thread run at a time, so all write into one ring, and the order of their accesses is exact. The
 * place in the block moves with the thread that runs: it is in the thread's shadow state while translated code runs,
 * and in `resting` otherwise. */
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_threadstate.h>
#include "observe/emulated/valgrind/tool.h"
#include "session/order.h"
#include "session/session_atomic.h"
#include "session/session_layout.h"

enum { ring_number = 0, room_bytes = 8 * (1 + CACHESCAPE_CODE_MOST_SLOTS) };

static struct cachescape_session* session; /* null: what is written goes to the scratch block */
static ULong counted_from;                 /* where the session lies or lay, for code that counts */
static UInt sessions;
static struct cachescape_ring* ring;
static struct cachescape_block* block; /* that is being written, or null */
static ULong scratch[CACHESCAPE_BLOCK_BYTES / sizeof(ULong)];

static struct place resting;
static Bool recording = True;
static struct place aside; /* in the block, while nothing is recorded and translated code writes to the scratch block */
static ThreadId running = VG_INVALID_THREADID;

enum { most_threads = 1 << 16 };
static UInt numbers_plus_1[most_threads]; /* by ThreadId; 0: not seen yet, since Valgrind uses its numbers again */
static Bool has_run[most_threads];        /* by ThreadId */
static UInt last_thread;

Bool cs_observing(void) { return session != NULL && (session->wants & CACHESCAPE_WANT_ACCESSES) != 0; }
struct cachescape_session* cs_session(void) { return session; }
UInt cs_session_number(void) { return sessions; }

static ULong clock(void) {
  UInt low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (ULong)high << 32 | low;
}

static void tell_collector(void) {
  cachescape_add32(&session->news, 1);
  if (cachescape_load32(&session->sleeping) != 0) cs_wake(&session->news);
}

static void publish(const struct place* place) {
  if (block == NULL || session == NULL) return;
  block->bytes = (uint32_t)(place->next - (Addr)(block + 1));
  block->ended = clock();
  block = NULL;
  cachescape_add32(&ring->head, 1);
  tell_collector();
}

/* Waits until the ring has room; whether it ever will. */
static Bool wait_for_room(void) {
  for (UInt waited = 0;; ++waited) {
    const uint32_t tail = cachescape_load32(&ring->tail);
    if (cachescape_load32(&ring->head) - tail < session->ring_blocks) return True;
    if ((cachescape_load32(&session->wants) & CACHESCAPE_DROP_WHEN_FULL) != 0) return False;
    if (waited > 8 && cs_is_dead(cachescape_load32(&session->collector_pid))) {
      cs_say("the collector has gone; the program runs on unobserved", "");
      session = NULL;
      return False;
    }
    const ULong began = cs_nanoseconds();
    cachescape_store32(&ring->waiting, 1);
    cs_wait(&ring->tail, tail, 100);
    cachescape_store32(&ring->waiting, 0);
    cachescape_add64(&ring->waited, cs_nanoseconds() - began);
  }
}

static void use_scratch(struct place* place) {
  place->next = (Addr)scratch;
  place->end = (Addr)scratch + sizeof scratch - room_bytes;
}

static void renew(struct place* place) {
  publish(place);
  const Bool wanted = cs_observing();
  if (!wanted || !wait_for_room()) {
    if (wanted && session != NULL) cachescape_add64(&session->unobserved, 1);
    use_scratch(place);
    return;
  }
  block = cachescape_block_of(session, ring_number, cachescape_load32(&ring->head));
  block->thread = ring->thread;
  block->began = clock();
  place->next = (Addr)(block + 1);
  place->end = (Addr)block + CACHESCAPE_BLOCK_BYTES - room_bytes;
}

void cs_refill(struct place* place) {
  if (recording) {
    renew(place);
  } else {
    use_scratch(place);
  }
}

static struct place take_place(void) {
  if (running == VG_INVALID_THREADID) return resting;
  struct place place;
  VG_(get_shadow_regs_area)(running, (UChar*)&place, 1, 0, sizeof place);
  return place;
}

static void put_place(struct place place) {
  if (running == VG_INVALID_THREADID) {
    resting = place;
  } else {
    VG_(set_shadow_regs_area)(running, 1, 0, sizeof place, (const UChar*)&place);
  }
}

void cs_record(Bool on) {
  if (on == recording) return;
  struct place place = aside;
  if (!on) {
    aside = take_place();
    use_scratch(&place);
  }
  recording = on;
  put_place(place);
}

/* Whatever is recorded: where data lie is to be known later. */
void cs_mark(ULong code, ULong a, ULong b, ULong c, ULong d, UInt arguments) {
  struct place place = recording ? take_place() : aside;
  if (place.next > place.end) renew(&place);
  const ULong words[5] = {code, a, b, c, d};
  for (UInt i = 0; i <= arguments; ++i) ((ULong*)place.next)[i] = words[i];
  place.next += 8 * (1 + arguments);
  if (recording) {
    put_place(place);
  } else {
    aside = place;
  }
}

/* Numbers follow the order of creation: which thread runs first is the scheduler's whim. */
void cs_thread_begins(ThreadId parent, ThreadId thread) {
  (void)parent;
  if (!cs_observing() || thread >= most_threads) return;
  numbers_plus_1[thread] = cachescape_add32(&session->threads_seen, 1) + 1;
  has_run[thread] = False;
}

void cs_name_thread(ThreadId thread) {
  if (thread >= most_threads) return;
  if (numbers_plus_1[thread] == 0) cs_thread_begins(VG_INVALID_THREADID, thread);
  if (has_run[thread] && thread == last_thread) return;
  last_thread = thread;
  cs_mark(CACHESCAPE_THREAD, numbers_plus_1[thread] - 1, 0, 0, 0, 1);
  cs_mark_context_of(thread);
  if (has_run[thread]) return;
  has_run[thread] = True;
  const Addr high = VG_(thread_get_stack_max)(thread) + 1;
  const SizeT bytes = VG_(thread_get_stack_size)(thread);
  if (bytes != 0 && bytes < high) cs_mark(CACHESCAPE_STACK, high - bytes, high, 0, 0, 2);
}

/* Valgrind lets a thread run for 100,000 superblocks, and has no option for it: others' accesses would come in lumps as
 * large. What is left of a turn is counted down in the thread's state; less of it is as good as having run before. */
static void shorten_turn(ThreadId thread) {
  const uint32_t order = session->order_of_threads;
  if (order == CACHESCAPE_ORDER_BLOCKS || cachescape_load32(&session->threads_seen) < 2) return;
  cachescape_store32(&session->order, order);
  const Int most = order == CACHESCAPE_ORDER_EXACT ? 20 : 200;
  const OffT at = offsetof(VexGuestAMD64State, host_EvC_COUNTER);
  Int left;
  VG_(get_shadow_regs_area)(thread, (UChar*)&left, 0, at, sizeof left);
  if (left > most) VG_(set_shadow_regs_area)(thread, 0, at, sizeof most, (const UChar*)&most);
}

void cs_start_running(ThreadId thread, ULong blocks) {
  (void)blocks;
  if (cs_observing()) cs_name_thread(thread);
  if (cs_observing()) shorten_turn(thread);
  cs_start_stack(thread);
  cs_record(cs_wants(thread));
  VG_(set_shadow_regs_area)(thread, 1, 0, sizeof resting, (const UChar*)&resting);
  VG_(set_shadow_regs_area)(thread, 1, cs_session_in_state, sizeof counted_from, (const UChar*)&counted_from);
  running = thread;
}

void cs_stop_running(ThreadId thread, ULong blocks) {
  (void)blocks;
  VG_(get_shadow_regs_area)(thread, (UChar*)&resting, 1, 0, sizeof resting);
  running = VG_INVALID_THREADID;
  cs_stop_stack(thread);
}

void cs_thread_ends(ThreadId thread) {
  if (thread < most_threads) numbers_plus_1[thread] = 0;
  cs_forget_calls(thread);
  cs_forget_stack(thread);
  cs_forget_calipers(thread);
}

Bool cs_join(Int file) {
  struct vg_stat about;
  struct cachescape_session header;
  if (VG_(fstat)(file, &about) != 0) return False;
  if (VG_(lseek)(file, 0, VKI_SEEK_SET) != 0 || VG_(read)(file, &header, sizeof header) != (Int)sizeof header)
    return False;
  if (!cachescape_usable(&header, (ULong)about.size)) return False;
  struct cachescape_session* const mapped = cs_map(file, header.file_bytes);
  if (mapped == NULL) {
    cs_say("running unobserved: no address space for the session", "");
    return False;
  }
  if (!cachescape_swap32(&mapped->owner_pid, 0, (uint32_t)VG_(getpid)())) {
    VG_(am_munmap_valgrind)((Addr)mapped, header.file_bytes);
    return False;
  }
  cs_use(mapped);
  return True;
}

void cs_use(struct cachescape_session* with) {
  session = with;
  ++sessions;
  block = NULL;
  use_scratch(&resting);
  use_scratch(&aside);
  struct place* const first = recording ? &resting : &aside;
  first->next = first->end + 1; /* the first record asks for a block */
  if (with == NULL) return;
  counted_from = (Addr)with;
  ring = cachescape_ring_of(session, ring_number);
  ring->thread = 0;
  ring->system_thread = (uint32_t)VG_(gettid)();
  cachescape_store32(&session->rings_used, 1);
  cachescape_store32(&ring->state, CACHESCAPE_RING_ACTIVE);
  last_thread = VG_INVALID_THREADID;
  VG_(memset)(numbers_plus_1, 0, sizeof numbers_plus_1);
  VG_(memset)(has_run, 0, sizeof has_run);
  if (!cs_begin_code()) cs_leave_session();
}

void cs_finish(Bool wait_for_profile) {
  if (session == NULL) return;
  const struct place place = recording ? take_place() : aside;
  publish(&place);
  cachescape_store32(&ring->state, CACHESCAPE_RING_ENDED);
  struct cachescape_session* const s = session;
  session = NULL;
  cachescape_store32(&s->finished, 1);
  cachescape_add32(&s->news, 1);
  cs_wake(&s->news);
  while (wait_for_profile && cachescape_load32(&s->collected) == 0 && !cs_is_dead(cachescape_load32(&s->collector_pid)))
    cs_wait(&s->collected, 0, 100);
}

/* What translated code still writes goes to the scratch block. */
void cs_leave_session(void) {
  if (session != NULL) VG_(am_munmap_valgrind)((Addr)session, session->file_bytes);
  session = NULL;
  block = NULL;
  struct place place;
  use_scratch(&place);
  put_place(place);
  aside = place;
}
