/* Two threads count their own work, each in a structure of its own, but both structures lie in one line: every time
 * that one thread counts, the other one's cache loses the line. Threads take turns here so that it happens every time;
 * how they wait for each other is not what the example is about, and not observed. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#if defined(__clang__)
#define IGNORED __attribute__((noinline, annotate("cachescape.ignore")))
#else
#define IGNORED __attribute__((noinline))
#endif

struct work {
  long items;
  long bytes;
};

enum { rounds = 1000 };

static _Alignas(64) struct work work[2];
static _Alignas(64) atomic_long turn;

IGNORED static void wait_for(long value) {
  while (atomic_load_explicit(&turn, memory_order_acquire) != value) sched_yield();
}
IGNORED static void pass_to(long value) { atomic_store_explicit(&turn, value, memory_order_release); }

static void* run(void* number) {
  const long me = (long)number;
  volatile struct work* mine = &work[me];
  for (long i = 0; i < rounds; i++) {
    wait_for(2 * i + me);
    mine->items += 1;
    mine->bytes += 64;
    pass_to(2 * i + me + 1);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, run, (void*)0);
  wait_for(1); /* the first to begin is the first in the report */
  pthread_create(&threads[1], NULL, run, (void*)1);
  for (long i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%ld items\n", work[0].items + work[1].items);
  return 0;
}
