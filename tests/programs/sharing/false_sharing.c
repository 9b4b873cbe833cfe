/* Two threads write by turns, N times each, different words of one line: it moves 2 N - 1 times, and nobody needs what
 * the other has written. */
#include "turns.h"

static _Alignas(line_bytes) volatile long words[8];
static long rounds;

static void* play(void* me) {
  for (long i = 0; i < rounds; i++) {
    wait_for(2 * i + (long)me);
    words[(long)me] = i;
    pass_to(2 * i + (long)me + 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atol(argv[1]) : 1000;
  tell("words", (const void*)words, sizeof words);
  run_threads(2, play);
  return 0;
}
