/* Symmetric successive over-relaxation with blocks of 5 × 5 on a three-dimensional grid: sweeps along its diagonal
 * planes, upwards and downwards. lu [points in each direction [iterations]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { V = 5 };

static const double omega = 1.1;
static int n;
static double (*u)[V], (*f)[V], (*r)[V]; /* solution, right-hand side, residual; by point */
static double (*diagonal)[V][V];         /* by point, factored */
static double coupling[3][V][V];         /* to the neighbours in x, y, z */

static void* array(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "lu: not enough memory\n");
    exit(2);
  }
  return memory;
}

static double diagonal_at(size_t p, int a, int b) {
  return a == b ? 7.5 + 0.5 * (double)((p * 31 + (size_t)a) % 8) : 0.1 * ((a + 2 * b) % 3 - 1);
}

/* Lower and upper factor in one matrix, without pivots: the diagonal outweighs the rest. */
static void factor(double m[V][V]) {
  for (int c = 0; c < V; c++)
    for (int a = c + 1; a < V; a++) {
      m[a][c] /= m[c][c];
      for (int b = c + 1; b < V; b++) m[a][b] -= m[a][c] * m[c][b];
    }
}

static void solve(const double m[V][V], double x[V]) {
  for (int a = 1; a < V; a++)
    for (int b = 0; b < a; b++) x[a] -= m[a][b] * x[b];
  for (int a = V - 1; a >= 0; a--) {
    for (int b = a + 1; b < V; b++) x[a] -= m[a][b] * x[b];
    x[a] /= m[a][a];
  }
}

static void subtract_product(double y[V], double by, const double m[V][V], const double x[V]) {
  for (int a = 0; a < V; a++)
    for (int b = 0; b < V; b++) y[a] -= by * m[a][b] * x[b];
}

static const size_t* strides(void) {
  static size_t s[3];
  s[0] = 1, s[1] = (size_t)n, s[2] = (size_t)n * (size_t)n;
  return s;
}

/* Points of a diagonal plane do not depend on each other, only on the plane before: side −1, or behind: side 1. */
static void relax_plane(int plane, int side) {
  const size_t* s = strides();
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      const int at[3] = {plane - k - j, j, k};
      if (at[0] < 0 || at[0] >= n) continue;
      const size_t p = (size_t)at[0] + (size_t)j * s[1] + (size_t)k * s[2];
      double x[V];
      for (int a = 0; a < V; a++) x[a] = side < 0 ? r[p][a] : 0;
      for (int d = 0; d < 3; d++) {
        if (at[d] + side < 0 || at[d] + side >= n) continue;
        subtract_product(x, omega, coupling[d], r[side < 0 ? p - s[d] : p + s[d]]);
      }
      solve(diagonal[p], x);
      for (int a = 0; a < V; a++) r[p][a] = side < 0 ? x[a] : r[p][a] + x[a];
    }
  }
}

static double residual(void) {
  const size_t* s = strides();
  double sum = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const int at[3] = {i, j, k};
        const size_t p = (size_t)i + (size_t)j * s[1] + (size_t)k * s[2];
        for (int a = 0; a < V; a++) {
          r[p][a] = f[p][a];
          for (int b = 0; b < V; b++) r[p][a] -= diagonal_at(p, a, b) * u[p][b];
        }
        for (int d = 0; d < 3; d++) {
          if (at[d] > 0) subtract_product(r[p], 1, coupling[d], u[p - s[d]]);
          if (at[d] < n - 1) subtract_product(r[p], 1, coupling[d], u[p + s[d]]);
        }
        for (int a = 0; a < V; a++) sum += r[p][a] * r[p][a];
      }
  return sqrt(sum);
}

int main(int argc, char** argv) {
  n = argc > 1 ? atoi(argv[1]) : 28;
  const int iterations = argc > 2 ? atoi(argv[2]) : 1;
  if (n < 2 || n > 400 || iterations < 1 || iterations > 1000) {
    fprintf(stderr, "usage: lu [points in each direction [iterations]], 2 to 400 and 1 to 1000\n");
    return 2;
  }
  const size_t points = (size_t)n * (size_t)n * (size_t)n;
  u = array(points, sizeof *u), f = array(points, sizeof *f), r = array(points, sizeof *r);
  diagonal = array(points, sizeof *diagonal);
  for (int d = 0; d < 3; d++)
    for (int a = 0; a < V; a++)
      for (int b = 0; b < V; b++) coupling[d][a][b] = a == b ? -1 : 0.02 * ((a + b + d) % 4 - 1.5);
  for (size_t p = 0; p < points; p++) {
    for (int a = 0; a < V; a++) {
      f[p][a] = (double)((p * 13 + (size_t)a * 5) % 11) - 5;
      for (int b = 0; b < V; b++) diagonal[p][a][b] = diagonal_at(p, a, b);
    }
    factor(diagonal[p]);
  }
  const double start = residual();
  double end = start;
  for (int i = 0; i < iterations; i++) {
    for (int plane = 0; plane <= 3 * (n - 1); plane++) relax_plane(plane, -1);
    for (int plane = 3 * (n - 1); plane >= 0; plane--) relax_plane(plane, 1);
    for (size_t p = 0; p < points; p++)
      for (int a = 0; a < V; a++) u[p][a] += omega * (2 - omega) * r[p][a];
    end = residual();
  }
  double sum = 0;
  for (size_t p = 0; p < points; p++) sum += u[p][p % V] * (double)(p % 9);
  printf("lu: residual %.4e, after %d iterations %.4e, checksum %.10g\n", start, iterations, end, sum);
  return end <= start * pow(0.4, iterations) ? 0 : 1;
}
