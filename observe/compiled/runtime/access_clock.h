/* The clock of programs compiled with --cachescape-accesses=clock: it counts the accesses of each thread, and calls
 * back after so many of them. For observers that sample, in the same process; found by dlsym() or linked weakly.
 *
 * Each thread has a countdown. Code subtracts the accesses of a block, or of a whole loop whose trips are known, when
 * it begins, so the clock is ahead by at most these, and a tick comes at the end of a block's or in front of a loop's
 * count. It is read in signal handlers too: it never lies in a register. */
#ifndef CACHESCAPE_ACCESS_CLOCK_H
#define CACHESCAPE_ACCESS_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called on the thread whose countdown is over, between two of its instructions, with the accesses that it has made so
 * far; returns after how many more to call again, 0 for never. All registers and errno are kept. The first call on each
 * thread comes with its first accesses. Accesses that it makes itself in instrumented code count and do not tick. */
typedef uint64_t cachescape_clock_callback(uint64_t accesses);

/* For all threads, also those that run: for them once they are armed. Null for none. */
void cachescape_clock_on_tick_v1(cachescape_clock_callback* callback);
/* This thread's next tick comes after so many more accesses; 0 for never. */
void cachescape_clock_arm_v1(uint64_t accesses);
/* Accesses of this thread so far. */
uint64_t cachescape_clock_read_v1(void);

#ifdef __cplusplus
}
#endif

#endif
