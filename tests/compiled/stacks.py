#!/usr/bin/env python3
"""Counters by call stack: hand counts, and sums that agree with those of functions and of the program."""
import collections
import sqlite3

from support import CC, PROGRAM, Scratch, main

STACK = "--cachescape-counters=stack"
ONLY = "--cachescape-accesses=off"
NOINLINE = "#define NOINLINE __attribute__((noinline))\n"


class Stacks(Scratch):
    def stacks(self, profile="out.cscape"):
        """{("main", "f"): row} of the report; checks that everything adds up."""
        report = self.json("report", profile, "--by", "stack", "--top", "0", "--json")
        rows = report["stacks"]["rows"]
        self.check_sums(rows, profile)
        found = {tuple(row["stack"]): row for row in rows}
        self.assertEqual(len(found), len(rows), "a stack occurs twice")
        return found

    def check_sums(self, rows, profile):
        """Stacks add up to functions, functions to the program, metric by metric."""
        by_stack = collections.Counter()
        for row in rows:
            for metric, value in row["counters"].items():
                by_stack[row["stack"][-1], metric] += value
        with sqlite3.connect(f"file:{self.folder / profile}?mode=ro", uri=True) as file:
            by_function = {(f, m): v for f, m, v in file.execute(
                "select function, metric, sum(value) from counter join block on block.id = block group by 1, 2")}
        self.assertEqual(dict(by_stack), by_function)
        self.assertGreater(len(by_function), 0)
        self.run_it([PROGRAM, "validate", profile])

    def calls(self, profile="out.cscape"):
        """{"main > f": calls}, and those that are recursive with a star."""
        return {" > ".join(s) + ("*" if r["recursive"] else ""): r["calls"] for s, r in self.stacks(profile).items()}

    def build_and_count(self, text, *options, command=("./x",), language="c", expect=0, **more):
        self.compile(NOINLINE + text, *options, STACK, language=language)
        self.record(*command, expect=expect, **more)
        return self.calls()


TWO_CALLERS = """
#include <stdio.h>
double a[1000];
NOINLINE double dot(int n) { double s = 0; for (int i = 0; i < n; ++i) s += a[i] * a[i]; a[0] = 0; return s; }
NOINLINE double solve(void) { double r = 0; for (int k = 0; k < 7; ++k) r += dot(1000); return r; }
NOINLINE double check(void) { return dot(30) + 1; }
int main(void) { double r = solve(); r += check(); r += check(); printf("%g\\n", r); return 0; }
"""


class HandCounts(Stacks):
    def test_two_callers_at_every_level(self):
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"]:
            for accesses in [[], [ONLY]]:
                with self.subTest(level=level, accesses=accesses):
                    calls = self.build_and_count(TWO_CALLERS, level, *accesses)
                    self.assertEqual(calls, {"main": 1, "main > solve": 1, "main > check": 2, "main > solve > dot": 7,
                                             "main > check > dot": 2})
                    found = self.stacks()
                    # A product and a sum for each element.
                    self.assertEqual(found["main", "solve", "dot"]["counters"]["flops"], 2 * 7 * 1000)
                    self.assertEqual(found["main", "check", "dot"]["counters"]["flops"], 2 * 2 * 30)

    def test_link_time_optimisation(self):
        self.write("dot.c", NOINLINE + "extern double a[];\nNOINLINE double dot(int n)"
                   " { double s = 0; for (int i = 0; i < n; ++i) s += a[i] * a[i]; a[0] = 0; return s; }\n")
        rest = TWO_CALLERS.replace("NOINLINE double dot(int n) { double s = 0; for (int i = 0; i < n; ++i) s += a[i] * a[i]; a[0] = 0; return s; }",
                                   "double dot(int n);")
        for lto in ["-flto", "-flto=thin"]:
            with self.subTest(lto):
                self.compile(NOINLINE + rest, "-O2", lto, STACK, "dot.c")
                self.record("./x")
                calls = self.calls()
                self.assertEqual(sum(n for s, n in calls.items() if s.endswith("solve > dot")), 7)
                self.assertEqual(sum(n for s, n in calls.items() if s.endswith("check > dot")), 2)

    def test_bytes_of_block_moves(self):
        calls = self.build_and_count("""
#include <string.h>
char a[4096], b[4096];
NOINLINE void move(unsigned long n) { memcpy(a, b, n); }
NOINLINE void little(void) { move(10); move(20); }
NOINLINE void much(void) { for (int i = 0; i < 5; ++i) move(4096); }
int main(int argc, char **argv) { little(); much(); return a[argc]; }
""", "-O2")
        self.assertEqual(calls["main > little > move"], 2)
        found = self.stacks()
        self.assertEqual(found["main", "little", "move"]["counters"]["memcpy.bytes"], 30)
        self.assertEqual(found["main", "much", "move"]["counters"]["memcpy.bytes"], 5 * 4096)


class Recursion(Stacks):
    def test_a_function_that_calls_itself(self):
        calls = self.build_and_count("""
NOINLINE int leaf(int n) { volatile int v = n; return v; }
NOINLINE int fib(int n) { return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(10) == 55 ? 0 : 1; }
""", "-O0")
        self.assertEqual(calls, {"main": 1, "main > fib*": 177, "main > fib > leaf": 89})

    def test_functions_that_call_each_other(self):
        calls = self.build_and_count("""
int b(int n);
NOINLINE int end(void) { volatile int v = 0; return v; }
NOINLINE int a(int n) { return n == 0 ? end() : b(n - 1) + 1; }
NOINLINE int b(int n) { return n == 0 ? end() : a(n - 1) + 1; }
int main(void) { a(9); b(3); return 0; }
""", "-O0")
        # A function that is among its callers goes back there: a, called from b, is the a that main called.
        self.assertEqual(calls, {"main": 1, "main > a*": 5, "main > a > b": 5, "main > a > b > end": 1,
                                 "main > b*": 2, "main > b > a": 2, "main > b > a > end": 1})

    def test_circles_of_calls_in_tail_position_need_no_stack(self):
        calls = self.build_and_count("""
#include <stdlib.h>
int odd(int n);
NOINLINE int even(int n) { return n == 0 ? 1 : odd(n - 1); }
NOINLINE int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(int argc, char **argv) { return even(atoi(argv[1])) ? 0 : 1; }
""", "-O2", command=("./x", "3000000"))
        self.assertEqual(calls, {"main": 1, "main > even": 1500001, "main > odd": 1500000})


class OtherWaysBack(Stacks):
    def test_exceptions(self):
        calls = self.build_and_count("""
#include <algorithm>
#include <stdexcept>
static volatile int sink;
NOINLINE void work() { sink = sink + 1; }
NOINLINE void thrower(int n) { work(); if (n % 2) throw std::runtime_error("odd"); work(); }
struct Cleaner { ~Cleaner() { work(); } };
NOINLINE void between(int n) { Cleaner c; thrower(n); }
NOINLINE void catcher(int n) { try { between(n); } catch (const std::exception&) { work(); } work(); }
NOINLINE void after() { work(); }
int main() { for (int i = 0; i < 10; ++i) { catcher(i); after(); } return 0; }
""", "-O1", language="cpp")
        short = {s.replace("()", "").replace("(int)", "").replace("Cleaner::~Cleaner", "clean"): n for s, n in calls.items()}
        self.assertEqual(short["main > catcher > between > thrower > work"], 15)
        self.assertEqual(short["main > catcher > work"], 15)
        self.assertEqual(short["main > after > work"], 10)
        self.assertEqual(sum(n for s, n in short.items() if "between" in s and "thrower" not in s and s.endswith("work")), 10)

    def test_exceptions_that_plain_code_catches(self):
        """Code that is not observed catches; its callers find themselves again."""
        self.write("plain.cpp", "void thrower(int);\nvoid guarded(int n) { try { thrower(n); } catch (int) {} }\n")
        self.run_it(["clang++-19", "-O1", "-c", "plain.cpp"])
        calls = self.build_and_count("""
static volatile int sink;
void guarded(int n);
NOINLINE void work() { sink = sink + 1; }
NOINLINE void thrower(int n) { work(); throw n; }
NOINLINE void caller(int n) { guarded(n); work(); }
int main() { for (int i = 0; i < 4; ++i) caller(i); work(); return 0; }
""", "-O1", "plain.o", language="cpp")
        short = {s.replace("()", "").replace("(int)", ""): n for s, n in calls.items()}
        self.assertEqual(short, {"main": 1, "main > caller": 4, "main > caller > thrower": 4,
                                 "main > caller > thrower > work": 4, "main > caller > work": 4, "main > work": 1})

    def test_longjmp(self):
        for level in ["-O0", "-O2"]:
            with self.subTest(level):
                calls = self.build_and_count("""
#include <setjmp.h>
static jmp_buf place;
static volatile int sink;
NOINLINE void work(void) { sink = sink + 1; }
NOINLINE void deep(int n) { work(); longjmp(place, n); }
NOINLINE void way(int n) { deep(n); sink = 3; }
NOINLINE void turn(int n) { if (setjmp(place) == 0) way(n); else work(); work(); }
int main(void) { for (int i = 1; i <= 6; ++i) turn(i); work(); return 0; }
""", level)
                self.assertEqual(calls["main > turn > way > deep > work"], 6)
                self.assertEqual(calls["main > turn > work"], 12)
                self.assertEqual(calls["main > work"], 1)

    def test_callbacks_of_plain_code(self):
        calls = self.build_and_count("""
#include <stdlib.h>
static int v[100];
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
NOINLINE void sort(void) { qsort(v, 100, sizeof *v, order); }
int main(void) { for (int i = 0; i < 100; ++i) v[i] = (i * 37) % 100; sort(); return v[0]; }
""", "-O1")
        self.assertEqual(set(calls), {"main", "main > sort", "main > sort > order"})

    def test_signal_handlers(self):
        calls = self.build_and_count("""
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf place;
static volatile int sink;
NOINLINE void work(void) { sink = sink + 1; }
static void handler(int s) { work(); if (s == SIGUSR2) siglongjmp(place, 1); }
NOINLINE void loop(void) { for (int i = 0; i < 50; ++i) { raise(SIGUSR1); work(); } }
NOINLINE void jumper(void) { for (volatile int i = 0; i < 20; ++i) if (sigsetjmp(place, 1) == 0) raise(SIGUSR2); else work(); }
int main(void) { signal(SIGUSR1, handler); signal(SIGUSR2, handler); loop(); jumper(); work(); return 0; }
""", "-O1")
        self.assertEqual(calls["main > loop > handler > work"], 50)
        self.assertEqual(calls["main > loop > work"], 50)
        self.assertEqual(calls["main > jumper > handler > work"], 20)
        self.assertEqual(calls["main > jumper > work"], 20)
        self.assertEqual(calls["main > work"], 1)


class ThreadsAndProcesses(Stacks):
    THREADS = """
#include <pthread.h>
static _Thread_local volatile int sink;
NOINLINE void work(void) { sink = sink + 1; }
static void *run(void *n) { for (long i = 0; i < (long)n; ++i) work(); return 0; }
NOINLINE void batch(int threads) {
  pthread_t t[8];
  for (int i = 0; i < threads; ++i) pthread_create(&t[i], 0, run, (void *)1000);
  for (int i = 0; i < threads; ++i) pthread_join(t[i], 0);
}
int main(void) { for (int i = 0; i < 20; ++i) batch(8); work(); return 0; }
"""

    def test_threads_are_one_tree(self):
        for linking in [[], ["-static"]]:
            with self.subTest(linking):
                calls = self.build_and_count(self.THREADS, "-O1", "-pthread", *linking)
                self.assertEqual(calls["run"], 160)
                self.assertEqual(calls["run > work"], 160000)
                self.assertEqual(calls["main > work"], 1)

    def test_openmp(self):
        calls = self.build_and_count("""
#include <omp.h>
static double a[64];
NOINLINE double cube(double x) { volatile double v = x * x * x; return v; }
int main(void) {
  omp_set_num_threads(4);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) a[i] = cube(i);
  return a[1] == 1 ? 0 : 1;
}
""", "-O1", "-fopenmp")
        self.assertEqual(sum(n for s, n in calls.items() if s.split(" > ")[-1] == "cube"), 64)
        self.assertTrue(all("omp" in s for s in calls if s.endswith("cube")), calls)

    def test_what_was_counted_before_the_end(self):
        program = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int sink;
NOINLINE void work(void) { sink = sink + 1; }
NOINLINE void end(int how) {
  work();
  if (how == 0) _exit(3);
  if (how == 1) kill(getpid(), SIGKILL);
  if (how == 2) exit(3);
  if (how == 3) execl("/bin/false", "false", (char *)0);
}
int main(int argc, char **argv) { for (int i = 0; i < 5; ++i) work(); end(atoi(argv[1])); return 0; }
"""
        self.compile(NOINLINE + program, "-O1", STACK)
        for how in range(4):
            with self.subTest(how):
                self.record("./x", str(how), expect=None)
                calls = self.calls()
                self.assertEqual(calls["main > work"], 5)
                self.assertEqual(calls["main > end > work"], 1)

    def test_children_that_are_followed(self):
        self.compile(NOINLINE + """
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink;
NOINLINE void work(void) { sink = sink + 1; }
NOINLINE void child(void) { for (int i = 0; i < 30; ++i) work(); }
NOINLINE void parent(void) { work(); }
NOINLINE void both(int in_child) { if (in_child) { child(); child(); } else parent(); }
NOINLINE int split(void) { return fork() == 0; }
int main(void) { both(split()); int status; wait(&status); return 0; }
""", "-O1", STACK)
        for options in [[], ["--follow", "children"]]:
            with self.subTest(options):
                self.run_it("rm -f *.cscape", shell=True)
                self.record("./x", options=options)
                self.assertEqual(self.calls()["main > both > parent > work"], 1)
                others = [p.name for p in self.folder.glob("*.cscape") if p.name != "out.cscape"]
                self.assertEqual(len(others), 1 if options else 0)
                for other in others:
                    # Functions that were running when the child began are not among the callers.
                    calls = self.calls(other)
                    self.assertEqual(sum(n for s, n in calls.items() if s.endswith("child > work")), 60)


class Mixtures(Stacks):
    def test_objects_without_stacks(self):
        self.write("other.c", NOINLINE + "static volatile int sink;\nvoid work(void);\nvoid other(void) { sink = 1; work(); }\n")
        self.run_it([CC, "-O1", "-g", "-c", "other.c"])
        calls = self.build_and_count("""
static volatile int sink;
void other(void);
NOINLINE void work(void) { sink = sink + 1; }
NOINLINE void caller(void) { other(); other(); }
int main(void) { caller(); return 0; }
""", "-O1", "other.o")
        self.assertEqual(calls, {"main": 1, "main > caller": 1, "main > caller > work": 2, "(no call stack) > other": 2})

    def test_switched_off(self):
        self.compile(NOINLINE + TWO_CALLERS, "-O2", STACK)
        done = self.run_it(["./x"], env={"CACHESCAPE": "off"})
        self.assertEqual((done.stdout, done.stderr), ("2\n", ""))
        self.assertEqual(list(self.folder.glob("*.cscape")), [])

    def test_without_the_option(self):
        self.compile(NOINLINE + TWO_CALLERS, "-O2")
        self.assertNotIn("cachescape_context", self.run_it(["nm", "x"]).stdout)
        self.record("./x")
        report = self.run_it([PROGRAM, "report", "out.cscape", "--by", "stack"]).stdout
        self.assertIn("The profile has no counters by call stack.", report)

    def test_more_stacks_than_are_told_apart(self):
        """Each subset of 17 functions is a stack; the sums stay exact."""
        levels = 17
        text = "static volatile int sink;\nNOINLINE void f0(unsigned s) { sink = sink + 1; }\n"
        for i in range(1, levels + 1):
            text += (f"NOINLINE void a{i}(unsigned s);\nNOINLINE void b{i}(unsigned s);\n")
        for i in range(1, levels + 1):
            down = "f0(s);" if i == 1 else f"if (s & 1) a{i - 1}(s >> 1); else b{i - 1}(s >> 1);"
            text += f"NOINLINE void a{i}(unsigned s) {{ {down} sink = 1; }}\nNOINLINE void b{i}(unsigned s) {{ {down} sink = 2; }}\n"
        text += f"int main(void) {{ for (unsigned s = 0; s < 1u << 17; ++s) a{levels}(s); return 0; }}\n"
        calls = self.build_and_count(text, "-O1", ONLY)
        self.assertGreater(calls["(other call stacks) > f0"], 0)
        self.assertEqual(sum(n for s, n in calls.items() if s.endswith("> f0")), 1 << 17)


class Output(Stacks):
    def test_text_fits_and_csv(self):
        self.compile(NOINLINE + TWO_CALLERS, "-O1", STACK)
        self.record("./x")
        lines = self.run_it([PROGRAM, "report", "out.cscape", "--by", "stack"], env={"COLUMNS": "80"}).stdout.splitlines()
        table = lines[next(i for i, l in enumerate(lines) if l.startswith("call stack")):]
        self.assertEqual(table[1].split()[:5], ["main", ">", "solve", ">", "dot"])
        self.assertEqual(table[-1].split()[:3], ["all", "of", "these"])
        self.assertTrue(all(len(line) <= 80 for line in lines))
        csv = self.run_it([PROGRAM, "report", "out.cscape", "--by", "stack", "--top", "1", "--csv"]).stdout.splitlines()
        self.assertEqual(csv[0], "stack,module,recursive,calls,instructions,loads,stores,bytes.loaded,bytes.stored,flops,int.ops")
        self.assertTrue(csv[1].startswith("main > solve > dot,x.c,0,7,"), csv[1])
        self.assertEqual(len(csv), 2)
        counters = self.run_it([PROGRAM, "report", "out.cscape", "--by", "stack", "--csv", "--counters"]).stdout
        self.assertIn("main > check > dot,flops,120\n", counters)

    def test_merged_runs(self):
        self.compile(NOINLINE + TWO_CALLERS, "-O1", STACK)
        self.record("./x")
        once = self.calls()
        self.run_it([PROGRAM, "merge", "out.cscape", "out.cscape", "-o", "twice.cscape"])
        self.assertEqual(self.calls("twice.cscape"), {s: 2 * n for s, n in once.items()})


if __name__ == "__main__":
    main()
