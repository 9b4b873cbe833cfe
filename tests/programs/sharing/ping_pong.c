/* Two threads write one word by turns, N times each: 2 N - 1 times it comes from the other's cache. */
#include "turns.h"

static _Alignas(line_bytes) volatile long word[8];
static long rounds;

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
  tell("word", (const void*)word, sizeof word);
  run_threads(2, play);
  return 0;
}
