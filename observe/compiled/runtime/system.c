#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "observe/compiled/runtime/runtime.h"

void cachescape_wake(uint32_t* futex) {
  const int saved = errno;
  syscall(SYS_futex, futex, FUTEX_WAKE, 1 << 20, NULL, NULL, 0);
  errno = saved;
}

void cachescape_wait(uint32_t* futex, uint32_t value, unsigned milliseconds) {
  const int saved = errno;
  const struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  syscall(SYS_futex, futex, FUTEX_WAIT, value, &time, NULL, 0);
  errno = saved;
}

uint64_t cachescape_hold_signals(void) {
  const uint64_t all = ~(uint64_t)0;
  uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  return before;
}

void cachescape_let_signals(uint64_t mask) { syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask); }

void cachescape_exit_now(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

uint64_t cachescape_clock(void) { return __rdtsc(); }

void cachescape_say(const char* first, const char* second) {
  const int saved = errno;
  char text[512] = "cachescape: ";
  strncat(text, first, sizeof text - strlen(text) - 2);
  strncat(text, second, sizeof text - strlen(text) - 2);
  strcat(text, "\n");
  if (write(2, text, strlen(text)) < 0) { /* nobody to tell */
  }
  errno = saved;
}
