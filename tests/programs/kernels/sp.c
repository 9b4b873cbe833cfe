/* Pentadiagonal systems along the lines of a three-dimensional grid, in x, then y, then z, for five variables each.
 * sp [points in each direction] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARIABLES = 5, MOST_POINTS = 512 };

static int n;                              /* points in each direction */
static double *weight, *wanted, *solution; /* by point; by variable and point */

static double* array(size_t count) {
  double* memory = calloc(count, sizeof *memory);
  if (memory == NULL) {
    fprintf(stderr, "sp: not enough memory\n");
    exit(2);
  }
  return memory;
}

/* A row of the matrix along a line: coefficients of the points two before to two behind. The diagonal outweighs the
 * others, so that elimination needs no pivots. */
typedef struct {
  double at[5];
} Row;

static Row row_of(double w, int i) {
  Row row = {{0.10 * w, -0.45 * w, 1 + 1.3 * w, -0.40 * w, 0.12 * w}};
  for (int d = 0; d < 5; d++)
    if (i + d - 2 < 0 || i + d - 2 >= n) row.at[d] = 0;
  return row;
}

/* Calls `work` for each line in one direction: where it begins, and the distance of its points. */
static void for_lines(int direction, void (*work)(size_t start, size_t stride)) {
  const size_t size = (size_t)n;
  const size_t stride = direction == 0 ? 1 : direction == 1 ? size : size * size;
  const size_t inner = direction == 0 ? size : 1, outer = direction == 2 ? size : size * size;
  for (size_t a = 0; a < size; a++)
    for (size_t b = 0; b < size; b++) work(a * outer + b * inner, stride);
}

/* The system's right-hand side, from what its solution is to be. */
static void apply_line(size_t start, size_t stride) {
  double before[MOST_POINTS];
  for (int v = 0; v < VARIABLES; v++) {
    double* u = solution + (size_t)v * (size_t)n * (size_t)n * (size_t)n + start;
    for (int i = 0; i < n; i++) before[i] = u[(size_t)i * stride];
    for (int i = 0; i < n; i++) {
      const Row row = row_of(weight[start + (size_t)i * stride], i);
      double sum = 0;
      for (int d = 0; d < 5; d++)
        if (row.at[d] != 0) sum += row.at[d] * before[i + d - 2];
      u[(size_t)i * stride] = sum;
    }
  }
}

/* Gauss: the rows of a line once, then all variables forwards and backwards. */
static void solve_line(size_t start, size_t stride) {
  Row rows[MOST_POINTS];
  double first[MOST_POINTS], second[MOST_POINTS]; /* what is taken of the rows one and two before */
  for (int i = 0; i < n; i++) {
    rows[i] = row_of(weight[start + (size_t)i * stride], i);
    second[i] = i < 2 ? 0 : rows[i].at[0] / rows[i - 2].at[2];
    if (i >= 2) {
      rows[i].at[1] -= second[i] * rows[i - 2].at[3];
      rows[i].at[2] -= second[i] * rows[i - 2].at[4];
    }
    first[i] = i < 1 ? 0 : rows[i].at[1] / rows[i - 1].at[2];
    if (i >= 1) {
      rows[i].at[2] -= first[i] * rows[i - 1].at[3];
      rows[i].at[3] -= first[i] * rows[i - 1].at[4];
    }
  }
  for (int v = 0; v < VARIABLES; v++) {
    double* u = solution + (size_t)v * (size_t)n * (size_t)n * (size_t)n + start;
    for (int i = 1; i < n; i++) {
      const double two_before = i < 2 ? 0 : second[i] * u[(size_t)(i - 2) * stride];
      u[(size_t)i * stride] -= first[i] * u[(size_t)(i - 1) * stride] + two_before;
    }
    for (int i = n - 1; i >= 0; i--) {
      const double next = i + 1 < n ? rows[i].at[3] * u[(size_t)(i + 1) * stride] : 0;
      const double next_but_one = i + 2 < n ? rows[i].at[4] * u[(size_t)(i + 2) * stride] : 0;
      u[(size_t)i * stride] = (u[(size_t)i * stride] - next - next_but_one) / rows[i].at[2];
    }
  }
}

int main(int argc, char** argv) {
  n = argc > 1 ? atoi(argv[1]) : 44;
  if (n < 4 || n > MOST_POINTS) {
    fprintf(stderr, "usage: sp [points in each direction], 4 to %d\n", MOST_POINTS);
    return 2;
  }
  const size_t points = (size_t)n * (size_t)n * (size_t)n;
  weight = array(points);
  wanted = array(points * VARIABLES);
  solution = array(points * VARIABLES);
  for (size_t p = 0; p < points; p++) weight[p] = 1 + 0.5 * sin((double)p * 0.37);
  for (size_t p = 0; p < points * VARIABLES; p++) solution[p] = wanted[p] = cos((double)(p % 1009) * 0.11);
  for (int direction = 2; direction >= 0; direction--) for_lines(direction, apply_line);
  for (int direction = 0; direction < 3; direction++) for_lines(direction, solve_line);
  double worst = 0, sum = 0;
  for (size_t p = 0; p < points * VARIABLES; p++) {
    worst = fmax(worst, fabs(solution[p] - wanted[p]));
    sum += solution[p] * (double)(p % 7);
  }
  printf("sp: %d points in each direction, error %.2e, checksum %.10g\n", n, worst, sum);
  return worst < 1e-9 ? 0 : 1;
}
