/* One thread writes an array, then four read it again and again: what they read is shared, and stays where it is. */
#include "turns.h"

enum { lines = 64, words = 8, readers = 4 };
static _Alignas(line_bytes) long table[lines * words];
static long rounds;
static volatile long sums[readers * words];

static void* read_it(void* me) {
  long total = 0;
  for (long r = 0; r < rounds; r++)
    for (long i = 0; i < lines * words; i++) total += ((const volatile long*)table)[i];
  sums[(long)me * words] = total;
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atol(argv[1]) : 10;
  tell("table", table, sizeof table);
  for (long i = 0; i < lines * words; i++) ((volatile long*)table)[i] = i;
  run_threads(readers, read_it);
  printf("%ld\n", sums[0]);
  return 0;
}
