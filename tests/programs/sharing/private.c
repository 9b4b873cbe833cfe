/* Every thread has an array of its own, in lines of its own: nothing is shared. They begin together. */
#include "turns.h"

enum { threads = 4, words = 512 };
static _Alignas(line_bytes) volatile long own[threads][words];
static long rounds;

IGNORED static void begin_together(void) {
  atomic_fetch_add(&turn.value, 1);
  while (atomic_load(&turn.value) < threads) sched_yield();
}

static void* work(void* me) {
  begin_together();
  volatile long* const mine = own[(long)me];
  for (long r = 0; r < rounds; r++)
    for (long i = 0; i < words; i++) mine[i] += r;
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atol(argv[1]) : 10;
  tell("own", (const void*)own, sizeof own);
  run_threads(threads, work);
  return 0;
}
