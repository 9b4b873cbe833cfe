/* The threads of the program: each has a ring and writes into its current block. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"

CACHESCAPE_TLS char* cachescape_next;
CACHESCAPE_TLS char* cachescape_end;

/* A signal handler interrupts code that keeps its place in a register, so it writes into a ring of its own. */
enum { deepest = 4 };

struct writer {
  struct cachescape_ring* ring; /* null: what is written goes to the scratch block */
  struct cachescape_block* block;
  uint32_t number;  /* of the ring */
  char *next, *end; /* of the signal handlers' writers while they are not running */
};

static CACHESCAPE_TLS struct writer writers[deepest];
static CACHESCAPE_TLS unsigned depth;
static CACHESCAPE_TLS int working; /* inside the runtime: what a handler records now is thrown away */
static CACHESCAPE_TLS int thread_over;
static CACHESCAPE_TLS uint32_t number_plus_1;
static CACHESCAPE_TLS char* scratch; /* of this thread, for what nobody wants */
static pthread_key_t at_thread_end;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

static void end_thread(void* unused) {
  (void)unused;
  cachescape_thread_ends();
}
static void make_key(void) { pthread_key_create(&at_thread_end, end_thread); }

static char* throw_away(struct writer* w) {
  w->ring = NULL;
  w->block = NULL;
  if (scratch == NULL) {
    void* const memory = mmap(NULL, CACHESCAPE_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* Instrumented code has to write somewhere: without any memory the program could not go on either. */
    if (memory == MAP_FAILED) _exit(127);
    scratch = memory;
  }
  cachescape_end = scratch + CACHESCAPE_BLOCK_BYTES;
  return scratch;
}

static void stack_of_thread(struct cachescape_ring* ring) {
  pthread_attr_t attributes;
  void* low;
  size_t bytes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    ring->stack_low = (uint64_t)(uintptr_t)low;
    ring->stack_high = ring->stack_low + bytes;
  }
  pthread_attr_destroy(&attributes);
}

static int claim_ring(struct writer* w) {
  struct cachescape_session* const s = cachescape_session;
  if (s == NULL || (s->wants & CACHESCAPE_WANT_ACCESSES) == 0) return 0;
  for (uint32_t i = 0; i < s->max_rings; ++i) {
    struct cachescape_ring* const ring = cachescape_ring_of(s, i);
    if (cachescape_load32(&ring->state) != CACHESCAPE_RING_FREE) continue;
    /* The state becomes "active" last, so that the collector sees a ring that is whole. */
    if (!cachescape_swap32(&ring->state, CACHESCAPE_RING_FREE, CACHESCAPE_RING_ACTIVE + 16)) continue;
    if (number_plus_1 == 0) number_plus_1 = cachescape_add32(&s->threads_seen, 1) + 1;
    ring->thread = number_plus_1 - 1;
    ring->system_thread = (uint32_t)syscall(SYS_gettid);
    if (depth == 0) stack_of_thread(ring);
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

static void publish_block(struct writer* w, const char* next) {
  struct cachescape_session* const s = cachescape_session;
  if (w->block == NULL || s == NULL) return;
  w->block->bytes = (uint32_t)(next - (const char*)(w->block + 1));
  w->block->ended = cachescape_clock();
  w->block = NULL;
  cachescape_add32(&w->ring->head, 1);
  tell_collector(s);
}

/* Waits until the ring has room; 0 where it never will. */
static int wait_for_room(struct writer* w) {
  struct cachescape_session* const s = cachescape_session;
  for (unsigned waited = 0;; ++waited) {
    const uint32_t tail = cachescape_load32(&w->ring->tail);
    if (cachescape_load32(&w->ring->head) - tail < s->ring_blocks) return 1;
    if (s->wants & CACHESCAPE_DROP_WHEN_FULL) return 0;
    if (waited > 8 && cachescape_collector_is_dead()) {
      cachescape_give_session_up();
      return 0;
    }
    cachescape_store32(&w->ring->waiting, 1);
    cachescape_wait(&w->ring->tail, tail, 100);
    cachescape_store32(&w->ring->waiting, 0);
  }
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
  block->began = cachescape_clock();
  w->block = block;
  cachescape_end = (char*)block + CACHESCAPE_BLOCK_BYTES;
  return (char*)(block + 1);
}

char* cachescape_refill_block(char* next) {
  if (working || thread_over || depth >= deepest) return throw_away(&(struct writer){0});
  const int saved = errno;
  working = 1;
  struct writer* const w = &writers[depth];
  if (cachescape_next == NULL && depth == 0) cachescape_thread_begins();
  publish_block(w, next);
  char* const fresh = open_block(w);
  working = 0;
  errno = saved;
  return fresh;
}

void cachescape_thread_begins(void) {
  pthread_once(&key_made, make_key);
  if (pthread_getspecific(at_thread_end) != NULL) return;
  pthread_setspecific(at_thread_end, &writers);
  cachescape_counters_for_thread();
}

/* Publishes what the thread has written so far, so that the next record begins a new block. */
void cachescape_publish(void) {
  if (depth >= deepest) return;
  publish_block(&writers[depth], cachescape_next);
  cachescape_next = NULL;
  cachescape_end = NULL;
}

void cachescape_thread_ends(void) {
  if (thread_over) return;
  thread_over = 1;
  cachescape_publish();
  for (unsigned d = 0; d < deepest; ++d) {
    struct writer* const w = &writers[d];
    if (w->ring == NULL || cachescape_session == NULL) continue;
    if (d != depth) publish_block(w, w->next);
    cachescape_store32(&w->ring->state, CACHESCAPE_RING_ENDED);
    w->ring = NULL;
    tell_collector(cachescape_session);
  }
  cachescape_release_counters();
}

/* After a fork the child shares its parent's rings, and must not write into them. */
void cachescape_forget_threads(void) {
  for (unsigned d = 0; d < deepest; ++d) writers[d] = (struct writer){0};
  number_plus_1 = 0;
  cachescape_next = NULL;
  cachescape_end = NULL;
}

int cachescape_enter_signal(char** next, char** end) {
  *next = cachescape_next;
  *end = cachescape_end;
  if (thread_over) return 0;
  if (++depth < deepest) {
    cachescape_next = writers[depth].next;
    cachescape_end = writers[depth].end;
  } else {
    cachescape_next = NULL;
    cachescape_end = NULL;
  }
  return 1;
}

void cachescape_leave_signal(char* next, char* end) {
  if (depth < deepest) {
    writers[depth].next = cachescape_next;
    writers[depth].end = cachescape_end;
  }
  --depth;
  cachescape_next = next;
  cachescape_end = end;
}

void cachescape_marker(uint64_t code, uint64_t a, uint64_t b, uint64_t c, unsigned arguments) {
  const uint64_t words[4] = {code, a, b, c};
  const size_t bytes = sizeof(uint64_t) * (1 + arguments);
  char* next = cachescape_next;
  if (next == NULL || next + bytes > cachescape_end) next = cachescape_refill_block(next);
  for (unsigned i = 0; i <= arguments; ++i) ((uint64_t*)next)[i] = words[i];
  cachescape_next = next + bytes;
}
