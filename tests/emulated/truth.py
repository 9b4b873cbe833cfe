"""Against tools that we did not write: lackey's accesses one by one, cachegrind's instructions and misses to the last one."""
import collections
import json
import os
import re
import shutil
import subprocess

from common import PROGRAM, TOOL_FOLDER, Emulated, main

SCALAR = r"""
#include <stdio.h>
static int table[64];
struct pair { char small; long large; } pairs[10];
__attribute__((noinline)) static long work(int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    table[i & 63] += i;
    sum += table[(i * 7) & 63] ^ pairs[i % 10].large;
    pairs[i % 10].small++;
    if (i % 3 == 0) pairs[i % 10].large -= sum;
  }
  return sum;
}
int main(void) {
  printf("%ld\n", work(1000));
  return 0;
}"""

VECTORS = r"""
#include <immintrin.h>
#include <stdio.h>
static double a[256] __attribute__((aligned(32))), b[256] __attribute__((aligned(32))), c[260];
static int indexes[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__attribute__((noinline, target("avx2"))) static void wide(void) {
  for (int i = 0; i < 256; i += 4) {
    __m256d x = _mm256_load_pd(a + i);
    _mm256_store_pd(b + i, _mm256_add_pd(x, _mm256_loadu_pd(c + i + 1)));
  }
  const __m256i at = _mm256_loadu_si256((const __m256i *)indexes);
  __m256 gathered = _mm256_i32gather_ps((const float *)a, at, 4);
  _mm256_storeu_ps((float *)c, gathered);
  const __m256i mask = _mm256_set_epi32(0, -1, 0, -1, -1, 0, 0, -1);
  _mm256_maskstore_ps((float *)b, mask, _mm256_maskload_ps((const float *)a, mask));
}
__attribute__((noinline)) static void narrow(void) {
  for (int i = 0; i < 256; i += 2) _mm_store_pd(a + i, _mm_mul_pd(_mm_load_pd(b + i), _mm_set1_pd(3)));
  for (int i = 0; i < 256; i++) a[i] = c[i] * 2 + a[i];
}
int main(void) {
  for (int i = 0; i < 20; i++) { wide(); narrow(); }
  printf("%g\n", a[17]);
  return 0;
}"""

STRINGS = r"""
#include <stdio.h>
static char from[1000], to[1000];
__attribute__((noinline)) static void move(void *t, const void *f, unsigned long n) {
  __asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(n) : : "memory");
}
__attribute__((noinline)) static void fill(void *t, unsigned long n) {
  __asm__ volatile("rep stosq" : "+D"(t), "+c"(n) : "a"(0x0101010101010101) : "memory");
}
__attribute__((noinline)) static unsigned long length(const char *t) {
  unsigned long n = -1UL;
  __asm__ volatile("repne scasb" : "+D"(t), "+c"(n) : "a"(0) : "memory");
  return ~n - 1;
}
__attribute__((noinline)) static int equal(const void *a, const void *b, unsigned long n) {
  unsigned char same;
  __asm__ volatile("cmp %%rax, %%rax; repe cmpsb; sete %0" : "=r"(same), "+D"(a), "+S"(b), "+c"(n) : : "memory");
  return same;
}
int main(void) {
  fill(from, 100);
  for (int n = 0; n < 30; n++) move(to + n, from, 7 * n);
  printf("%lu %d\n", length(from), equal(from, to, 300));
  return 0;
}"""

ATOMICS = r"""
#include <stdio.h>
static long counter, wide[2] __attribute__((aligned(16)));
static int small;
__attribute__((noinline)) static void many(void) {
  for (int i = 0; i < 100; i++) {
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    __atomic_exchange_n(&small, i, __ATOMIC_SEQ_CST);
    int expected = i;
    __atomic_compare_exchange_n(&small, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __asm__ volatile("lock cmpxchg16b %0" : "+m"(wide) : "a"(0L), "d"(0L), "b"(1L), "c"(1L) : "memory", "cc");
    __asm__ volatile("lock incl %0; lock xaddq %1, %2" : "+m"(small), "+r"((long){1}), "+m"(counter));
    __asm__ volatile("addl $3, %0; notl %0; shll %0; pushq %%rax; popq %%rax" : "+m"(small) : : "memory");
  }
}
int main(void) {
  many();
  printf("%ld %d\n", counter, small);
  return 0;
}"""

STATE = r"""
#include <stdio.h>
static char area[512] __attribute__((aligned(64)));
static double x = 3, y;
int main(void) {
  for (int i = 0; i < 10; i++) {
    __asm__ volatile("fxsave %0; fxrstor %0" : "+m"(area));
    __asm__ volatile("fldl %1; fsqrt; fstpl %0" : "=m"(y) : "m"(x));
    __asm__ volatile("stmxcsr %0; ldmxcsr %0" : "+m"(area));
  }
  printf("%g\n", y);
  return 0;
}"""

KINDS = {"L": "R", "S": "W", "M": "M"}


class Lackey(Emulated):
    """The same accesses by the same instructions: (instruction, kind, size) → how many, within the program's own code."""

    def compare(self, text, *options):
        program = self.build(text, "-no-pie", *options)
        code = self.text_of(program)
        self.run_it(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=lackey.out", program])
        expected = collections.Counter()
        instruction = 0
        for line in (self.folder / "lackey.out").read_text().splitlines():
            match = re.fullmatch(r"(I | L| S| M)\s+([0-9a-f]+),(\d+)", line)
            if not match:
                continue
            if match[1] == "I ":
                instruction = int(match[2], 16)
            elif instruction in code:
                expected[instruction, KINDS[match[1].strip()], int(match[3])] += 1
        self.record(program, options=["--trace", "out.cstrace", "--only-trace"])
        rows = self.run_it([PROGRAM, "trace", "cat", "out.cstrace", "--to", "csv"]).stdout.splitlines()
        self.assertEqual(rows[0], "time,thread,kind,address,size,pc")
        actual = collections.Counter()
        for row in rows[1:]:
            _, _, kind, _, size, pc = row.split(",")
            if int(pc, 16) in code:
                actual[int(pc, 16), kind, int(size)] += 1
        self.assertEqual(actual, expected)
        return actual

    def text_of(self, program):
        for line in self.run_it(["readelf", "-SW", program]).stdout.splitlines():
            match = re.search(r"\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", line)
            if match:
                begin = int(match[1], 16)
                return range(begin, begin + int(match[2], 16))
        self.fail("no .text")

    def sizes(self, counted, kind):
        return {size for _, k, size in counted if k == kind}

    def test_scalars(self):
        for level in ("-O0", "-O1", "-O3"):
            counted = self.compare(SCALAR, level)
            self.assertGreater(sum(counted.values()), 4000)

    def test_vectors(self):
        counted = self.compare(VECTORS, "-O1")
        self.assertIn(32, self.sizes(counted, "W"))
        self.assertIn(16, self.sizes(counted, "R"))
        self.assertIn(4, self.sizes(counted, "R"))

    def test_string_instructions(self):
        counted = self.compare(STRINGS, "-O1")
        self.assertGreater(sum(counted.values()), 7 * 30 * 29)

    def test_atomics(self):
        counted = self.compare(ATOMICS, "-O1")
        self.assertEqual(self.sizes(counted, "M"), {4, 8, 16})

    def test_state_of_the_processor(self):
        self.compare(STATE, "-O1")


class Instructions(Emulated):
    def test_of_two_conditions_the_second_is_not_executed_ahead(self):
        # Valgrind would execute both and branch once.
        self.build(r"""
            __attribute__((noinline)) long both(long x, long y) {
              long found = 0, left = 1000;
              __asm__ volatile("1: cmp $3, %2; jle 2f; cmp $5, %3; jge 2f; inc %0; 2: dec %1; jnz 1b"
                               : "+r"(found), "+r"(left) : "r"(x), "r"(y) : "cc");
              return found;
            }
            int main(void) { return both(1, 9) != 0; }""", "-O1")
        self.record("./x", options=["--engine", "valgrind"])
        self.assertIn(self.instructions()["both"], range(4000, 4010))


class Cachegrind(Emulated):
    """Counts of misses, of the whole run from its first instruction."""

    def tools_at_the_same_length(self):
        """The path of the tools is in the program's environment, and so on its stack: one as long as ours for cachegrind."""
        missing = len(str(TOOL_FOLDER)) - len(str(self.folder)) - 1
        self.assertGreater(missing, 0, "the build's path is shorter than the scratch folder's")
        folder = self.folder / ("v" * missing)
        os.symlink("/usr/libexec/valgrind", folder)
        return {"VALGRIND_LIB": str(folder), "PATH": os.environ["PATH"]}

    def cachegrind(self, program, first, last, environment):
        subprocess.run(["valgrind", "--command-line-only=yes", "--tool=cachegrind", "--vex-guest-chase=no", "--cache-sim=yes", "--I1=32768,8,64",
                        f"--D1={first}", f"--LL={last}", "--cachegrind-out-file=cg.out", "--log-file=/dev/null", *program], cwd=self.folder,
                       env=environment, stdout=subprocess.DEVNULL, check=True, timeout=120)
        lines = (self.folder / "cg.out").read_text().splitlines()
        names = next(l for l in lines if l.startswith("events:")).split()[1:]
        return dict(zip(names, map(int, next(l for l in lines if l.startswith("summary:")).split()[1:])))

    def compare(self, program):
        environment = self.tools_at_the_same_length()
        subprocess.run([PROGRAM, "record", "--engine", "valgrind", "--trace", "t.cstrace", "-o", "t.cscape", "--lines", "32,64", "--",
                        *program], cwd=self.folder, env={"PATH": os.environ["PATH"]}, stdout=subprocess.DEVNULL, check=True, timeout=120)
        last = "8388608,16,64"  # so large that cachegrind's instructions in it evict nothing
        for first in ("32768,8,64", "4096,2,64", "8192,1,32"):
            truth = self.cachegrind(program, first, last, environment)
            size, ways, line = first.split(",")
            levels = self.json("simulate", "t.cstrace", "--machine", f"L1:{size},{ways},{line} LL:8388608,16,64", "--definitions",
                               "cachegrind", "--json")["levels"]
            ours = {"Dr": levels[0]["reads"]["accesses"], "D1mr": levels[0]["reads"]["misses"], "DLmr": levels[1]["reads"]["misses"],
                    "Dw": levels[0]["writes"]["accesses"], "D1mw": levels[0]["writes"]["misses"], "DLmw": levels[1]["writes"]["misses"]}
            ours["Ir"] = self.info("t.cscape")["instructions"]
            self.assertEqual(ours, {name: truth[name] for name in ours}, f"{program}, D1 {first}")
        # The profile, by our own definitions, in which an access may touch two lines.
        machine = "L1:4096,2,64"
        simulated = self.json("simulate", "t.cstrace", "--machine", machine, "--json")["levels"][0]
        predicted = self.json("predict", "t.cscape", "--machine", machine, "--json")["levels"][0]
        self.assertEqual(predicted["misses"], simulated["reads"]["misses"] + simulated["writes"]["misses"])

    def test_a_small_program(self):
        self.build(SCALAR, "-O2")
        self.compare(["./x"])

    def test_gzip(self):
        self.write("text", "".join(f"{i * i}\n" for i in range(5000)))
        self.compare([shutil.which("gzip"), "-kc", "text"])

    def test_sqlite(self):
        self.compare([shutil.which("sqlite3"), ":memory:", "create table t(a); insert into t values(1),(2); select sum(a) from t;"])


if __name__ == "__main__":
    main()
