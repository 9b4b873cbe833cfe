/* Conjugate gradients on a random sparse matrix, symmetric and diagonally dominant: indirect reads all over a vector.
 * cg [rows [neighbours of a row]] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 42;
static uint32_t draw(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % below);
}

static void* array(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "cg: not enough memory\n");
    exit(2);
  }
  return memory;
}

/* Rows, compressed: entries first[i] … first[i + 1] − 1 belong to row i. */
typedef struct {
  int rows;
  int *first, *column;
  double* value;
} Matrix;

/* Pairs of rows, each drawn once and entered twice; the diagonal outweighs what is left of it and right of it. */
static Matrix random_matrix(int rows, int pairs) {
  const int count = rows * pairs;
  int* partner = array((size_t)count, sizeof *partner);
  Matrix m = {rows, array((size_t)rows + 1, sizeof(int)), array((size_t)(2 * count + rows), sizeof(int)),
              array((size_t)(2 * count + rows), sizeof(double))};
  for (int e = 0; e < count; e++) {
    partner[e] = (int)draw((uint32_t)rows);
    m.first[e / pairs]++;
    m.first[partner[e]]++;
  }
  int sum = 0;
  for (int i = 0; i <= rows; i++) {
    const int entries = i < rows ? m.first[i] + 1 : 0;
    m.first[i] = sum;
    sum += entries;
  }
  int* end = array((size_t)rows, sizeof *end);
  for (int i = 0; i < rows; i++) {
    end[i] = m.first[i] + 1;
    m.column[m.first[i]] = i;
    m.value[m.first[i]] = 1;
  }
  for (int e = 0; e < count; e++) {
    const int i = e / pairs, j = partner[e];
    const double v = -(double)(1 + draw(100)) / 100;
    m.column[end[i]] = j;
    m.value[end[i]++] = v;
    m.column[end[j]] = i;
    m.value[end[j]++] = v;
    m.value[m.first[i]] -= v;
    m.value[m.first[j]] -= v;
  }
  free(end);
  free(partner);
  return m;
}

static void multiply(const Matrix* m, const double* x, double* y) {
  for (int i = 0; i < m->rows; i++) {
    double sum = 0;
    for (int e = m->first[i]; e < m->first[i + 1]; e++) sum += m->value[e] * x[m->column[e]];
    y[i] = sum;
  }
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

int main(int argc, char** argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 26000;
  const int neighbours = argc > 2 ? atoi(argv[2]) : 16;
  if (rows < 2 || rows > 4000000 || neighbours < 2 || neighbours > 200) {
    fprintf(stderr, "usage: cg [rows [neighbours of a row]], 2 to 4000000 and 2 to 200\n");
    return 2;
  }
  const Matrix m = random_matrix(rows, neighbours / 2);
  const size_t n = (size_t)rows;
  double *x = array(n, sizeof *x), *b = array(n, sizeof *b), *r = array(n, sizeof *r), *p = array(n, sizeof *p),
         *q = array(n, sizeof *q);
  for (int i = 0; i < rows; i++) r[i] = p[i] = b[i] = (double)draw(1000) / 1000;
  const double start = dot(rows, r, r);
  double rho = start;
  int iterations = 0;
  while (rho > 1e-12 * start && iterations < 200) {
    multiply(&m, p, q);
    const double alpha = rho / dot(rows, p, q);
    for (int i = 0; i < rows; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(rows, r, r);
    for (int i = 0; i < rows; i++) p[i] = r[i] + next / rho * p[i];
    rho = next;
    iterations++;
  }
  /* The residual anew, not as it was updated. */
  multiply(&m, x, q);
  for (int i = 0; i < rows; i++) r[i] = b[i] - q[i];
  const double residual = sqrt(dot(rows, r, r) / start);
  printf("cg: %d iterations, residual %.2e, checksum %.10g\n", iterations, residual, dot(rows, x, x));
  return residual < 1e-5 ? 0 : 1;
}
