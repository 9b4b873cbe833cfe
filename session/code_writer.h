/* How observers of translated code append to the lists of code.h: entries behind each other in parts, of which each
 * says how much of it is complete. One thread at a time. */
#ifndef CACHESCAPE_SESSION_CODE_WRITER_H
#define CACHESCAPE_SESSION_CODE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "session/code.h"
#include "session/session.h"
#include "session/session_atomic.h"

enum { cachescape_part_bytes = 1 << 20 };

struct cachescape_list {
  struct cachescape_part* last;
  uint32_t count;
};

/* Zeroed room of the session, and where it is; null where there is none. */
static inline void* cachescape_arena(struct cachescape_session* s, uint64_t bytes, uint64_t* at) {
  const uint64_t wanted = (bytes + 63) & ~UINT64_C(63);
  if (s == NULL || cachescape_load64(&s->arena_used) + wanted > s->arena_bytes) return NULL;
  *at = s->arena_at + cachescape_add64(&s->arena_used, wanted);
  return (char*)s + *at;
}

static inline struct cachescape_part* cachescape_new_part(struct cachescape_session* s, uint64_t* at) {
  struct cachescape_part* const part = (struct cachescape_part*)cachescape_arena(s, cachescape_part_bytes, at);
  if (part != NULL) part->bytes = cachescape_part_bytes - sizeof *part;
  return part;
}

/* Room for an entry behind what is complete; null where there is none. */
static inline void* cachescape_next_entry(struct cachescape_session* s, struct cachescape_list* list, uint64_t bytes) {
  struct cachescape_part* part = list->last;
  if (part->bytes - part->used < bytes) {
    uint64_t at = 0;
    struct cachescape_part* const next = cachescape_new_part(s, &at);
    if (next == NULL) return NULL;
    cachescape_store64(&part->next_at, at);
    list->last = part = next;
  }
  return (char*)(part + 1) + part->used;
}

/* Counters are handed out one after the other, from pieces of the session. */
struct cachescape_counter_pool {
  uint64_t next_at, end_at;
};

/* The offset of a new counter, which is zero; 0 where there is no room. */
static inline uint64_t cachescape_new_counter(struct cachescape_session* s, struct cachescape_counter_pool* pool) {
  if (pool->next_at == pool->end_at) {
    uint64_t at = 0;
    if (cachescape_arena(s, cachescape_part_bytes, &at) == NULL) return 0;
    pool->next_at = at;
    pool->end_at = at + cachescape_part_bytes;
  }
  pool->next_at += sizeof(uint64_t);
  return pool->next_at - sizeof(uint64_t);
}

/* The entry is whole: from now on it is read. Its number in the list. */
static inline uint32_t cachescape_complete_entry(struct cachescape_list* list, uint64_t bytes) {
  cachescape_store64(&list->last->used, list->last->used + bytes);
  return list->count++;
}

#endif
