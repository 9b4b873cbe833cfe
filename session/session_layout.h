/* How a new session is laid out; for whoever makes one: the collector, or a program that starts its own. */
#ifndef CACHESCAPE_SESSION_LAYOUT_H
#define CACHESCAPE_SESSION_LAYOUT_H

#include <string.h>

#include "session/session.h"

#define CACHESCAPE_ARENA_BYTES (UINT64_C(1) << 30) /* address space; memory is used as it is written */

static inline uint64_t cachescape_page_up(uint64_t bytes) { return (bytes + 4095) & ~UINT64_C(4095); }

/* Fills in the header of a session that is all zeroes; returns the size that the file must have. */
static inline uint64_t cachescape_lay_out(struct cachescape_session* s, uint32_t wants) {
  s->version = CACHESCAPE_SESSION_VERSION;
  s->wants = wants;
  s->block_bytes = CACHESCAPE_BLOCK_BYTES;
  s->ring_blocks = CACHESCAPE_RING_BLOCKS;
  s->max_rings = CACHESCAPE_MAX_RINGS;
  s->max_modules = CACHESCAPE_MAX_MODULES;
  s->rings_at = 4096;
  s->modules_at = cachescape_page_up(s->rings_at + s->max_rings * sizeof(struct cachescape_ring));
  s->arena_at = cachescape_page_up(s->modules_at + s->max_modules * sizeof(struct cachescape_module));
  s->arena_bytes = CACHESCAPE_ARENA_BYTES;
  s->blocks_at = s->arena_at + s->arena_bytes;
  s->file_bytes = s->blocks_at + (uint64_t)s->max_rings * s->ring_blocks * s->block_bytes;
  s->magic = CACHESCAPE_SESSION_MAGIC;
  return s->file_bytes;
}

/* Whether a header is one that this version can work with, in a file of that size. */
static inline int cachescape_usable(const struct cachescape_session* s, uint64_t file_bytes) {
  struct cachescape_session expected;
  memset(&expected, 0, sizeof expected);
  cachescape_lay_out(&expected, s->wants);
  return s->magic == expected.magic && s->version == expected.version && s->block_bytes == expected.block_bytes &&
         s->ring_blocks == expected.ring_blocks && s->max_rings == expected.max_rings &&
         s->max_modules == expected.max_modules && s->rings_at == expected.rings_at &&
         s->modules_at == expected.modules_at && s->arena_at == expected.arena_at &&
         s->arena_bytes == expected.arena_bytes && s->blocks_at == expected.blocks_at &&
         s->file_bytes == expected.file_bytes && file_bytes >= expected.file_bytes;
}

static inline struct cachescape_ring* cachescape_ring_of(struct cachescape_session* s, uint32_t ring) {
  return (struct cachescape_ring*)((char*)s + s->rings_at) + ring;
}
static inline struct cachescape_module* cachescape_module_of(struct cachescape_session* s, uint32_t module) {
  return (struct cachescape_module*)((char*)s + s->modules_at) + module;
}
static inline struct cachescape_block* cachescape_block_of(struct cachescape_session* s, uint32_t ring,
                                                           uint32_t number) {
  return (struct cachescape_block*)((char*)s + s->blocks_at +
                                    ((uint64_t)ring * s->ring_blocks + number % s->ring_blocks) * s->block_bytes);
}

#endif
