"""An OpenMP program of two files: work sharing, reductions, tasks and private data."""
from project import CC, Project, main

PARTS = {
    "work.h": """double fill(double *a, int n);
long tree(int depth);
extern long visits[64];
""",
    "work.c": """#include <omp.h>
#include "work.h"
double fill(double *a, int n) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < n; i++) {
    a[i] = i * 0.5;
    sum += a[i];
  }
#pragma omp parallel for schedule(dynamic, 100)
  for (int i = 0; i < n; i++) a[i] += 1;
  return sum;
}
long tree(int depth) {
#pragma omp atomic
  visits[depth]++;
  if (depth == 0) return 1;
  long left, right;
#pragma omp task shared(left)
  left = tree(depth - 1);
#pragma omp task shared(right)
  right = tree(depth - 1);
#pragma omp taskwait
  return left + right;
}
""",
    "main.c": """#include <stdio.h>
#include <stdlib.h>
#include "work.h"
long visits[64];
static double data[20000];
int main(void) {
  const double sum = fill(data, 20000);
  long leaves = 0;
#pragma omp parallel
#pragma omp single
  leaves = tree(8);
  long all = 0;
  for (int i = 0; i < 64; i++) all += visits[i];
  printf("%.1f %.1f %ld %ld\\n", sum, data[19999], leaves, all);
}
""",
}


class OpenMp(Project):
    def test_threads_share_the_work(self):
        self.build_both(PARTS, "clang-19", CC, ["-O2", "-g", "-fopenmp"])
        for threads in [1, 3]:
            with self.subTest(threads=threads):
                output = self.same_output(env={"OMP_NUM_THREADS": str(threads)})
                self.assertEqual(output, "99995000.0 10000.5 256 511\n")
                self.assertEqual(len(self.info()["threads"]), threads)
                objects = self.rows("object")
                # Written, then read and written, by whichever thread; and read for printf.
                self.assertEqual((objects["data"]["reads"], objects["data"]["writes"]), (20001, 40000))
                self.assertEqual(objects["visits"]["modifies"], 511)
                self.assertEqual(objects["visits"]["reads"], 64)


if __name__ == "__main__":
    main()
