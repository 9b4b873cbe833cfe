/* Integer sort: keys go into buckets by their upper bits, then each bucket is sorted by counting: scattered writes.
 * is [log2 of the keys [log2 of the largest key]] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS, ROUNDS = 2 };

static uint64_t state = 42;
static uint32_t draw(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % below);
}

static uint32_t* array(size_t count) {
  uint32_t* memory = calloc(count, sizeof *memory);
  if (memory == NULL) {
    fprintf(stderr, "is: not enough memory\n");
    exit(2);
  }
  return memory;
}

/* Keys in the middle are the most frequent: the mean of four numbers. */
static void draw_keys(uint32_t* keys, size_t count, uint32_t below) {
  for (size_t i = 0; i < count; i++) keys[i] = (draw(below) + draw(below) + draw(below) + draw(below)) / 4;
}

/* Where each bucket begins, and where the last one ends. */
static void begin_buckets(const uint32_t* keys, size_t count, int shift, uint32_t* first) {
  memset(first, 0, (BUCKETS + 1) * sizeof *first);
  for (size_t i = 0; i < count; i++) first[(keys[i] >> shift) + 1]++;
  for (int b = 0; b < BUCKETS; b++) first[b + 1] += first[b];
}

static void distribute(const uint32_t* keys, size_t count, int shift, const uint32_t* first, uint32_t* in_buckets) {
  uint32_t next[BUCKETS];
  memcpy(next, first, sizeof next);
  for (size_t i = 0; i < count; i++) in_buckets[next[keys[i] >> shift]++] = keys[i];
}

/* counts has room for all keys that a bucket may hold. */
static void sort_bucket(const uint32_t* from, uint32_t* to, size_t count, int shift, uint32_t* counts) {
  const uint32_t kinds = 1u << shift;
  memset(counts, 0, kinds * sizeof *counts);
  for (size_t i = 0; i < count; i++) counts[from[i] & (kinds - 1)]++;
  uint32_t sum = 0;
  for (uint32_t k = 0; k < kinds; k++) {
    const uint32_t these = counts[k];
    counts[k] = sum;
    sum += these;
  }
  for (size_t i = 0; i < count; i++) to[counts[from[i] & (kinds - 1)]++] = from[i];
}

/* What sorting leaves as it is. */
static uint64_t fingerprint(const uint32_t* keys, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (keys[i] + 1) * (uint64_t)0x9e3779b97f4a7c15u ^ keys[i] * (uint64_t)keys[i];
  return sum;
}

int main(int argc, char** argv) {
  const int key_count_bits = argc > 1 ? atoi(argv[1]) : 20;
  const int key_bits = argc > 2 ? atoi(argv[2]) : 19;
  if (key_count_bits < 1 || key_count_bits > 28 || key_bits < BUCKET_BITS || key_bits > 29) {
    fprintf(stderr, "usage: is [log2 of the keys [log2 of the largest key]], 1 to 28 and %d to 29\n", BUCKET_BITS);
    return 2;
  }
  const size_t count = (size_t)1 << key_count_bits;
  const int shift = key_bits - BUCKET_BITS;
  uint32_t *keys = array(count), *in_buckets = array(count), *sorted = array(count);
  uint32_t *first = array(BUCKETS + 1), *counts = array((size_t)1 << shift);
  draw_keys(keys, count, 1u << key_bits);
  for (int round = 0; round < ROUNDS; round++) {
    keys[(size_t)round * 7 % count] = (uint32_t)round;
    begin_buckets(keys, count, shift, first);
    distribute(keys, count, shift, first, in_buckets);
    for (int b = 0; b < BUCKETS; b++)
      sort_bucket(in_buckets + first[b], sorted + first[b], first[b + 1] - first[b], shift, counts);
  }
  size_t disorder = 0;
  for (size_t i = 1; i < count; i++) disorder += sorted[i - 1] > sorted[i];
  const uint64_t before = fingerprint(keys, count), after = fingerprint(sorted, count);
  printf("is: %zu keys, %zu out of order, median %u, checksum %016llx\n", count, disorder, sorted[count / 2],
         (unsigned long long)after);
  return disorder == 0 && before == after ? 0 : 1;
}
