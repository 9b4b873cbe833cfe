/* Multigrid: V-cycles for Poisson's equation on a cube, zero at its faces, with grids of half the points down to one.
 * mg [log2 of the intervals in each direction [cycles]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_LEVELS = 9 };

/* Values at (n + 1)³ points of a grid of n intervals: what is looked for, the right-hand side, the residual. */
typedef struct {
  int n;
  double *u, *f, *r;
} Grid;

static Grid grids[MOST_LEVELS + 1];

static double* array(size_t count) {
  double* memory = calloc(count, sizeof *memory);
  if (memory == NULL) {
    fprintf(stderr, "mg: not enough memory\n");
    exit(2);
  }
  return memory;
}

static size_t at(const Grid* g, int i, int j, int k) {
  const size_t points = (size_t)g->n + 1;
  return ((size_t)k * points + (size_t)j) * points + (size_t)i;
}

#define FOR_INNER_POINTS(g)          \
  for (int k = 1; k < (g)->n; k++)   \
    for (int j = 1; j < (g)->n; j++) \
      for (int i = 1; i < (g)->n; i++)

static double neighbours(const double* u, size_t p, size_t row, size_t plane) {
  return u[p - 1] + u[p + 1] + u[p - row] + u[p + row] + u[p - plane] + u[p + plane];
}

/* Gauss and Seidel's way: each point from its neighbours, in turn. */
static void smooth(const Grid* g) {
  const size_t row = (size_t)g->n + 1, plane = row * row;
  const double h2 = 1.0 / g->n / g->n;
  FOR_INNER_POINTS(g) {
    const size_t p = at(g, i, j, k);
    g->u[p] = (neighbours(g->u, p, row, plane) + h2 * g->f[p]) / 6;
  }
}

static double residual(const Grid* g) {
  const size_t row = (size_t)g->n + 1, plane = row * row;
  const double per_h2 = (double)g->n * g->n;
  double sum = 0;
  FOR_INNER_POINTS(g) {
    const size_t p = at(g, i, j, k);
    g->r[p] = g->f[p] - per_h2 * (6 * g->u[p] - neighbours(g->u, p, row, plane));
    sum += g->r[p] * g->r[p];
  }
  return sqrt(sum / (per_h2 * g->n));
}

/* A coarse point takes the mean of the fine ones around it, the nearer the more. */
static void restrict_residual(const Grid* fine, const Grid* coarse) {
  FOR_INNER_POINTS(coarse) {
    double sum = 0;
    for (int dk = -1; dk <= 1; dk++)
      for (int dj = -1; dj <= 1; dj++)
        for (int di = -1; di <= 1; di++)
          sum += fine->r[at(fine, 2 * i + di, 2 * j + dj, 2 * k + dk)] / (8 << (abs(di) + abs(dj) + abs(dk)));
    coarse->f[at(coarse, i, j, k)] = sum;
    coarse->u[at(coarse, i, j, k)] = 0;
  }
}

/* A fine point is corrected by the mean of the coarse ones that it lies between. */
static void correct(const Grid* coarse, const Grid* fine) {
  FOR_INNER_POINTS(fine) {
    double sum = 0;
    for (int dk = 0; dk < 2; dk++)
      for (int dj = 0; dj < 2; dj++)
        for (int di = 0; di < 2; di++) sum += coarse->u[at(coarse, (i + di) / 2, (j + dj) / 2, (k + dk) / 2)];
    fine->u[at(fine, i, j, k)] += sum / 8;
  }
}

static void cycle(int level) {
  smooth(&grids[level]);
  if (level == 1) return; /* one inner point, which is right now */
  residual(&grids[level]);
  restrict_residual(&grids[level], &grids[level - 1]);
  cycle(level - 1);
  correct(&grids[level - 1], &grids[level]);
  smooth(&grids[level]);
}

int main(int argc, char** argv) {
  const int levels = argc > 1 ? atoi(argv[1]) : 6;
  const int cycles = argc > 2 ? atoi(argv[2]) : 2;
  if (levels < 2 || levels > MOST_LEVELS || cycles < 1 || cycles > 100) {
    fprintf(stderr, "usage: mg [log2 of the intervals [cycles]], 2 to %d and 1 to 100\n", MOST_LEVELS);
    return 2;
  }
  for (int l = 1; l <= levels; l++) {
    const size_t points = ((size_t)1 << l) + 1, count = points * points * points;
    grids[l] = (Grid){1 << l, array(count), array(count), array(count)};
  }
  const Grid* finest = &grids[levels];
  FOR_INNER_POINTS(finest) finest->f[at(finest, i, j, k)] = (i * 7 + j * 11 + k * 13) % 17 - 8;
  const double start = residual(finest);
  for (int c = 0; c < cycles; c++) cycle(levels);
  const double end = residual(finest);
  double sum = 0;
  FOR_INNER_POINTS(finest) sum += finest->u[at(finest, i, j, k)] * (1 + (i + 2 * j + 3 * k) % 5);
  printf("mg: residual %.4e, after %d cycles %.4e, checksum %.10g\n", start, cycles, end, sum);
  return end <= start * pow(0.3, cycles) ? 0 : 1;
}
