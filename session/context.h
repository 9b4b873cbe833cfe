/* Calling contexts: counters of a function, apart for each stack of calls that leads to it.
 *
 * Each thread has a tree of contexts; a function looks up its own among those that its caller's context has led to. All
 * contexts of a session are a chain, the last one first, so that a caller's comes after those that it calls. A function
 * that occurs among its callers goes back to the context that it has there: no chain of callers is longer than there
 * are functions. Beyond CACHESCAPE_MAX_CONTEXTS functions have one context each, below one that stands for all other
 * stacks. */
#ifndef CACHESCAPE_CONTEXT_H
#define CACHESCAPE_CONTEXT_H

#include "session/module.h"

enum { CACHESCAPE_MAX_CONTEXTS = 65536, CACHESCAPE_RECENT_CONTEXTS = 16, CACHESCAPE_CONTEXT_LISTS = 8 };

enum {
  CACHESCAPE_CONTEXT_RECURSIVE = 1, /* its function was called again below it */
  CACHESCAPE_CONTEXT_ROOT = 2,      /* what a thread begins with: no function */
  CACHESCAPE_CONTEXT_OTHERS = 4     /* of stacks that are not told apart; without counters: their root */
};

/* What instrumented code knows of a function; its address is the function's name. */
struct cachescape_function {
  const struct cachescape_module_start* module;
  uint32_t first_counter, counters; /* of the module's */
  uint32_t hash;
  uint32_t reserved;
};

struct cachescape_context {
  uint64_t next_at;                 /* offset of the one that was made before, 0 = none */
  uint64_t parent_at;               /* offset of the caller's, 0 = none */
  uint32_t module;                  /* entry in the session */
  uint32_t first_counter, counters; /* of the module's */
  uint32_t flags;                   /* atomic */
  /* What follows is the program's own. */
  const struct cachescape_function* function;
  struct cachescape_context* parent;
  struct cachescape_context* next; /* in its list: of contexts called from one, or of roots */
  uint32_t in_use;                 /* atomic: a root's thread runs */
  uint32_t reserved;
  struct cachescape_context* recent[CACHESCAPE_RECENT_CONTEXTS]; /* by hash: where calls have led last */
  struct cachescape_context* called[CACHESCAPE_CONTEXT_LISTS];   /* by hash: lists of all */
  /* uint64_t counts[counters] follow */
};

CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_function) == 24, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_context) == 256, "fixed layout");

#endif
