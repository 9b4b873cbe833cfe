/* One thread counts a word up, in loops whose trips are known beforehand; another writes a word beside it again and
 * again, and looks before and after how far the count is. Prints both for each of its writes: so many of the first
 * one's writes came before that one. The first goes on until the second has ended, or until it has made as many trips
 * as it may. */
#include "turns.h"

enum { writes = 20, trips = 1000, begun = 1, over = 2 };
static _Alignas(line_bytes) volatile long words[8]; /* 0: the count; 1: what is written beside it */
static _Alignas(line_bytes) long most;
static long seen[writes][2];

IGNORED static long count(void) { return words[0]; }
IGNORED static int goes_on(void) { return atomic_load(&turn.value) != over && count() < most; }
IGNORED static void look_before(long write) {
  const long now = count();
  while (count() == now && count() < most) sched_yield();
  seen[write][0] = count();
}
IGNORED static void look_after(long write) { seen[write][1] = count(); }

static void* play(void* me) {
  if (me == NULL) {
    wait_for(begun);
    while (goes_on())
      for (long i = 0; i < trips; i++) words[0]++;
  } else {
    pass_to(begun);
    for (long w = 0; w < writes; w++) {
      look_before(w);
      words[1] = w;
      look_after(w);
    }
    pass_to(over);
  }
  return NULL;
}

int main(int argc, char** argv) {
  most = argc > 1 ? atol(argv[1]) : 1000000;
  tell("words", (const void*)words, sizeof words);
  run_threads(2, play);
  for (long w = 0; w < writes; w++) printf("%ld %ld\n", seen[w][0], seen[w][1]);
  printf("%ld\n", count());
  return 0;
}
