/* The static tables of a compiled module: what its sites, blocks and counters are.
 *
 *   header | locations | blocks | sites | counts | strings
 *
 * Strings are zero-terminated and referred to by their offset in the last part; offset 0 is the empty string. "Index
 * + 1" means that 0 is "none". */
#ifndef CACHESCAPE_MODULE_H
#define CACHESCAPE_MODULE_H

#include "session/session.h"

#define CACHESCAPE_MODULE_MAGIC UINT32_C(0x6d6f6463) /* "cdom" */

struct cachescape_tables {
  uint32_t magic;
  uint32_t version;
  uint32_t name;     /* string: the source file */
  uint32_t compiler; /* string: compiler and options of the instrumentation */
  uint32_t locations, blocks, sites, counts, string_bytes;
  uint32_t reserved;
};

struct cachescape_location {
  uint32_t function, file; /* strings; the function's linkage name where it has one */
  uint32_t line, column;
  uint32_t inlined_at; /* index + 1 */
};

struct cachescape_block_info {
  uint32_t function; /* string: linkage name of the containing function */
  uint32_t location; /* index + 1 */
  uint32_t counter;  /* index of the counter of its executions */
  uint32_t loop_depth;
  uint32_t instructions;
  uint32_t is_entry;
};

struct cachescape_site {
  uint32_t location; /* index + 1 */
  uint32_t block;
  uint32_t variable, type; /* strings */
};

/* counters[counter] × amount of the metric belong to the block. */
struct cachescape_count {
  uint32_t counter;
  uint32_t block;
  uint32_t metric; /* string */
  uint32_t amount;
};

CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_tables) == 40, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_location) == 20, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_block_info) == 24, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_site) == 16, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_count) == 16, "fixed layout");

/* What a module's constructor hands to the runtime. */
struct cachescape_module_start {
  const void* descriptors;
  uint64_t descriptor_bytes;
  const struct cachescape_tables* tables;
  uint64_t table_bytes;
  const struct cachescape_global* globals;
  uint64_t global_count;
  uint64_t counter_count;
  uint64_t* (*set_counters)(uint64_t*); /* makes them the calling thread's; returns those it had */
};

#endif
