"""The order and the addresses of accesses, and that all ways to the same profile agree."""
import json

from support import FAST, PROGRAM, SOURCE, CC, CXX, Scratch, main

LOOPS = r"""
#include <stdio.h>
#include <stdlib.h>
#define IGNORED __attribute__((noinline, annotate("cachescape.ignore")))
#define KERNEL __attribute__((noinline)) static void
enum { size = 200000 };
Q int a[size], b[size], where[size];
IGNORED static void prepare(void) {
  for (int i = 0; i < size; i++) where[i] = (int)(i * 7919L % size);
}
KERNEL up(int n) { for (int i = 0; i < n; i++) b[i] = a[i] + 1; }
KERNEL down(int n) { for (int i = n - 1; i >= 0; i--) b[i] = a[i] + 1; }
KERNEL apart(int n) { for (int i = 0; i < n; i++) b[3 * i] = a[2 * i] + 1; }
KERNEL towards(int n) { for (int i = 0; i < n; i++) b[size - 1 - i] = a[i] + 1; }
KERNEL indirect(int n) {
  for (int i = 0; i < n; i++) {
    const int to = where[i];
    const int v = a[i];
    b[to] = b[to] + v;
  }
}
KERNEL until(int n) { for (int i = 0; where[i] != n; i++) b[i] = 1; }
KERNEL chosen(int n) {
  for (int i = 0; i < n; i++)
    if (where[i] & 1) b[i] = a[i] + 2;
}
int main(int argc, char **argv) {
  prepare();
  printf("a %p %d\nb %p %d\nwhere %p %d\n", (void *)a, (int)sizeof a, (void *)b, (int)sizeof b, (void *)where, (int)sizeof where);
  for (int i = 1; i < argc; i++) {
    const int n = atoi(argv[i]);
    up(n); down(n); apart(n); towards(n); indirect(n); until(where[n]); chosen(n);
  }
  return 0;
}
"""


def expected(a, b, where, trips):
    """The same loops, over addresses."""
    size = 200000
    at = [i * 7919 % size for i in range(size)]
    position = {v: i for i, v in enumerate(at)}
    for n in trips:
        for i in range(n):
            yield "R", a + 4 * i
            yield "W", b + 4 * i
        for i in reversed(range(n)):
            yield "R", a + 4 * i
            yield "W", b + 4 * i
        for i in range(n):
            yield "R", a + 8 * i
            yield "W", b + 12 * i
        for i in range(n):
            yield "R", a + 4 * i
            yield "W", b + 4 * (size - 1 - i)
        for i in range(n):
            yield "R", where + 4 * i
            yield "R", a + 4 * i
            yield "R", b + 4 * at[i]
            yield "W", b + 4 * at[i]
        yield "R", where + 4 * n
        for i in range(position[at[n]]):
            yield "R", where + 4 * i
            yield "W", b + 4 * i
        yield "R", where + 4 * n
        for i in range(n):
            yield "R", where + 4 * i
            if at[i] & 1:
                yield "R", a + 4 * i
                yield "W", b + 4 * i


class Order(Scratch):
    def check(self, trips, *options, order="auto"):
        program = self.compile(LOOPS, *options)
        output, accesses = self.traced(program, *[str(n) for n in trips], options=["--order", order])
        known = self.ranges(output)
        low, high = min(k[0] for k in known.values()), max(sum(k) for k in known.values())
        mine = [(kind, address) for _, kind, address, size in accesses if low <= address < high]
        self.assertTrue(all(size == 4 for _, _, address, size in accesses if low <= address < high))
        wanted = list(expected(*(known[n][0] for n in ("a", "b", "where")), trips))
        self.assertEqual(len(mine), len(wanted), f"accesses with {options}")
        for i, (got, want) in enumerate(zip(mine, wanted)):
            self.assertEqual(got, want, f"access {i} with {options}")

    def test_short_loops_at_every_level(self):
        for level in "-O0", "-O1", "-O2", "-O3", "-Os":
            for qualifier in "-DQ=", "-DQ=volatile":
                with self.subTest(level=level, qualifier=qualifier):
                    self.check([0, 1, 2, 3, 4, 5, 1000], level, qualifier)

    def test_loops_longer_than_a_block(self):
        self.check([60000, 7], "-O2", "-DQ=")

    def test_loops_whose_trips_are_told_one_by_one(self):
        for level in "-O1", "-O2", "-O3":
            for order in "fine", "exact":
                with self.subTest(level=level, order=order):
                    self.check([0, 1, 2, 3, 4, 5, 1000], level, "-DQ=", order=order)

    def test_machine_view_touches_the_same_bytes(self):
        program = self.compile(LOOPS, "-O3", "-DQ=", "-mavx2", "--cachescape-view=machine")
        output, accesses = self.traced(program, "1000")
        known = self.ranges(output)
        a = known["a"]
        read = sum(size for _, kind, address, size in accesses if kind == "R" and a[0] <= address < sum(a))
        # up, down, towards, indirect: 4 bytes each; vectors of apart also read what lies between.
        self.assertGreaterEqual(read, 4 * 1000 * 5)
        self.assertLessEqual(read, 4 * 1000 * 8)


# Line sizes, sets and ways that the machines below ask for.
ANALYSIS = ["--lines", "32,64,128", "--set-lines", "64,128", "--ways", "16", "--write-backs", "64"]
MACHINES = ["L1:32K,8,64 L2:256K,8,64", "L1:4K,1,64 L2:64K,16,64 L3:1M,16,64", "L1:16K,4,128"]


class SameProfile(Scratch):
    """A profile analysed online, from runs of loops or access by access, and one imported from the trace of the run."""

    def facts(self, profile):
        info = self.info(profile)
        for key in "profile", "command", "recorded", "duration_seconds", "instructions", "provenance":
            info.pop(key, None)
        predictions = []
        for machine in MACHINES:
            prediction = self.json("predict", profile, "--machine", machine, "--json")
            predictions.append({k: v for k, v in prediction.items() if k != "profile"})
        return json.dumps([info, predictions], indent=1)

    def check(self, name):
        compiler = CXX if name.endswith(".cpp") else CC
        self.run_it([compiler, "-O2", "-g", SOURCE / "tests/programs" / name, "-o", "x"])
        # Addresses are the same in each run.
        fixed = ["setarch", "-R", PROGRAM, "record", *ANALYSIS]
        self.run_it([*fixed, "-o", "a.cscape", "--trace", "a.cstrace", "--", "./x"])
        self.run_it([*fixed, "-o", "b.cscape", "--", "./x"])
        self.run_it([PROGRAM, "import", "a.cstrace", "-o", "c.cscape", *ANALYSIS])
        imported = self.facts("c.cscape")
        self.assertEqual(self.facts("a.cscape"), imported, f"{name}: online, access by access, and imported")
        self.assertEqual(self.facts("b.cscape"), imported, f"{name}: online, from runs of loops, and imported")


for path in sorted((SOURCE / "tests/programs").iterdir()):
    if path.suffix in (".c", ".cpp"):
        setattr(SameProfile, f"test_{path.stem}", lambda self, name=path.name: self.check(name))

if __name__ == "__main__":
    main()
