/* Conjugate gradients on a sparse matrix in compressed rows: indirect reads inside affine loops. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long long state = 12345;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)((state >> 33) % below);
}

static void multiply(int n, const int* first, const int* column, const double* value, const double* x, double* y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 2000;
  const int iterations = argc > 2 ? atoi(argv[2]) : 5;
  const int per_row = 12;
  int* first = malloc((size_t)(n + 1) * sizeof *first);
  int* column = malloc((size_t)n * per_row * sizeof *column);
  double* value = malloc((size_t)n * per_row * sizeof *value);
  double *x = calloc((size_t)n, sizeof *x), *r = malloc((size_t)n * sizeof *r);
  double *p = malloc((size_t)n * sizeof *p), *q = malloc((size_t)n * sizeof *q);
  for (int i = 0; i < n; i++) {
    first[i] = i * per_row;
    for (int k = 0; k < per_row; k++) {
      column[i * per_row + k] = k == 0 ? i : (int)draw((unsigned)n);
      value[i * per_row + k] = k == 0 ? 40.0 : 0.01;
    }
  }
  first[n] = n * per_row;
  for (int i = 0; i < n; i++) p[i] = r[i] = 1.0;
  double rho = dot(n, r, r);
  for (int it = 0; it < iterations; it++) {
    multiply(n, first, column, value, p, q);
    const double alpha = rho / dot(n, p, q);
    for (int i = 0; i < n; i++) x[i] += alpha * p[i];
    for (int i = 0; i < n; i++) r[i] -= alpha * q[i];
    const double next = dot(n, r, r);
    const double beta = next / rho;
    rho = next;
    for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
  }
  printf("%.6f %.3e\n", dot(n, x, x), rho);
  return 0;
}
