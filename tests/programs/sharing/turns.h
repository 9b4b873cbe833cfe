/* Threads that take turns, so that the order of their accesses is known. Waiting is not observed where the program is
 * compiled by cachescape, and its variables lie in lines of their own. */
#ifndef TURNS_H
#define TURNS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__clang__)
#define IGNORED __attribute__((noinline, annotate("cachescape.ignore")))
#else
#define IGNORED __attribute__((noinline))
#endif

enum { line_bytes = 64 };

static struct {
  _Alignas(line_bytes) atomic_long value;
  char rest[line_bytes - sizeof(atomic_long)];
} turn;

IGNORED static void wait_for(long value) {
  while (atomic_load_explicit(&turn.value, memory_order_acquire) != value) sched_yield();
}
IGNORED static void pass_to(long value) { atomic_store_explicit(&turn.value, value, memory_order_release); }

/* Runs function(0), function(1), … in threads of their own until all have ended. */
IGNORED static void run_threads(long count, void* (*function)(void*)) {
  pthread_t threads[16];
  for (long i = 0; i < count; i++) pthread_create(&threads[i], NULL, function, (void*)i);
  for (long i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

IGNORED static void tell(const char* name, const void* address, unsigned long bytes) {
  printf("%s %p %lu\n", name, address, bytes);
  fflush(stdout);
}

#endif
