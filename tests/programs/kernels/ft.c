/* A three-dimensional Fourier transform by transforms along each direction; distances are powers of two.
 * ft [points in each direction] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_POINTS = 1024 };

typedef struct {
  double re, im;
} Complex;

static Complex plus(Complex a, Complex b) { return (Complex){a.re + b.re, a.im + b.im}; }
static Complex minus(Complex a, Complex b) { return (Complex){a.re - b.re, a.im - b.im}; }
static Complex times(Complex a, Complex b) { return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

static const double turn = 6.283185307179586;
static int n;
static Complex root[MOST_POINTS]; /* e^(−2πi k / n) */

static Complex* array(size_t count) {
  Complex* memory = calloc(count, sizeof *memory);
  if (memory == NULL) {
    fprintf(stderr, "ft: not enough memory\n");
    exit(2);
  }
  return memory;
}

/* Cooley and Tukey's way, in place: numbers in the order of reversed bits, then butterflies of 2, 4, 8 … */
static void transform_line(Complex* x) {
  for (int i = 1, reversed = 0; i < n; i++) {
    int bit = n >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) {
      const Complex y = x[i];
      x[i] = x[reversed];
      x[reversed] = y;
    }
  }
  for (int half = 1; half < n; half *= 2) {
    const int step = n / half / 2;
    for (int start = 0; start < n; start += 2 * half) {
      for (int k = 0; k < half; k++) {
        const Complex a = x[start + k], b = times(root[k * step], x[start + half + k]);
        x[start + k] = plus(a, b);
        x[start + half + k] = minus(a, b);
      }
    }
  }
}

/* All lines in one direction, whose points lie `stride` apart. */
static void transform_along(Complex* grid, size_t stride, size_t inner, size_t outer) {
  Complex line[MOST_POINTS];
  for (size_t a = 0; a < (size_t)n; a++) {
    for (size_t b = 0; b < (size_t)n; b++) {
      Complex* start = grid + a * outer + b * inner;
      for (size_t i = 0; i < (size_t)n; i++) line[i] = start[i * stride];
      transform_line(line);
      for (size_t i = 0; i < (size_t)n; i++) start[i * stride] = line[i];
    }
  }
}

static void transform(Complex* grid) {
  const size_t row = (size_t)n, plane = row * row;
  transform_along(grid, 1, row, plane);
  transform_along(grid, row, 1, plane);
  transform_along(grid, plane, 1, row);
}

/* One number of the transform by its definition. */
static Complex by_definition(const Complex* grid, int i, int j, int k) {
  Complex sum = {0, 0};
  size_t p = 0;
  for (int c = 0; c < n; c++)
    for (int b = 0; b < n; b++)
      for (int a = 0; a < n; a++) sum = plus(sum, times(root[(a * i + b * j + c * k) % n], grid[p++]));
  return sum;
}

static double energy(const Complex* grid, size_t count) {
  double sum = 0;
  for (size_t p = 0; p < count; p++) sum += grid[p].re * grid[p].re + grid[p].im * grid[p].im;
  return sum;
}

int main(int argc, char** argv) {
  n = argc > 1 ? atoi(argv[1]) : 64;
  if (n < 2 || n > MOST_POINTS || (n & (n - 1)) != 0) {
    fprintf(stderr, "usage: ft [points in each direction], a power of two from 2 to %d\n", MOST_POINTS);
    return 2;
  }
  const size_t count = (size_t)n * (size_t)n * (size_t)n;
  Complex *grid = array(count), *original = array(count);
  for (int k = 0; k < n; k++) root[k] = (Complex){cos(turn * k / n), -sin(turn * k / n)};
  unsigned number = 1;
  for (size_t p = 0; p < count; p++) {
    number = number * 1664525u + 1013904223u;
    original[p] = grid[p] = (Complex){(number >> 8 & 1023) / 1024.0, (number >> 20) / 4096.0};
  }
  transform(grid);
  /* Parseval: the transform has n³ times the energy; and one number of it is compared. */
  const double gain = energy(grid, count) / energy(original, count) / (double)count;
  const int i = 1, j = n / 2, k = n - 1;
  const Complex here = grid[((size_t)k * (size_t)n + (size_t)j) * (size_t)n + (size_t)i];
  const Complex difference = minus(here, by_definition(original, i, j, k));
  const double error = hypot(difference.re, difference.im) / n;
  Complex sum = {0, 0};
  for (size_t p = 0; p < count; p += 97) sum = plus(sum, grid[p]);
  printf("ft: %d points in each direction, energy %.12f, error %.2e, checksum %.8g %+.8gi\n", n, gain, error, sum.re,
         sum.im);
  return fabs(gain - 1) < 1e-10 && error < 1e-8 ? 0 : 1;
}
