/* y = a·x + y with 256-bit vectors: avx2_kernel [ELEMENTS [SWEEPS]] */
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((target("avx2"), noinline)) static void add_scaled(const double* x, double* y, long n, double a) {
  const __m256d factor = _mm256_set1_pd(a);
  for (long i = 0; i < n; i += 4)
    _mm256_store_pd(y + i, _mm256_add_pd(_mm256_mul_pd(factor, _mm256_load_pd(x + i)), _mm256_load_pd(y + i)));
}

int main(int argc, char** argv) {
  const long n = (argc > 1 ? atol(argv[1]) : 1 << 18) / 4 * 4;
  const long sweeps = argc > 2 ? atol(argv[2]) : 100;
  double* const x = aligned_alloc(64, (size_t)n * sizeof *x);
  double* const y = aligned_alloc(64, (size_t)n * sizeof *y);
  for (long i = 0; i < n; i++) {
    x[i] = (double)i;
    y[i] = 1;
  }
  for (long s = 0; s < sweeps; s++) add_scaled(x, y, n, 0.5);
  printf("%g\n", y[n / 2]);
  return 0;
}
