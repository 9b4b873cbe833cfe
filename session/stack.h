/* Stacks of calls, each kept once, and the files whose code they lead through.
 *
 * A stack is told by its number: the offset of its row in the file. A row is complete when a record names it. Files are
 * a chain, the last one first; they stay in it when a library is unloaded. */
#ifndef CACHESCAPE_STACK_H
#define CACHESCAPE_STACK_H

#include "session/session.h"

enum {
  CACHESCAPE_STACK_FRAMES = 16,
  CACHESCAPE_MAX_STACKS = 32768,
  CACHESCAPE_MAX_PATH = 4096, /* bytes */
  CACHESCAPE_MAX_BUILD_ID = 64
};

/* For allocations whose stack is one too many. */
#define CACHESCAPE_OTHER_STACK UINT64_C(1)

struct cachescape_stack {
  uint64_t frames;
  uint64_t frame[CACHESCAPE_STACK_FRAMES]; /* return addresses, innermost first, each once */
};

struct cachescape_loaded {
  uint64_t next_at; /* offset of the one before, 0 = none */
  uint64_t begin, end;
  uint64_t bias; /* address in the program − address in the file */
  uint32_t path_bytes, build_id_bytes;
  /* the path and the build-id follow */
};

CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_stack) == 136, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_loaded) == 40, "fixed layout");

#endif
