/* Quicksort, then counting in an open hash table: branches, recursion and far jumps. */
#include <stdio.h>
#include <stdlib.h>

static void quicksort(unsigned* a, long low, long high) {
  while (low < high) {
    const unsigned pivot = a[(low + high) / 2];
    long i = low, j = high;
    while (i <= j) {
      while (a[i] < pivot) i++;
      while (a[j] > pivot) j--;
      if (i <= j) {
        const unsigned t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    if (j - low < high - i) {
      quicksort(a, low, j);
      low = i;
    } else {
      quicksort(a, i, high);
      high = j;
    }
  }
}

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 20000;
  unsigned* a = malloc((size_t)n * sizeof *a);
  unsigned long long state = 1;
  for (long i = 0; i < n; i++) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    a[i] = (unsigned)(state >> 40);
  }
  size_t slots = 1;
  while (slots < (size_t)n * 2) slots *= 2;
  struct entry {
    unsigned key, count;
  }* table = calloc(slots, sizeof *table);
  for (long i = 0; i < n; i++) {
    size_t at = (a[i] * 2654435761U) & (slots - 1);
    while (table[at].count != 0 && table[at].key != a[i]) at = (at + 1) & (slots - 1);
    table[at].key = a[i];
    table[at].count++;
  }
  quicksort(a, 0, n - 1);
  unsigned long long sum = 0;
  for (long i = 0; i < n; i++) sum += a[i] * (unsigned long long)i;
  unsigned most = 0;
  for (size_t i = 0; i < slots; i++)
    if (table[i].count > most) most = table[i].count;
  printf("%llu %u\n", sum, most);
  return 0;
}
