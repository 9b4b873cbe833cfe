"""The clock of accesses counts what recording counts, and ticks when it should."""
from support import CC, CXX, FORTRAN, SOURCE, Scratch, main

# Plain code beside the instrumented one: tells the clock when the program ends, and takes the ticks.
TELLER = f"""#include "{SOURCE}/observe/compiled/runtime/access_clock.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long ticks, late, due, most_late;
static unsigned long every;
static uint64_t tick(uint64_t accesses) {{
  errno = 7;
  if (ticks++ > 0 && accesses - due > most_late) most_late = accesses - due;
  if (accesses < due) late = 1;
  due = accesses + every;
  return every;
}}
__attribute__((constructor)) static void start(void) {{
  if (getenv("EVERY") == 0) return;
  every = strtoul(getenv("EVERY"), 0, 10);
  cachescape_clock_on_tick_v1(tick);
}}
unsigned long clock_now(void) {{ return cachescape_clock_read_v1(); }}
__attribute__((destructor)) static void tell(void) {{
  fprintf(stderr, "%lu accesses %lu ticks %lu early %lu most late\\n", clock_now(), ticks, late, most_late);
}}
"""

EVERYTHING = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf back;
static int table[1000];
__attribute__((noinline)) static void leave(int n) { table[n]++; longjmp(back, n); }
__attribute__((noinline)) static int chase(int **from) { int n = 0; while (from) { n++; from = (int **)*from; } return n; }
__attribute__((noinline)) static void copy(char *to, const char *from, unsigned long n) { memcpy(to, from, n); memset(to, 1, n / 2); }
__attribute__((noinline)) static int some(const int *a, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) if (a[i] % 3 == 0) sum += table[a[i] % 1000]; else if (a[i] % 7 == 1) table[i]--;
  return sum;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = i * 7;
  int *links[50];
  for (int i = 0; i < 50; i++) links[i] = i < 49 ? (int *)&links[i + 1] : 0;
  char *text = calloc(20000, 1);
  for (int i = 0; i < 9; i++) copy(text + 10000, text, i * 1111);
  for (volatile int i = 1; i < 5; i++) if (setjmp(back) == 0) leave(i);
  printf("%d %d %d\\n", some(a, n), chase((int **)links), table[3]);
  if (argc > 2) { table[0] = 5; exit(table[0]); table[1] = 6; }
  return 0;
}
"""

VECTORS = """#include <immintrin.h>
#include <stdio.h>
int main(void) {
  static int data[64];
  int sum = 0;
  for (int k = 0; k < 20; k++) {
    __m256i index = _mm256_setr_epi32(k, 1, 5, 9, 2, 40, 33, 7);
    __m256i mask = _mm256_cmpgt_epi32(index, _mm256_set1_epi32(k % 8));
    __m256i v = _mm256_mask_i32gather_epi32(index, data, index, mask, 4);
    _mm256_maskstore_epi32(data + k, mask, v);
    _mm256_maskstore_epi32(data + k, _mm256_setzero_si256(), v);
    sum += _mm256_extract_epi32(_mm256_maskload_epi32(data + k, mask), 1);
  }
  printf("%d\\n", sum);
}
"""

THROWS = """#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
static int depth(std::map<int, std::string>& m, int n) {
  m[n] = std::to_string(n);
  if (n % 5 == 4) throw std::runtime_error(m[n]);
  return n == 0 ? 0 : 1 + depth(m, n - 1);
}
int main() {
  std::map<int, std::string> m;
  int sum = 0;
  for (int i = 0; i < 20; i++) {
    try { sum += depth(m, i); } catch (const std::exception& e) { sum += (int)m.size(); }
  }
  std::printf("%d\\n", sum);
}
"""

FORTRAN_TEXT = """program clock
  integer :: i, j
  real(8) :: a(40, 40), s
  do i = 1, 40
    do j = 1, 40
      a(j, i) = i * j
    end do
  end do
  s = 0
  do i = 1, 40, 3
    if (a(i, i) > 100) s = s + sum(a(:, i))
  end do
  print *, s
end program
"""


class Clock(Scratch):
    def build(self, text, *options, language="c"):
        """Programs `recorded` and `timed` of one text."""
        compiler = {"c": CC, "cpp": CXX, "f90": FORTRAN}[language]
        source = self.write(f"x.{language}", text)
        self.write("teller.c", TELLER)
        self.run_it(["clang-19", "-c", "teller.c", "-o", "teller.o"])
        self.run_it([compiler, "-g", *options, source.name, "-o", "recorded"])
        self.run_it([compiler, "-g", *options, "--cachescape-accesses=clock", "--cachescape-counters=off", source.name, "teller.o", "-o", "timed"])

    def told(self, done):
        words = done.stderr.split()
        return int(words[0]), int(words[2]), int(words[4]), int(words[6])

    def check(self, text, *options, language="c", arguments=(), expect=0):
        self.build(text, *options, language=language)
        recorded = self.record("./recorded", *arguments, expect=expect)
        timed = self.run_it(["./timed", *arguments], expect=expect)
        self.assertEqual(timed.stdout, recorded.stdout)
        accesses = self.info()["accesses"]
        self.assertEqual(self.told(timed)[:2], (accesses, 0))
        self.assertFalse((self.folder / "timed.cscape").exists(), "a clock alone starts no collector")
        return accesses

    def test_equals_the_recording(self):
        for level in ["-O0", "-O1", "-O2", "-O3"]:
            with self.subTest(level):
                self.assertGreater(self.check(EVERYTHING, level, arguments=["3000"]), 6000)

    def test_exit_in_the_midst_of_a_block(self):
        self.check(EVERYTHING, "-O2", arguments=["100", "exit"], expect=5)

    def test_masks_and_gathers(self):
        self.check(VECTORS, "-O2", "-mavx2")
        self.check(EVERYTHING, "-O3", "-mavx2", "--cachescape-view=machine", arguments=["3000"])

    def test_exceptions(self):
        self.check(THROWS, "-O2", language="cpp")

    def test_fortran(self):
        self.check(FORTRAN_TEXT, "-O2", language="f90")

    def test_ticks(self):
        self.build(EVERYTHING, "-O1")
        self.run_it(["./timed", "30000"])
        accesses = self.told(self.run_it(["./timed", "30000"]))[0]
        for every in [1, 100, 1000]:
            total, ticks, early, most_late = self.told(self.run_it(["./timed", "30000"], env={"EVERY": str(every)}))
            self.assertEqual((total, early), (accesses, 0), "ticking changes no count, and none comes early")
            # Loops of known trips are one step of 30,000: that which fills the array, and that which looks at it, but for
            # what is under its conditions.
            self.assertLess(most_late, 30_000)
            self.assertGreater(ticks, (accesses - 61_000) // (every + 4))
            self.assertLess(ticks, accesses // every + 2)

    def test_threads_have_clocks_of_their_own(self):
        text = """#include <pthread.h>
#include <stdio.h>
extern unsigned long clock_now(void);
static unsigned long told[4];
int data[4][1000];
static void *work(void *at) {
  const long n = (long)at;
  for (int i = 0; i < 250 * (n + 1); i++) data[n][i] = i;
  told[n] = clock_now();
  return 0;
}
int main(void) {
  pthread_t threads[4];
  for (long n = 0; n < 4; n++) pthread_create(&threads[n], 0, work, (void *)n);
  for (long n = 0; n < 4; n++) pthread_join(threads[n], 0);
  printf("%lu %lu %lu %lu\\n", told[0], told[1], told[2], told[3]);
}
"""
        self.write("teller.c", TELLER)
        self.run_it(["clang-19", "-c", "teller.c", "-o", "teller.o"])
        self.compile(text, "-O1", "--cachescape-accesses=clock", "--cachescape-counters=off", "teller.o", "-pthread")
        self.assertEqual(self.run_it(["./x"]).stdout, "250 500 750 1000\n")

    def test_registers_survive_ticks(self):
        text = (SOURCE / "tests/programs/particles.cpp").read_text()
        self.build(text, "-O3", "-mavx2", language="cpp")
        plain = self.run_it(["./timed", "2000", "3"]).stdout
        self.assertEqual(self.run_it(["./timed", "2000", "3"], env={"EVERY": "3"}).stdout, plain)

    def test_with_counters_there_is_a_profile(self):
        self.write("x.c", EVERYTHING)
        self.run_it([CC, "-O2", "-g", "--cachescape-accesses=clock", "x.c", "-o", "x"])
        self.run_it(["./x", "100"])
        self.assertGreater(self.counters("x.cscape")["loads"], 100)


if __name__ == "__main__":
    main()
