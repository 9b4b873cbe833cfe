/* Follows a random cycle through memory: pointer_chase [ELEMENTS [STEPS]] */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1 << 20;
  const long steps = argc > 2 ? atol(argv[2]) : 1 << 24;
  long* const next = malloc((size_t)n * sizeof *next);
  for (long i = 0; i < n; i++) next[i] = i;
  /* Sattolo's shuffle makes one cycle of all elements. */
  unsigned long state = 1;
  for (long i = n - 1; i > 0; i--) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    const long j = (long)((state >> 33) % (unsigned long)i);
    const long swapped = next[i];
    next[i] = next[j];
    next[j] = swapped;
  }
  long at = 0;
  for (long i = 0; i < steps; i++) at = next[at];
  printf("%ld\n", at);
  free(next);
  return 0;
}
