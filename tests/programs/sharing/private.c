/* Every thread has an array of its own, in lines of its own: nothing is shared. */
#include "turns.h"

enum { threads = 4, words = 512 };
static _Alignas(line_bytes) volatile long own[threads][words];
static long rounds;

static void* work(void* me) {
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
