/* Kernels in which 1, 2, 4 … loads wait for none of the others, through memory that no cache holds: nanoseconds per
 * load. chases [MiB] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KERNEL __attribute__((noinline))

/* A line of memory each: the number of the next one, in one random cycle, and payload. */
typedef struct {
  uint32_t next, other;
  uint64_t first, second, rest[5];
} Node;

static Node* nodes;
static uint32_t last; /* number; one less than a power of two */

#define STEP(c) c = nodes[c].next
KERNEL static uint32_t chase_1(const uint32_t* from, int steps) {
  uint32_t a = from[0];
  for (int i = 0; i < steps; i++) STEP(a);
  return a;
}
KERNEL static uint32_t chase_2(const uint32_t* from, int steps) {
  uint32_t a = from[0], b = from[1];
  for (int i = 0; i < steps; i++) STEP(a), STEP(b);
  return a ^ b;
}
KERNEL static uint32_t chase_4(const uint32_t* from, int steps) {
  uint32_t a = from[0], b = from[1], c = from[2], d = from[3];
  for (int i = 0; i < steps; i++) STEP(a), STEP(b), STEP(c), STEP(d);
  return a ^ b ^ c ^ d;
}
KERNEL static uint32_t chase_8(const uint32_t* from, int steps) {
  uint32_t a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6], h = from[7];
  for (int i = 0; i < steps; i++) STEP(a), STEP(b), STEP(c), STEP(d), STEP(e), STEP(f), STEP(g), STEP(h);
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}
/* A node is found by the last one, another node's payload by it. */
KERNEL static uint32_t chase_payload(const uint32_t* from, int steps) {
  uint32_t a = from[0];
  uint64_t sum = 0;
  for (int i = 0; i < steps; i++) {
    sum += nodes[nodes[a].other].first;
    STEP(a);
  }
  return a ^ (uint32_t)sum;
}
/* Addresses are known beforehand. */
KERNEL static uint32_t independent(const uint32_t* from, int steps) {
  uint32_t a = from[0];
  uint64_t sum = 0;
  for (int i = 0; i < steps; i++) {
    sum += nodes[a & last].first;
    a = a * 1664525u + 1013904223u;
  }
  return (uint32_t)sum;
}

static const struct {
  const char* name;
  uint32_t (*run)(const uint32_t*, int);
  int loads; /* per step, in different lines */
} kernels[] = {{"chase_1", chase_1, 1},
               {"chase_2", chase_2, 2},
               {"chase_4", chase_4, 4},
               {"chase_8", chase_8, 8},
               {"chase_payload", chase_payload, 2},
               {"independent", independent, 1}};

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  const long mib = argc > 1 ? atol(argv[1]) : 256;
  uint32_t count = 1;
  while (count * sizeof(Node) < (size_t)(mib < 1 ? 1 : mib) << 20) count *= 2;
  last = count - 1;
  nodes = aligned_alloc(sizeof(Node), count * sizeof(Node));
  uint32_t* order = malloc(count * sizeof *order);
  if (nodes == NULL || order == NULL) return fprintf(stderr, "chases: not enough memory\n"), 2;
  uint64_t state = 42;
  for (uint32_t i = 0; i < count; i++) order[i] = i;
  for (uint32_t i = count - 1; i > 0; i--) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint32_t j = (uint32_t)((state >> 33) % (i + 1)), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (uint32_t i = 0; i < count; i++) {
    Node* node = &nodes[order[i]];
    node->next = order[(i + 1) & last];
    node->other = order[(i + count / 16 * 5) & last];
    node->first = i;
  }
  uint32_t found = 0;
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    /* Each has its own eighth of the cycle, and each chain its own part of that: what others touched may be in a cache.
     */
    const int steps = 400000 / kernels[k].loads;
    const uint32_t eighth = count / 8;
    uint32_t from[8];
    for (uint32_t c = 0; c < 8; c++)
      from[c] =
          order[((uint32_t)k * eighth + c % (uint32_t)kernels[k].loads * (eighth / (uint32_t)kernels[k].loads)) & last];
    const double start = seconds();
    found ^= kernels[k].run(from, steps);
    printf("%s %.3f\n", kernels[k].name, 1e9 * (seconds() - start) / ((double)steps * kernels[k].loads));
  }
  return found == 1;
}
