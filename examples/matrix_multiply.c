/* C = A·B for N × N matrices of doubles, row by row (BLOCK 0) or in BLOCK × BLOCK tiles: the classic example of a
 * program whose speed is decided by its caches. cc -O1 -DN=96 -DBLOCK=16 matrix_multiply.c */
#include <stdio.h>

#ifndef N
#define N 96
#endif
#ifndef BLOCK
#define BLOCK 0
#endif

static double a[N][N], b[N][N], c[N][N];

static void multiply(int i0, int j0, int k0, int step) {
  for (int i = i0; i < i0 + step; i++)
    for (int j = j0; j < j0 + step; j++) {
      double sum = c[i][j];
      for (int k = k0; k < k0 + step; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      b[i][j] = i - j;
    }
  int step = BLOCK > 0 ? BLOCK : N;
  for (int i = 0; i < N; i += step)
    for (int j = 0; j < N; j += step)
      for (int k = 0; k < N; k += step) multiply(i, j, k, step);
  printf("c[1][2] = %g\n", c[1][2]);
  return 0;
}
