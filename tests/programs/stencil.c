/* Jacobi's five-point stencil: affine loops over two arrays. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const int sweeps = argc > 2 ? atoi(argv[2]) : 4;
  double* from = calloc((size_t)n * n, sizeof *from);
  double* to = calloc((size_t)n * n, sizeof *to);
  for (int i = 0; i < n; i++) from[i] = to[i] = i;
  for (int s = 0; s < sweeps; s++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        to[i * n + j] =
            0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1]);
    double* other = from;
    from = to;
    to = other;
  }
  double sum = 0;
  for (int i = 0; i < n * n; i++) sum += from[i];
  printf("%.6f\n", sum);
  free(from);
  free(to);
  return 0;
}
