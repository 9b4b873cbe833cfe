/* C += A B in blocks. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 96;
  const int block = argc > 2 ? atoi(argv[2]) : 48;
  double *a = malloc((size_t)n * n * sizeof *a), *b = malloc((size_t)n * n * sizeof *b);
  double* c = calloc((size_t)n * n, sizeof *c);
  for (int i = 0; i < n * n; i++) {
    a[i] = i % 7;
    b[i] = i % 5;
  }
  for (int i0 = 0; i0 < n; i0 += block)
    for (int k0 = 0; k0 < n; k0 += block)
      for (int j0 = 0; j0 < n; j0 += block)
        for (int i = i0; i < i0 + block; i++)
          for (int k = k0; k < k0 + block; k++)
            for (int j = j0; j < j0 + block; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
  double sum = 0;
  for (int i = 0; i < n * n; i++) sum += c[i];
  printf("%.1f\n", sum);
  return 0;
}
