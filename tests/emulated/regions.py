"""Parts of a program: by calipers, by functions, by accesses, by time."""
import re
import subprocess

from common import FAST, PROGRAM, SOURCE, Emulated, main

CALIPERS = r"""
#include <cachescape/mark.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
volatile int cells[100];
__attribute__((noinline)) void write_cells(int times) {
  for (int k = 0; k < times; k++)
    for (int i = 0; i < 100; i++) cells[i] = i;
}
static pthread_barrier_t both;
static void *other(void *inside) {
  if (inside) cachescape_begin_region("inner");
  pthread_barrier_wait(&both);
  write_cells(inside ? 32 : 64);
  pthread_barrier_wait(&both);
  if (inside) cachescape_end_region("inner");
  return 0;
}
int main(void) {
  write_cells(1);
  cachescape_begin_region("outer");
  write_cells(2);
  cachescape_begin_region("inner");
  write_cells(4);
  cachescape_begin_region("inner");
  cachescape_end_region("inner");
  write_cells(1);
  cachescape_end_region("inner");
  cachescape_end_region("outer");
  cachescape_off();
  write_cells(8);
  int *made = (int *)malloc(4000);
  cachescape_on();
  for (int i = 0; i < 1000; i++) ((volatile int *)made)[i] = i;
  cachescape_begin_region((const char *)1); /* no text: nobody may read it */
  pthread_t t[2];
  pthread_barrier_init(&both, 0, 2);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, other, i ? &both : 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  puts("done");
  return 0;
}
"""

FUNCTIONS = r"""
#include <cstdio>
volatile int cells[100];
__attribute__((noinline)) void write_cells(int times) {
  for (int k = 0; k < times; k++)
    for (int i = 0; i < 100; i++) cells[i] = i;
}
namespace phase {
__attribute__((noinline)) void begin(int n) { asm volatile(""); cells[n] = 0; }
__attribute__((noinline)) void begin(const char*) { asm volatile(""); }
struct End { __attribute__((noinline)) void now() const { asm volatile(""); cells[0] = 0; } };
// A jump, not a call: its code is translated together with that of begin().
__attribute__((noinline)) void through(int n) { cells[1] = 1; begin(n); }
}
extern "C" __attribute__((noinline)) void plain(void) { asm volatile(""); }
int main() {
  write_cells(1);
  phase::begin("text");
  phase::begin(1);
  write_cells(2);
  phase::begin(2);
  phase::End().now();
  write_cells(4);
  phase::through(3);
  write_cells(8);
  phase::End().now();
  write_cells(16);
  plain();
  write_cells(32);
  plain();
  write_cells(64);
  std::puts("done");
}
"""


class Regions(Emulated):
    def cells(self, *options, program="./x"):
        """Writes to the cells, in a recording with these options."""
        done = self.record(program, options=options)
        self.assertEqual(done.stdout, "done\n")
        self.messages = done.stderr
        self.assertEqual(self.info()["losses"], {"lost_accesses": 0, "skipped_records": 0, "truncated": False})
        return self.objects().get("cells", {"writes": 0})["writes"]

    def objects(self):
        """Rows of the last recording by the first word of their names; none where nothing was recorded."""
        places = self.places("object", "out.cscape", "--top", "0")["places"]
        return {row["name"].split(" ")[0]: row for row in places["rows"]} if places else {}

    def test_calipers_in_a_program_that_is_not_instrumented(self):
        for build in ({"language": "c"}, {"language": "cpp"}):
            self.build(CALIPERS, "-O1", "-pthread", f"-I{SOURCE}/include", **build)
            self.assertEqual(self.cells(), 100 * (1 + 2 + 5 + 32 + 64))
            self.assertEqual(self.cells("--region", "outer"), 100 * 7)
            # Of both threads at a time, one is inside.
            self.assertEqual(self.cells("--region", "inner"), 100 * (5 + 32))
            self.assertEqual(self.cells("--region", "no such"), 0)
            self.assertEqual(self.info()["accesses"], 0)

    def test_what_is_allocated_outside_is_known_inside(self):
        self.build(CALIPERS, "-O1", "-pthread", f"-I{SOURCE}/include")
        self.cells()
        rows = self.places("object", "out.cscape", "--top", "0")["places"]["rows"]
        made = 1 + next(i for i, line in enumerate(CALIPERS.splitlines()) if "*made = " in line)
        self.assertGreaterEqual(sum(r["writes"] for r in rows if r.get("kind") == "heap" and r["line"] == made), 1000)

    def test_the_header_and_the_tool_agree(self):
        header = (SOURCE / "include/cachescape/mark.h").read_text()
        base = int(re.search(r"\{(0x\w+) \+ number\}", header).group(1), 16)
        asked = {name: base + int(number) for number, name in
                 re.findall(r"CACHESCAPE_ASK\((\d), \w+\);\n  if \(cachescape_mark_(\w+)\)", header)}
        known = {name.lower(): int(number, 16) for name, number in
                 re.findall(r"CACHESCAPE_REQUEST_(\w+) = (0x4353\w+)", (SOURCE / "session/request.h").read_text())}
        self.assertEqual(asked, known)
        self.assertEqual(len(known), 4)
        # In QEMU, for each processor.
        follows = re.search(r"CACHESCAPE_REQUEST_FOLLOWS = (0x\w+)", (SOURCE / "session/request.h").read_text()).group(1)
        self.assertEqual(re.findall(r"CACHESCAPE_SAY\(number\).*?(0x\w+)", header), [follows, follows])

    def test_from_one_function_until_another(self):
        self.build(FUNCTIONS, "-O2", language="cpp")
        begin, end = "phase::begin(int)", "phase::End::now() const"
        # The stores in begin() itself are inside, those of now() are not.
        inside = 100 * (2 + 8) + 3
        self.assertEqual(self.cells("--from", begin, "--until", end), inside)
        self.assertEqual(self.cells("--from", "_ZN5phase5beginEi", "--until", "_ZNK5phase3End3nowEv"), inside)
        self.assertEqual(self.cells("--from", begin, "--until", "phase::End::now"), inside)
        # Without arguments both of that name count, of which one comes earlier.
        self.assertEqual(self.cells("--from", "phase::begin"), 100 * (2 + 4 + 8 + 16 + 32 + 64) + 6)
        self.assertEqual(self.cells("--until", end), 100 * (1 + 2) + 2)
        self.assertEqual(self.cells("--from", "plain", "--until", "plain"), 100 * 32)
        facts = self.json("info", "--json", "out.cscape")["provenance"]
        self.assertEqual((facts["from"], facts["until"]), ("plain", "plain"))

    def test_a_function_that_is_never_called(self):
        self.build(FUNCTIONS, "-O2", language="cpp")
        self.assertEqual(self.cells("--from", "phase::missing"), 0)
        self.assertIn("phase::missing was not called", self.messages)

    def test_some_of_the_accesses(self):
        self.build(FUNCTIONS, "-O2", language="cpp")
        _, whole = self.traced("./x")
        for skip, count in ((0, 1000), (len(whole) - 500, 10_000), (12_345, 6_789)):
            options = ["--skip", str(skip), "--count", str(count), "--trace", "part.cstrace"]
            self.record("./x", options=options)
            self.assertEqual(self.accesses("part.cstrace"), whole[skip:skip + count])
            self.assertEqual(self.info()["accesses"], len(whole[skip:skip + count]))
            self.assertEqual(self.info()["losses"], {"lost_accesses": 0, "skipped_records": 0, "truncated": False})

    def test_some_of_the_time(self):
        # An endless program: what it does in the time is known only by who watches it.
        self.build(r"""
            #include <unistd.h>
            volatile int early, late;
            int main(void) {
              for (int i = 0; i < 1000; i++) early++;
              write(1, "ready\n", 6);
              for (char c; read(0, &c, 1) == 1;) {}
              for (int i = 0; i < 1000; i++) late++;
              return 0;
            }""")

        def counted(options, release):
            process = subprocess.Popen([PROGRAM, "record", "-o", "out.cscape", *FAST, *options, "--", "./x"], cwd=self.folder,
                                       env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.assertEqual(process.stdout.readline(), "ready\n")
            release()
            process.stdin.close()
            self.assertEqual(process.wait(timeout=60), 0)
            process.stdout.close()
            nothing = {"writes": 0}
            return self.objects().get("early", nothing)["writes"], self.objects().get("late", nothing)["writes"]

        self.assertEqual(counted(["--after", "0", "--for", "1000"], lambda: None), (1000, 1000))
        self.assertEqual(counted(["--after", "1000"], lambda: None), (0, 0))

    def test_what_does_not_go_together(self):
        done = self.record("true", options=["--block-cap", "10", "--skip", "5"], expect=2)
        self.assertIn("--block-cap counts executions", done.stderr)
        done = self.record("true", options=["--engine", "compiled", "--from", "main"], expect=5)
        self.assertIn("--engine valgrind", done.stderr)


if __name__ == "__main__":
    main()
