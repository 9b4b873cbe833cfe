"""Accesses and counters equal what can be counted by hand."""
import collections
import pathlib

from support import SOURCE, CC, Scratch, main

KERNELS = r"""
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#define TELL(v) printf(#v " %p %d\n", (void *)&v, (int)sizeof v)
volatile double numbers[1000];
volatile double stored[1000];
char source[100000], target[100000], zeroes[5000];
volatile unsigned char odd[256] __attribute__((aligned(64)));
atomic_int counter;
_Atomic long swapped;
volatile struct { char c; int i; double d; short s[3]; } fields;
volatile int length = 10000;

__attribute__((noinline)) static double loops(void) {
  double sum = 0;
  for (int i = 0; i < 1000; i++) sum += numbers[i];
  for (int i = 0; i < 1000; i++) stored[i] = i;
  return sum;
}
__attribute__((noinline)) static void copies(void) {
  memcpy(target + 50000, source + 50000, 100);
  memcpy(target, source, 10000);
  memmove(target + 1, target, (size_t)length);
  memset(zeroes, 1, (size_t)length / 2);
}
__attribute__((noinline)) static void atomics(void) {
  for (int i = 0; i < 10; i++) atomic_fetch_add(&counter, 1);
  long none = 0;
  atomic_compare_exchange_strong(&swapped, &none, 5);
  atomic_store(&swapped, 6);
  atomic_exchange(&swapped, 7);
  (void)atomic_load(&swapped);
}
__attribute__((noinline)) static void members(void) {
  fields.c = 1;
  fields.i = 2;
  fields.d = fields.i;
  fields.s[2] = fields.c;
}
__attribute__((noinline)) static void straddle(void) {
  *(volatile long *)(odd + 60) = 1;
  (void)*(volatile int *)(odd + 126);
}
int main(void) {
  TELL(numbers); TELL(stored); TELL(source); TELL(target); TELL(zeroes); TELL(odd); TELL(counter); TELL(swapped); TELL(fields);
  loops(); copies(); atomics(); members(); straddle();
  return 0;
}
"""

VECTORS = r"""
#include <immintrin.h>
#include <stdio.h>
double from[64] __attribute__((aligned(64)));
double to[64] __attribute__((aligned(64)));
float narrow[64];
volatile int on = -1;
__attribute__((noinline)) static void work(void) {
  __m256d v = _mm256_i32gather_pd(from, _mm_setr_epi32(1, 5, 9, on + 1), 8);
  __m256i mask = _mm256_setr_epi64x(0, on, on, 0);
  v = _mm256_add_pd(v, _mm256_maskload_pd(from + 16, mask));
  v = _mm256_add_pd(v, _mm256_mask_i64gather_pd(v, from, _mm256_setr_epi64x(32, 33, 34, 35), _mm256_castsi256_pd(mask), 8));
  __m128 f = _mm256_i64gather_ps(narrow, _mm256_setr_epi64x(3, 2, 1, 0), 4);
  v = _mm256_add_pd(v, _mm256_cvtps_pd(f));
  _mm256_maskstore_pd(to + 8, mask, v);
  _mm256_storeu_pd(to + 17, v);
  _mm256_stream_pd(to + 32, v);
}
int main(void) {
  printf("from %p %d\nto %p %d\nnarrow %p %d\n", (void *)from, (int)sizeof from, (void *)to, (int)sizeof to, (void *)narrow, (int)sizeof narrow);
  work();
  return 0;
}
"""


# The kernel has instructions that not every processor knows.
WIDE_VECTORS = r"""
#include <immintrin.h>
#include <stdio.h>
double from[64] __attribute__((aligned(64)));
double to[64] __attribute__((aligned(64)));
float narrow[64];
char bytes[64] __attribute__((aligned(64)));
volatile unsigned on = 0xa5;
long where[8] = {8, 7, 6, 5, 4, 3, 2, 1};
__attribute__((noinline)) static void work(void) {
  const __m512i at = _mm512_loadu_si512(where);
  const __m512d v = _mm512_mask_i64gather_pd(_mm512_setzero_pd(), on, at, from, 8);
  const __m256 f = _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), on & 3, _mm256_set1_epi32(3), narrow, 4);
  _mm512_mask_i64scatter_pd(to, on >> 4, at, _mm512_add_pd(v, _mm512_cvtps_pd(f)), 8);
  _mm512_mask_compressstoreu_pd(to + 16, on, v);
  _mm512_mask_compressstoreu_pd(to + 24, on & 256, v);
  _mm512_storeu_pd(to + 32, _mm512_maskz_expandloadu_pd(on & 0xa0, from + 32));
  const __m128i some = _mm_lddqu_si128((const __m128i *)bytes);
  _mm_maskmoveu_si128(some, _mm_set_epi64x(0, (long)on << 56 | (long)on << 16), bytes + 16);
}
int main(void) {
  printf("from %p %d\nto %p %d\nnarrow %p %d\nbytes %p %d\n", (void *)from, (int)sizeof from, (void *)to, (int)sizeof to,
         (void *)narrow, (int)sizeof narrow, (void *)bytes, (int)sizeof bytes);
  work();
  return 0;
}
"""


class Counts(Scratch):
    def by_variable(self, program, *arguments):
        """Accesses by variable as (kind, offset, size)."""
        output, accesses = self.traced(program, *arguments)
        known = self.ranges(output)
        found = collections.defaultdict(list)
        for _, kind, address, size in accesses:
            for name, (begin, count) in known.items():
                if begin <= address < begin + count:
                    found[name].append((kind, address - begin, size))
        return found

    def test_kernels_at_every_level(self):
        for level in "-O0", "-O1", "-O2", "-O3":
            with self.subTest(level=level):
                found = self.by_variable(self.compile(KERNELS, level))
                self.assertEqual(found["numbers"], [("R", 8 * i, 8) for i in range(1000)])
                self.assertEqual(found["stored"], [("W", 8 * i, 8) for i in range(1000)])
                pieces = [(0, 4096), (4096, 4096), (8192, 10000 - 8192)]
                self.assertEqual(found["source"], [("R", 50000, 100)] + [("R", *p) for p in pieces])
                self.assertEqual(found["target"], [("W", 50000, 100)] + [("W", *p) for p in pieces] +
                                 [("R", *p) for p in pieces] + [("W", at + 1, n) for at, n in pieces])
                self.assertEqual(found["zeroes"], [("W", 0, 4096), ("W", 4096, 904)])
                self.assertEqual(found["counter"], [("M", 0, 4)] * 10)
                self.assertEqual(found["swapped"], [("M", 0, 8), ("W", 0, 8), ("M", 0, 8), ("R", 0, 8)])
                self.assertEqual(found["fields"], [("W", 0, 1), ("W", 4, 4), ("R", 4, 4), ("W", 8, 8), ("R", 0, 1),
                                                   ("W", 20, 2)])
                self.assertEqual(found["odd"], [("W", 60, 8), ("R", 126, 4)])

    def test_straddling_accesses_make_two_touches(self):
        program = self.compile("volatile char x[128] __attribute__((aligned(64)));\n"
                               "int main(void) { *(volatile long *)(x + 60) = 1; *(volatile long *)x = 1; return 0; }")
        self.record(program)
        info = self.info()
        self.assertEqual((info["accesses"], info["touches"], info["footprint_bytes"]), (2, 3, 128))

    def test_gathers_and_masks(self):
        for level in "-O0", "-O2":
            with self.subTest(level=level):
                found = self.by_variable(self.compile(VECTORS, level, "-mavx2"))
                gathered = [("R", 8, 8), ("R", 40, 8), ("R", 72, 8), ("R", 0, 8)]
                self.assertEqual(sorted(found["from"]),
                                 sorted(gathered + [("R", 17 * 8, 16), ("R", 33 * 8, 8), ("R", 34 * 8, 8)]))
                self.assertEqual(sorted(found["narrow"]), [("R", 4 * i, 4) for i in range(4)])
                self.assertEqual(found["to"], [("W", 9 * 8, 16), ("W", 17 * 8, 32), ("W", 32 * 8, 32)])

    def test_wide_gathers_scatters_and_packed_vectors(self):
        if not {"avx512f", "avx512vl", "avx512dq"} <= set(pathlib.Path("/proc/cpuinfo").read_text().split()):
            self.skipTest("this processor has no AVX-512")
        for options in ["-O0"], ["-O2"], ["-O2", "--cachescape-view=machine"]:
            with self.subTest(options=options):
                found = self.by_variable(self.compile(WIDE_VECTORS, *options, "-mavx512f", "-mavx512vl", "-mavx512dq"))
                # 0xa5 is lanes 0, 2, 5 and 7; what is packed begins with the first element all the same.
                self.assertEqual(sorted(found["from"]),
                                 sorted([("R", 8 * i, 8) for i in (8, 6, 3, 1)] + [("R", 32 * 8, 16)]))
                self.assertEqual(found["narrow"], [("R", 3 * 4, 4)])
                self.assertEqual(sorted(found["to"]),
                                 sorted([("W", 8 * i, 8) for i in (7, 5)] + [("W", 16 * 8, 32), ("W", 32 * 8, 64)]))
                # One access, from the first lane that is on to the last.
                self.assertEqual(sorted(found["bytes"]), [("R", 0, 16), ("W", 16 + 2, 6)])

    def test_calls_of_pure_functions_in_other_files(self):
        """Promises of purity must not make a caller keep its place over code that is instrumented."""
        self.write("pure.c", "extern int table[100];\n"
                   "int steady(int i) { return i * 2; }\n"
                   "int look_up(int i) { return table[i]; }\n"
                   "int fixed(int i) { return ((volatile int *)table)[i] * 0 + i; }\n")
        self.write("x.c", r"""
            #include <stdio.h>
            int steady(int) __attribute__((const)); int look_up(int) __attribute__((pure, leaf)); int fixed(int) __attribute__((const, leaf));
            int table[100], out[100];
            int main(void) {
              printf("table %p 400\nout %p 400\n", (void *)table, (void *)out);
              for (int i = 0; i < 100; i++) out[i] = steady(i) + look_up(i) + fixed(i);
              return 0;
            }""")
        self.run_it([CC, "-O2", "-g", "x.c", "pure.c", "-o", "x"])
        found = self.by_variable(self.folder / "x")
        self.assertEqual(found["out"], [("W", 4 * i, 4) for i in range(100)])
        self.assertEqual(found["table"], [("R", 4 * i, 4) for i in range(100) for _ in range(2)])


class Counters(Scratch):
    def test_flops_of_a_matrix_product(self):
        self.run_it([CC, "-O2", "-g", SOURCE / "tests/programs/matrix_product.c", "-o", "x"])
        for level in 1, 2:
            self.record("./x", "96", "48", options=["--counters-only"])
            counters = self.counters()
            # The sum over c at the end adds n² more.
            self.assertEqual(counters["flops"], 2 * 96 ** 3 + 96 ** 2)
            self.assertEqual(counters["call.malloc"], 2)

    def test_bytes_of_a_stream(self):
        text = r"""
            #include <stdlib.h>
            double a[10000], b[10000], c[10000];
            __attribute__((noinline)) static void triad(double s) { for (int i = 0; i < 10000; i++) a[i] = b[i] + s * c[i]; }
            int main(int argc, char **argv) { (void)argv; for (int k = 0; k < 3; k++) triad(argc); return 0; }"""
        for level in "-O0", "-O1", "-O2", "-O3":
            with self.subTest(level=level):
                self.record(self.compile(text, level), fast=True)
                counters = self.counters()
                self.assertEqual(counters["load.f64"] - (30000 if level == "-O0" else 0), 2 * 30000)
                self.assertEqual(counters["flops"], 2 * 30000)
                if level != "-O0":
                    self.assertEqual((counters["bytes.loaded"], counters["bytes.stored"]), (480000, 240000))
                    self.assertEqual(self.info()["accesses"], 90000)

    def test_atomics_and_masks_have_types(self):
        """What reads and writes counts as both."""
        self.record(self.compile(r"""
            #include <stdatomic.h>
            #include <immintrin.h>
            atomic_int counter;
            _Atomic long word;
            double row[4];
            int main(int argc, char **argv) {
              (void)argv;
              atomic_fetch_add(&counter, 1);
              long none = 0;
              atomic_compare_exchange_strong(&word, &none, 5);
              _mm256_maskstore_pd(row, _mm256_set1_epi64x(-argc), _mm256_set1_pd(argc));
              return 0;
            }""", "-O2", "-mavx2"))
        found = {name: n for name, n in self.counters().items() if name.startswith(("load.", "store."))}
        self.assertEqual(found, {"load.i32": 1, "store.i32": 1, "load.i64": 1, "store.i64": 1, "store.f64x4": 1})

    def test_blocks_and_their_ends(self):
        self.record(self.compile(r"""
            volatile int x;
            __attribute__((noinline)) int choose(int n) {
              switch (n) { case 0: x = 5; break; case 1: x = 9; break; case 2: x = 1; break; case 3: x = 4; break; }
              return 0;
            }
            __attribute__((noinline)) int jump(int n) {
              static void *const to[] = {&&a, &&b};
              goto *to[n];
              a: x = 1; return 1;
              b: x = 2; return 2;
            }
            int main(void) { for (int i = 0; i < 10; i++) choose(x & 3); jump(0); jump(1); return 0; }""", "-O0"))
        found = self.counters()
        # One of them is the switch of choose(), which is neither two ways nor computed; the others are returns.
        self.assertEqual(found["branches.indirect"], 2)
        self.assertEqual(found["branches.other"], 10 + 13)
        self.assertEqual(found["blocks"], sum(n for name, n in found.items() if name.startswith("branches.")))

    def test_integer_operations_that_have_names_of_their_own(self):
        """What the optimiser makes of arithmetic is arithmetic all the same."""
        kernels = {"return a > b ? a : b;": 1, "return (a << 7) | (a >> 25);": 1, "return __builtin_bswap32(a);": 1,
                   "unsigned r; return __builtin_add_overflow(a, b, &r) ? 0 : r;": 1,
                   "return (int)a < 0 ? -a : a;": 1, "return __builtin_popcount(a);": 1}
        for body, operations in kernels.items():
            with self.subTest(body=body):
                self.record(self.compile("__attribute__((noinline)) unsigned kernel(unsigned a, unsigned b) { " + body + " }\n"
                                         "volatile unsigned result;\nint main(int n, char **v) { (void)v; result = kernel(n, 7); return 0; }", "-O1"))
                self.assertEqual(self.counters()["int.ops"], operations)

    def test_flops_where_rounding_may_change(self):
        self.record(self.compile(r"""
            double a[100], b[100];
            int main(int n, char **v) { (void)v; for (int i = 0; i < 100; i++) a[i] = a[i] * n + b[i]; return 0; }""",
            "-O2", "-frounding-math", "-ffp-contract=off"))
        counters = self.counters()
        self.assertEqual((counters["flops"], counters["flop.bits"]), (200, 200 * 3 * 64))

    def test_runs_repeat_themselves(self):
        for name in "sort_and_hash.c", "conjugate_gradient.c":
            self.run_it([CC, "-O2", "-g", SOURCE / "tests/programs" / name, "-o", "x"])
            results = []
            for _ in range(2):
                self.record("./x")
                info = self.info()
                results.append((self.counters(), info["accesses"], info["reads"], info["bytes"], info["instructions"]))
            self.assertEqual(results[0], results[1], name)
            self.assertEqual(results[0][0]["loads"] + results[0][0]["stores"], results[0][1], f"{name}: counters and accesses")

    def test_unique_bytes(self):
        program = self.compile(r"""
            #include <stdio.h>
            static int a[1000];
            __attribute__((noinline)) static void fill(int n) { for (int i = 0; i < n; i++) a[i] = i; }
            __attribute__((noinline)) static int every_other(void) {
              int s = 0;
              for (int i = 0; i < 1000; i += 2) s += a[i];
              return s;
            }
            int main(void) { fill(600); fill(600); printf("%d\n", every_other()); return 0; }""", "-O1")
        self.record(program, options=["--unique-bytes"])
        report = self.json("report", "out.cscape", "--by", "container", "--counters", "--json")
        self.assertEqual(report["counters"]["bytes.unique"], 600 * 4 + 200 * 4)
        rows = report["places"]["counters"]
        unique = {row["name"]: row["counters"].get("bytes.unique") for row in rows}
        self.assertEqual((unique["fill"], unique["every_other"]), (2400, 2000))
        refused = self.record(program, options=["--unique-bytes", "--interval", "10,10"], expect=None)
        self.assertIn("needs every access", refused.stderr)

    def test_threads_are_counted_even_where_nobody_sees_them_begin(self):
        """A statically linked program has no interposed pthread_create()."""
        text = r"""
            #include <pthread.h>
            volatile int x[4];
            static void *work(void *at) { for (int i = 0; i < 1000; i++) ((volatile int *)at)[0] = i; return 0; }
            int main(void) {
              pthread_t t[4];
              for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)&x[i]);
              for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
              return 0;
            }"""
        for options in ["-O2", "-pthread"], ["-O2", "-pthread", "-static"]:
            with self.subTest(options=options):
                self.record(self.compile(text, *options))
                self.assertEqual(self.counters()["store.i32"], 4000)
                self.assertEqual(self.info()["writes"], 4000)


if __name__ == "__main__":
    main()
