/* One thread fills the lines of a ring, another reads them: each line comes from the first one's cache, once for each
 * time that it was filled. The loop over a line is affine. */
#include "turns.h"

enum { slots = 4, words = 8 };
static _Alignas(line_bytes) long ring[slots][words];
static long items;
static volatile long sum;

static void produce(long* line, long value) {
  for (long w = 0; w < words; w++) ((volatile long*)line)[w] = value;
}

static long consume(const long* line) {
  long total = 0;
  for (long w = 0; w < words; w++) total += ((const volatile long*)line)[w];
  return total;
}

static void* play(void* me) {
  long total = 0;
  for (long i = 0; i < items; i++) {
    wait_for(2 * i + (long)me);
    if (me == NULL) {
      produce(ring[i % slots], i);
    } else {
      total += consume(ring[i % slots]);
    }
    pass_to(2 * i + (long)me + 1);
  }
  if (me != NULL) sum = total;
  return NULL;
}

int main(int argc, char** argv) {
  items = argc > 1 ? atol(argv[1]) : 1000;
  tell("ring", (const void*)ring, sizeof ring);
  run_threads(2, play);
  printf("%ld\n", sum);
  return 0;
}
