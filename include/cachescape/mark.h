/* Calipers for programs that cachescape observes: what is looked at, and what it is called.
 *
 * Calls do nothing where the program is not observed, and need nothing at link time: the functions are weak. C and C++;
 * for Fortran there is the module cachescape_mark in mark.f90. */
#ifndef CACHESCAPE_MARK_H
#define CACHESCAPE_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void cachescape_mark_on(void);
__attribute__((weak)) void cachescape_mark_off(void);

/* The calling thread's accesses are observed from here on (as they are at the start), or no longer. */
static inline void cachescape_on(void) {
  if (cachescape_mark_on) cachescape_mark_on();
}
static inline void cachescape_off(void) {
  if (cachescape_mark_off) cachescape_mark_off();
}

/* A function that is never instrumented. */
#define CACHESCAPE_IGNORE __attribute__((annotate("cachescape.ignore")))

__attribute__((weak)) void cachescape_mark_begin(const char* tag);
__attribute__((weak)) void cachescape_mark_end(const char* tag);

/* What the calling thread does between the two belongs to the region `tag`, regions nest.
 * `cachescape record --region TAG` keeps the accesses of one. */
static inline void cachescape_begin_region(const char* tag) {
  if (cachescape_mark_begin) cachescape_mark_begin(tag);
}
static inline void cachescape_end_region(const char* tag) {
  if (cachescape_mark_end) cachescape_mark_end(tag);
}

#ifdef __cplusplus
}
#endif

#endif
