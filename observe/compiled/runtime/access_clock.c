/* The countdown of accesses that instrumented code keeps. */
#include "observe/compiled/runtime/access_clock.h"

#include <errno.h>

#include "observe/compiled/runtime/runtime.h"

/* Accesses until the next tick; code subtracts from it. */
CACHESCAPE_EXPORT CACHESCAPE_TLS int64_t cachescape_accesses_left;
void cachescape_accesses_over(void);

static CACHESCAPE_TLS uint64_t over_at; /* accesses of the thread when none are left */
static CACHESCAPE_TLS int ticking;
static cachescape_clock_callback* on_tick;

static const uint64_t never = UINT64_C(1) << 62;

CACHESCAPE_EXPORT uint64_t cachescape_clock_read_v1(void) { return over_at - (uint64_t)cachescape_accesses_left; }

CACHESCAPE_EXPORT void cachescape_clock_arm_v1(uint64_t accesses) {
  const uint64_t until = accesses == 0 || accesses > never ? never : accesses;
  over_at = cachescape_clock_read_v1() + until - 1;
  cachescape_accesses_left = (int64_t)until - 1; /* the one that makes it negative ticks */
}

CACHESCAPE_EXPORT void cachescape_clock_on_tick_v1(cachescape_clock_callback* callback) {
  __atomic_store_n(&on_tick, callback, __ATOMIC_RELEASE);
}

void cachescape_accesses_over(void) {
  cachescape_clock_callback* const callback = __atomic_load_n(&on_tick, __ATOMIC_ACQUIRE);
  cachescape_clock_arm_v1(0);
  if (ticking || callback == NULL) return;
  const int saved = errno;
  ticking = 1;
  cachescape_clock_arm_v1(callback(cachescape_clock_read_v1()));
  ticking = 0;
  errno = saved;
}
