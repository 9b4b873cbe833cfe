/* The threads of the program: each has a ring and writes into its current block. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"

CACHESCAPE_TLS char* cachescape_next;
CACHESCAPE_TLS char* cachescape_end;
CACHESCAPE_TLS char* cachescape_limit;
CACHESCAPE_TLS struct cachescape_piece* cachescape_piece;
CACHESCAPE_TLS uint64_t* cachescape_tickets;
CACHESCAPE_TLS uint64_t cachescape_piece_bytes;

/* A signal handler interrupts code that keeps its place in a register, so it writes into a ring of its own. */
enum { deepest = 4 };

struct writer {
  struct cachescape_ring* ring; /* null: what is written goes to the scratch block */
  struct cachescape_block* block;
  uint32_t number;               /* of the ring */
  struct cachescape_place place; /* while another one of the thread's is in use */
  const void *frame, *low;       /* of a signal handler that runs: its stack pointers lie in [low, frame] */
};

static CACHESCAPE_TLS struct writer writers[deepest];
static CACHESCAPE_TLS unsigned depth;
static CACHESCAPE_TLS int working; /* 1 inside the runtime: what a handler records now is thrown away */
static CACHESCAPE_TLS int thread_over;
static CACHESCAPE_TLS uint32_t number_plus_1;
CACHESCAPE_TLS uint64_t cachescape_stack_low, cachescape_stack_high;
static CACHESCAPE_TLS char* scratch; /* of this thread, for what nobody wants */
static pthread_key_t at_thread_end;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

/* Destructors of the program's own keys may access memory too: ours comes back until the last round. */
static CACHESCAPE_TLS int rounds;
static void end_thread(void* value) {
  if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(at_thread_end, value);
  } else {
    cachescape_thread_ends();
  }
}
static void make_key(void) { pthread_key_create(&at_thread_end, end_thread); }

static void set_place(struct cachescape_place place) {
  cachescape_next = place.next;
  cachescape_end = place.end;
  cachescape_limit = place.limit;
  cachescape_piece = place.piece;
}

static char* throw_away(struct writer* w) {
  w->ring = NULL;
  w->block = NULL;
  if (scratch == NULL) {
    void* const memory = mmap(NULL, CACHESCAPE_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* Instrumented code has to write somewhere: without any memory the program could not go on either. */
    if (memory == MAP_FAILED) cachescape_exit_now(127);
    scratch = memory;
  }
  cachescape_end = scratch + CACHESCAPE_BLOCK_BYTES;
  cachescape_limit = NULL;
  return scratch;
}

/* The C library allocates to tell, and the program may have an instrumented malloc() of its own: so this is asked when
 * a thread begins, never in the midst of a function, and what it accesses is nobody's. */
void cachescape_note_stack(void) {
  const int saved = errno;
  pthread_attr_t attributes;
  void* low;
  size_t bytes;
  working = 1;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
      cachescape_stack_low = (uint64_t)(uintptr_t)low;
      cachescape_stack_high = cachescape_stack_low + bytes;
    }
    pthread_attr_destroy(&attributes);
  }
  working = 0;
  set_place((struct cachescape_place){0});
  errno = saved;
}

static int claim_ring(struct writer* w) {
  struct cachescape_session* const s = cachescape_session;
  if (s == NULL || (s->wants & CACHESCAPE_WANT_ACCESSES) == 0) return 0;
  if (number_plus_1 == 0) {
    number_plus_1 = cachescape_add32(&s->threads_seen, 1) + 1;
    if (number_plus_1 == 2) cachescape_store32(&s->order, s->order_of_threads);
  }
  for (uint32_t i = 0; i < s->max_rings; ++i) {
    struct cachescape_ring* const ring = cachescape_ring_of(s, i);
    if (cachescape_load32(&ring->state) != CACHESCAPE_RING_FREE) continue;
    /* The state becomes "active" last, so that the collector sees a ring that is whole. */
    if (!cachescape_swap32(&ring->state, CACHESCAPE_RING_FREE, CACHESCAPE_RING_ACTIVE + 16)) continue;
    ring->thread = number_plus_1 - 1;
    ring->system_thread = (uint32_t)syscall(SYS_gettid);
    ring->stack_low = depth == 0 ? cachescape_stack_low : 0;
    ring->stack_high = depth == 0 ? cachescape_stack_high : 0;
    for (uint32_t used = cachescape_load32(&s->rings_used); used < i + 1; used = cachescape_load32(&s->rings_used))
      cachescape_swap32(&s->rings_used, used, i + 1);
    w->ring = ring;
    w->number = i;
    cachescape_store32(&ring->state, CACHESCAPE_RING_ACTIVE);
    return 1;
  }
  return 0;
}

static void tell_collector(struct cachescape_session* s) {
  cachescape_add32(&s->news, 1);
  if (cachescape_load32(&s->sleeping) != 0) cachescape_wake(&s->news);
}

/* Where `next` does not lie in the block, the place is not known and zero words end it. */
static void publish_block(struct writer* w, const char* next) {
  struct cachescape_session* const s = cachescape_session;
  if (w->block == NULL || s == NULL) return;
  const uint64_t bytes = (uint64_t)(uintptr_t)next - (uint64_t)(uintptr_t)(w->block + 1);
  w->block->bytes = (uint32_t)(bytes <= CACHESCAPE_RECORD_BYTES ? bytes : CACHESCAPE_RECORD_BYTES);
  w->block->ended = cachescape_clock();
  w->block = NULL;
  cachescape_add32(&w->ring->head, 1);
  tell_collector(s);
}

/* Waits until the ring has room; 0 where it never will. */
static int wait_for_room(struct writer* w) {
  struct cachescape_session* const s = cachescape_session;
  for (unsigned waited = 0;; ++waited) {
    if (cachescape_session == NULL) return 0;
    const uint32_t tail = cachescape_load32(&w->ring->tail);
    if (cachescape_load32(&w->ring->head) - tail < s->ring_blocks) return 1;
    if (cachescape_load32(&s->wants) & CACHESCAPE_DROP_WHEN_FULL) return 0;
    if (waited > 8 && cachescape_collector_is_dead(s)) {
      cachescape_give_session_up();
      return 0;
    }
    cachescape_store32(&w->ring->waiting, 1);
    cachescape_wait(&w->ring->tail, tail, 100);
    cachescape_store32(&w->ring->waiting, 0);
  }
}

static CACHESCAPE_TLS struct cachescape_piece no_piece; /* what the first of a block ends */

/* The first piece begins with the first record and not before: tickets are the order. */
static char* prepare_pieces(struct cachescape_block* block, uint32_t order) {
  char* const first = (char*)(block + 1);
  cachescape_tickets = &cachescape_session->tickets;
  cachescape_piece_bytes = order == CACHESCAPE_ORDER_EXACT ? 0 : CACHESCAPE_FINE_PIECE_BYTES;
  cachescape_piece = &no_piece;
  cachescape_limit = (char*)block + CACHESCAPE_BLOCK_BYTES - CACHESCAPE_PIECE_ROOM;
  cachescape_end = first;
  return first;
}

static char* open_block(struct writer* w) {
  struct cachescape_session* const s = cachescape_session;
  if (s == NULL) return throw_away(w);
  if (w->ring == NULL && !claim_ring(w)) {
    if (s->wants & CACHESCAPE_WANT_ACCESSES) cachescape_add64(&s->unobserved, 1);
    return throw_away(w);
  }
  if (!wait_for_room(w)) {
    if (cachescape_session == NULL) return throw_away(w);
    cachescape_add64(&s->unobserved, 1);
    struct cachescape_ring* const ring = w->ring;
    char* const next = throw_away(w);
    w->ring = ring;
    return next;
  }
  struct cachescape_block* const block = cachescape_block_of(s, w->number, w->ring->head);
  block->thread = w->ring->thread;
  block->tickets = cachescape_load64(&s->tickets);
  const uint32_t order = cachescape_load32(&s->order);
  w->block = block;
  block->in_pieces = order != CACHESCAPE_ORDER_BLOCKS;
  cachescape_store64(&block->began, cachescape_clock());
  if (order != CACHESCAPE_ORDER_BLOCKS) return prepare_pieces(block, order);
  cachescape_limit = NULL;
  cachescape_end = (char*)block + CACHESCAPE_BLOCK_BYTES;
  return (char*)(block + 1);
}

/* Leaves writers that nobody will return to: of handlers that were left by siglongjmp(), and of the code that they
 * interrupted, whose place was in a register. Its block is read up to the first zero word. */
static void close_writers(unsigned from, unsigned below) {
  for (unsigned d = from; d < below && d < deepest; ++d) {
    publish_block(&writers[d], NULL);
    writers[d].place = (struct cachescape_place){0};
  }
}

/* A handler was left if the code that runs now is not below it on its stack. Whether any was. */
static int leave_abandoned_handlers(void) {
  const char* const here = __builtin_frame_address(0);
  unsigned still = depth;
  while (still > 0 &&
         (still >= deepest || here > (const char*)writers[still].frame || here < (const char*)writers[still].low))
    --still;
  if (still == depth) return 0;
  const uint64_t mask = cachescape_hold_signals();
  close_writers(still, depth + 1);
  depth = still;
  cachescape_let_signals(mask);
  return 1;
}

char* cachescape_refill_block(char* next) {
  struct writer* w = &writers[depth];
  if (!working && depth > 0 && leave_abandoned_handlers()) w = &writers[depth];
  if (working || thread_over || depth >= deepest) {
    struct cachescape_session* const s = cachescape_session;
    if (s != NULL && !thread_over && depth > 0 && (s->wants & CACHESCAPE_WANT_ACCESSES) != 0)
      cachescape_add64(&s->unobserved, 1);
    return throw_away(&(struct writer){0});
  }
  const int saved = errno;
  working = 1;
  if (cachescape_next == NULL && depth == 0) cachescape_thread_begins();
  publish_block(w, next);
  char* const fresh = open_block(w);
  working = 0;
  errno = saved;
  return cachescape_limit == NULL ? fresh : cachescape_refill(fresh);
}

/* After a call of setjmp() has returned, perhaps for the second time. */
CACHESCAPE_EXPORT void cachescape_jumped_v1(void) {
  if (depth == 0 || working || !leave_abandoned_handlers()) return;
  set_place((struct cachescape_place){0});
}

void cachescape_thread_begins(void) {
  pthread_once(&key_made, make_key);
  if (pthread_getspecific(at_thread_end) != NULL) return;
  pthread_setspecific(at_thread_end, &writers);
  cachescape_counters_for_thread();
}

/* Publishes what the thread has written so far, so that the next record begins a new block. */
static void publish(void) {
  if (depth >= deepest) return;
  publish_block(&writers[depth], cachescape_next);
  set_place((struct cachescape_place){0});
}

void cachescape_begin_writing(void) {
  const struct cachescape_session* const s = cachescape_session;
  if (s == NULL || working || thread_over || depth >= deepest) return;
  if (cachescape_load32(&s->order) == CACHESCAPE_ORDER_BLOCKS) return;
  const int saved = errno;
  working = 1;
  publish_block(&writers[depth], cachescape_next);
  cachescape_next = open_block(&writers[depth]);
  working = 0;
  errno = saved;
}

void cachescape_order_threads(void) {
  struct cachescape_session* const s = cachescape_session;
  if (s == NULL || cachescape_load32(&s->order) == s->order_of_threads) return;
  cachescape_store32(&s->order, s->order_of_threads);
  cachescape_begin_writing();
}

void cachescape_thread_ends(void) {
  if (thread_over) return;
  thread_over = 1;
  publish();
  for (unsigned d = 0; d < deepest; ++d) {
    struct writer* const w = &writers[d];
    if (w->ring == NULL || cachescape_session == NULL) continue;
    if (d != depth) publish_block(w, w->place.next);
    cachescape_store32(&w->ring->state, CACHESCAPE_RING_ENDED);
    w->ring = NULL;
    tell_collector(cachescape_session);
  }
  cachescape_release_counters();
  cachescape_release_contexts();
}

/* After a fork the child shares its parent's rings, and must not write into them. */
void cachescape_forget_threads(void) {
  for (unsigned d = 0; d < deepest; ++d) writers[d] = (struct writer){0};
  number_plus_1 = 0;
  set_place((struct cachescape_place){0});
}

static struct cachescape_place current_place(void) {
  return (struct cachescape_place){cachescape_next, cachescape_end, cachescape_limit, cachescape_piece};
}

/* A signal between a change of `depth` and of the place would take the place of one depth for that of another, and the
 * code that was interrupted would write past the end of its block: so none comes meanwhile. Handlers for which there is
 * no writer begin to throw away anew each time, as the code that they interrupt may have read half of its place. */
unsigned cachescape_enter_signal(const void* frame, const void* low, struct cachescape_place* interrupted) {
  if (thread_over) return 0;
  const uint64_t mask = cachescape_hold_signals();
  *interrupted = current_place();
  if (depth < deepest) writers[depth].place = *interrupted;
  const unsigned entered = ++depth;
  if (entered < deepest) {
    writers[entered].frame = frame;
    writers[entered].low = low;
    set_place(writers[entered].place);
  } else {
    set_place((struct cachescape_place){0});
  }
  cachescape_let_signals(mask);
  return entered;
}

void cachescape_leave_signal(unsigned entered, const struct cachescape_place* interrupted) {
  const uint64_t mask = cachescape_hold_signals();
  if (depth < deepest) writers[depth].place = current_place();
  close_writers(entered, depth);
  depth = entered - 1;
  set_place(depth < deepest ? writers[depth].place : *interrupted);
  cachescape_let_signals(mask);
}

void cachescape_marker(uint64_t code, uint64_t a, uint64_t b, uint64_t c, uint64_t d, unsigned arguments) {
  const uint64_t words[5] = {code, a, b, c, d};
  const size_t bytes = sizeof(uint64_t) * (1 + arguments);
  char* next = cachescape_next;
  if (next == NULL || next + bytes > cachescape_end) next = cachescape_refill(next);
  for (unsigned i = 0; i <= arguments; ++i) ((uint64_t*)next)[i] = words[i];
  cachescape_next = next + bytes;
}
