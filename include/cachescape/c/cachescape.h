/* The engine for tools that are not written in C++: feed accesses, get a profile. Opaque handles, no exceptions, no
 * global state. A handle is used by one thread at a time. Functions that can fail return 0 on success;
 * cachescape_error() then says what went wrong. */
#ifndef CACHESCAPE_C_CACHESCAPE_H
#define CACHESCAPE_C_CACHESCAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cachescape_kind { CACHESCAPE_READ = 0, CACHESCAPE_WRITE = 1, CACHESCAPE_MODIFY = 2 };

/* One access; size 0 = unknown, which touches one line. */
struct cachescape_access {
  uint64_t address;
  uint64_t site; /* program counter, or 0 */
  uint32_t size;
  uint32_t thread;
  uint32_t kind; /* enum cachescape_kind */
};

/* One access of a loop's body: in iteration i its address is base + i * step. */
struct cachescape_strided_access {
  uint64_t base;
  int64_t step;
  uint64_t site;
  uint32_t size;
  uint32_t kind;
};

typedef struct cachescape_analyzer cachescape_analyzer;

/* Line sizes are powers of two in bytes; NULL and 0 mean the default, 4 … 512. NULL where the sizes make no sense or
 * memory is short. */
cachescape_analyzer* cachescape_analyzer_new(const uint32_t* line_sizes, size_t line_size_count);
void cachescape_analyzer_free(cachescape_analyzer* analyzer);

/* Accesses in the order in which they happened. */
int cachescape_analyzer_feed(cachescape_analyzer* analyzer, const struct cachescape_access* accesses, size_t count);
/* `trips` iterations of a loop over arrays, without expanding it. */
int cachescape_analyzer_feed_loop(cachescape_analyzer* analyzer, uint32_t thread, uint64_t trips,
                                  const struct cachescape_strided_access* body, size_t body_count);

/* Misses so far of a fully associative LRU cache of `lines` lines of `line_size` bytes; UINT64_MAX where that line size
 * is not analysed. */
uint64_t cachescape_analyzer_misses(cachescape_analyzer* analyzer, uint32_t line_size, uint64_t lines);

/* Writes the profile of what was fed so far as a .cscape file. */
int cachescape_analyzer_save(cachescape_analyzer* analyzer, const char* path);

/* What the last failed call on this handle ran into; valid until the next call. */
const char* cachescape_error(const cachescape_analyzer* analyzer);

#ifdef __cplusplus
}
#endif

#endif
