/* Two threads write one word by turns, N times each: 2 N - 1 times it comes from the other's cache. How they wait for
 * each other is not what the example is about, so that is not observed. */
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

static _Alignas(64) volatile long word[8];
static _Alignas(64) atomic_long turn;
static _Alignas(64) long rounds;

IGNORED static void wait_for(long value) {
  while (atomic_load_explicit(&turn, memory_order_acquire) != value) sched_yield();
}
IGNORED static void pass_to(long value) { atomic_store_explicit(&turn, value, memory_order_release); }

static void* play(void* me) {
  for (long i = 0; i < rounds; i++) {
    wait_for(2 * i + (long)me);
    word[0] = i;
    pass_to(2 * i + (long)me + 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atol(argv[1]) : 1000;
  printf("word %p %d\n", (void*)word, (int)sizeof word);
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, play, (void*)i);
  for (long i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
