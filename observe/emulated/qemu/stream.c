/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rings of blocks that records go into. QEMU runs the threads of a program as threads, in parallel: each has a ring
 * of its own, and blocks are taken in the order in which they were begun. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"
#include "session/session_atomic.h"
#include "session/session_layout.h"

__thread struct cs_stream cs_stream __attribute__((tls_model("initial-exec")));

static struct cachescape_session* session; /* null: nothing is observed */
static pthread_key_t at_thread_end;
static bool key_made;

struct cachescape_session* cs_session(void) { return __atomic_load_n(&session, __ATOMIC_ACQUIRE); }

static void tell_collector(struct cachescape_session* s) {
  cachescape_add32(&s->news, 1);
  if (cachescape_load32(&s->sleeping) != 0) cs_wake(&s->news);
}

static void publish(struct cs_stream* stream, struct cachescape_session* s) {
  if (stream->block == NULL || s == NULL) return;
  stream->block->bytes = (uint32_t)((char*)stream->next - (char*)(stream->block + 1));
  stream->block->ended = cs_clock();
  stream->block = NULL;
  cachescape_add32(&stream->ring->head, 1);
  tell_collector(s);
}

static void stop_writing(struct cs_stream* stream) {
  stream->next = stream->end = NULL;
  stream->instruction = NULL;
  stream->block = NULL;
}

static void end_thread(void* value) {
  struct cs_stream* const stream = value;
  struct cachescape_session* const s = cs_session();
  publish(stream, s);
  if (stream->ring != NULL && s != NULL) {
    cachescape_store32(&stream->ring->state, CACHESCAPE_RING_ENDED);
    tell_collector(s);
  }
  if (stream->scratch != NULL) munmap(stream->scratch, CACHESCAPE_BLOCK_BYTES);
  *stream = (struct cs_stream){0};
}

static bool claim_ring(struct cs_stream* stream, struct cachescape_session* s) {
  for (uint32_t i = 0; i < s->max_rings; ++i) {
    struct cachescape_ring* const ring = cachescape_ring_of(s, i);
    if (cachescape_load32(&ring->state) != CACHESCAPE_RING_FREE) continue;
    /* The state becomes "active" last, so that the collector sees a ring that is whole. */
    if (!cachescape_swap32(&ring->state, CACHESCAPE_RING_FREE, CACHESCAPE_RING_ACTIVE + 16)) continue;
    ring->thread = cachescape_add32(&s->threads_seen, 1);
    ring->system_thread = (uint32_t)syscall(SYS_gettid);
    ring->stack_low = ring->stack_high = 0; /* told by a marker once it is known */
    for (uint32_t used = cachescape_load32(&s->rings_used); used < i + 1; used = cachescape_load32(&s->rings_used))
      cachescape_swap32(&s->rings_used, used, i + 1);
    stream->ring = ring;
    stream->ring_number = i;
    cachescape_store32(&ring->state, CACHESCAPE_RING_ACTIVE);
    if (key_made) pthread_setspecific(at_thread_end, stream);
    return true;
  }
  return false;
}

/* Waits until the ring has room; whether it ever will. */
static bool wait_for_room(struct cs_stream* stream, struct cachescape_session* s) {
  struct cachescape_ring* const ring = stream->ring;
  for (unsigned waited = 0; cs_session() == s; ++waited) {
    const uint32_t tail = cachescape_load32(&ring->tail);
    if (cachescape_load32(&ring->head) - tail < s->ring_blocks) return true;
    if ((cachescape_load32(&s->wants) & CACHESCAPE_DROP_WHEN_FULL) != 0) return false;
    if (waited > 8 && cs_is_dead(cachescape_load32(&s->collector_pid))) {
      struct cachescape_session* expected = s;
      if (__atomic_compare_exchange_n(&session, &expected, NULL, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        cs_say("the collector has gone; the program runs on unobserved", "");
      return false;
    }
    const uint64_t began = cs_nanoseconds();
    cachescape_store32(&ring->waiting, 1);
    cs_wait(&ring->tail, tail, 100);
    cachescape_store32(&ring->waiting, 0);
    cachescape_add64(&ring->waited, cs_nanoseconds() - began);
  }
  return false;
}

static void write_to(struct cs_stream* stream, uint64_t* begin, void* end) {
  stream->next = begin;
  stream->end = (uint64_t*)end - cs_longest_record + 1;
}

/* A block's worth of records that nobody reads. */
static bool throw_away(struct cs_stream* stream, struct cachescape_session* s) {
  cachescape_add64(&s->unobserved, 1);
  if (stream->scratch == NULL) {
    void* const memory = mmap(NULL, CACHESCAPE_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    stream->scratch = memory;
  }
  write_to(stream, stream->scratch, (char*)stream->scratch + CACHESCAPE_BLOCK_BYTES);
  return true;
}

bool cs_refill(struct cs_stream* stream) {
  struct cachescape_session* const s = cs_session();
  publish(stream, s);
  stop_writing(stream);
  if (s == NULL) return false;
  if ((stream->ring == NULL && !claim_ring(stream, s)) || !wait_for_room(stream, s))
    return cs_session() != NULL && throw_away(stream, s);
  struct cachescape_block* const block =
      cachescape_block_of(s, stream->ring_number, cachescape_load32(&stream->ring->head));
  block->thread = stream->ring->thread;
  block->began = cs_clock();
  stream->block = block;
  write_to(stream, (uint64_t*)(block + 1), (char*)block + CACHESCAPE_BLOCK_BYTES);
  return true;
}

void cs_mark(uint64_t code, uint64_t a, uint64_t b, uint64_t c, unsigned arguments) {
  struct cs_stream* const stream = &cs_stream;
  if (stream->next >= stream->end && !cs_refill(stream)) return;
  const uint64_t words[cs_longest_record] = {code, a, b, c};
  for (unsigned i = 0; i <= arguments; ++i) stream->next[i] = words[i];
  stream->next += 1 + arguments;
  stream->instruction = NULL; /* what was written last is no access */
}

/* Before an instruction whose accesses are not told. */
void cs_count_lost(unsigned vcpu, void* data) {
  (void)vcpu, (void)data;
  struct cachescape_session* const s = cs_session();
  if (s != NULL) cachescape_add64(&s->unobserved, 1);
}

bool cs_join(int file) {
  struct stat about;
  struct cachescape_session header;
  if (fstat(file, &about) != 0 || pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header) return false;
  if (!cachescape_usable(&header, (uint64_t)about.st_size)) return false;
  void* const memory = mmap(NULL, header.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) {
    cs_say("running unobserved: no address space for the session", "");
    return false;
  }
  struct cachescape_session* const s = memory;
  if (!cachescape_swap32(&s->owner_pid, 0, (uint32_t)getpid())) {
    munmap(memory, header.file_bytes);
    return false;
  }
  cs_use(s);
  return true;
}

void cs_use(struct cachescape_session* with) {
  if (!key_made) key_made = pthread_key_create(&at_thread_end, end_thread) == 0;
  __atomic_store_n(&session, with, __ATOMIC_RELEASE);
  if (with == NULL) return;
  if (cs_begin_code()) {
    cs_mark_mappings();
  } else {
    cs_say("running unobserved: the session has no room for code", "");
    cs_leave_session();
  }
}

/* Blocks of threads that still run are read up to their first zero word. */
void cs_finish(bool wait_for_profile) {
  struct cachescape_session* const s = cs_session();
  if (s == NULL) return;
  end_thread(&cs_stream);
  __atomic_store_n(&session, NULL, __ATOMIC_RELEASE);
  cachescape_store32(&s->finished, 1);
  cachescape_add32(&s->news, 1);
  cs_wake(&s->news);
  while (wait_for_profile && cachescape_load32(&s->collected) == 0 && !cs_is_dead(cachescape_load32(&s->collector_pid)))
    cs_wait(&s->collected, 0, 100);
}

/* In a forked child, whose only thread this is: its parent goes on with the session. Translated code goes on counting,
 * into memory of its own. */
void cs_leave_session(void) {
  struct cachescape_session* const s = cs_session();
  enum { nobodys = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED };
  if (s != NULL) mmap(s, s->file_bytes, PROT_READ | PROT_WRITE, nobodys, -1, 0);
  __atomic_store_n(&session, NULL, __ATOMIC_RELEASE);
  cs_stream = (struct cs_stream){.scratch = cs_stream.scratch};
}
