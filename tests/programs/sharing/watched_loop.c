/* One thread counts a word up in a loop whose trips are known beforehand; another writes a word beside it again and
 * again, and looks before and after how far the count is. Prints both for each of its writes: so many of the first
 * one's writes came before that one. */
#include "turns.h"

enum { writes = 200 };
static _Alignas(line_bytes) volatile long words[8]; /* 0: the count; 1: what is written beside it */
static long trips;
static long seen[writes][2];

IGNORED static long look(void) { return words[0]; }
IGNORED static void look_before(long write) {
  const long now = look();
  while (look() == now && now < trips) sched_yield();
  seen[write][0] = look();
}
IGNORED static void look_after(long write) { seen[write][1] = look(); }

static void* play(void* me) {
  if (me == NULL) {
    for (long i = 0; i < trips; i++) words[0]++;
  } else {
    for (long w = 0; w < writes; w++) {
      look_before(w);
      words[1] = w;
      look_after(w);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  trips = argc > 1 ? atol(argv[1]) : 1000000;
  tell("words", (const void*)words, sizeof words);
  run_threads(2, play);
  for (long w = 0; w < writes; w++) printf("%ld %ld\n", seen[w][0], seen[w][1]);
  return 0;
}
