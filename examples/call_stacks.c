/* A vector is summed up from two places, and searched by a function that calls itself: what costs most depends on who
 * calls. */
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

enum { N = 1000 };
static double vector[N];

static NOINLINE double dot(int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += vector[i] * vector[i];
  return sum;
}

static NOINLINE double solve(void) {
  double last = 0;
  for (int step = 0; step < 20; ++step) {
    last += dot(N);
    vector[0] = step;
  }
  return last;
}

static NOINLINE double check(void) { return dot(10) - 285; }

static NOINLINE int search(double value, int from, int end) {
  if (end - from == 1) return from;
  const int middle = from + (end - from) / 2;
  return vector[middle] > value ? search(value, from, middle) : search(value, middle, end);
}

int main(void) {
  for (int i = 0; i < N; ++i) vector[i] = i;
  const double error = check();
  printf("%g %g %d\n", solve(), error, search(17, 0, N));
  return 0;
}
