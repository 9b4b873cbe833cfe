"""Accesses are told by the right line, function, variable and data structure."""
import shutil

from allocations import ALLOCATABLE
from support import PROGRAM, Scratch, main

# Line numbers are those of this text: the first line is 1.
TEXT = """#include <stdlib.h>
struct point { int x, y; double mass; };
static double table[500];
int counts[16];
static double *made(int n) {
  return malloc(n * sizeof(double));
}
__attribute__((noinline)) static void fill(double *to, int n) {
  for (int i = 0; i < n; i++)
    to[i] = i;
}
static inline double weigh(struct point *points, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += points[i].mass;
  return sum;
}
int main(int argc, char **argv) {
  double *values = made(200);
  struct point *points = calloc(100, sizeof *points);
  fill(values, 200);
  fill(table, 500);
  for (int i = 0; i < 160; i++)
    counts[(i * argc) % 16]++;
  const double sum = weigh(points, 100);
  free(values);
  free(points);
  return sum > 0 || argv == 0;
}
"""


class Sites(Scratch):
    def setUp(self):
        super().setUp()
        self.record(self.compile(TEXT, "-O2"))

    def rows(self, by):
        return {row["name"].rsplit("/", 1)[-1]: row for row in self.places(by)["places"]["rows"]}

    def test_lines(self):
        rows = self.rows("line")
        self.assertEqual({name: (row["reads"], row["writes"]) for name, row in rows.items()},
                         {"x.c:10": (0, 700), "x.c:15": (100, 0), "x.c:24": (160, 160)})
        self.assertEqual(rows["x.c:10"]["line"], 10)
        self.assertTrue(rows["x.c:10"]["file"].endswith("x.c"))

    def test_functions(self):
        self.assertEqual({name: row["accesses"] for name, row in self.rows("function").items()},
                         {"fill": 700, "main": 320, "weigh": 100})
        self.assertEqual({name: row["accesses"] for name, row in self.rows("container").items()}, {"fill": 700, "main": 420})

    def test_variables(self):
        self.assertEqual({name: row["accesses"] for name, row in self.rows("variable").items()},
                         {"to[]": 700, "counts[]": 320, "point.mass": 100})

    def test_objects(self):
        rows = {(row["kind"], name.split(" ")[0]): row for name, row in self.rows("object").items()}
        self.assertEqual({key: (row["accesses"], row["line"]) for key, row in rows.items()},
                         {("global", "table"): (500, 3), ("global", "counts"): (320, 4), ("heap", "values"): (200, 6),
                          ("heap", "points"): (100, 20)})
        self.assertEqual(rows["heap", "points"]["bytes"], 800)

    def test_blocks(self):
        rows = self.places("block")["places"]["rows"]
        self.assertEqual(sum(row["accesses"] for row in rows), 1120)
        self.assertEqual(sorted(row["accesses"] for row in rows if row["accesses"]), [100, 320, 700])


class Names(Scratch):
    def test_newer_than_the_demangler(self):
        """clang names constructors in std::map in a way that gcc 12's library does not know."""
        text = r"""
            #include <map>
            #include <string>
            int main() { std::map<int, std::string> names; for (int i = 0; i < 20; i++) names[i] = "x"; return names.size() != 20; }"""
        for options in ["-O1"], ["-O1", "--cachescape-counters=stack"]:
            with self.subTest(options=options):
                self.record(self.compile(text, *options, language="cpp"))
                rows = self.places("function", "out.cscape", "--top", "0")["places"]["rows"]
                names = {row["name"] for row in rows} | {name[5:] for name in self.counters() if name.startswith("call.")}
                self.assertIn("main", names)
                self.assertEqual([name for name in names if name.startswith("_Z")], [])

    def test_fortran(self):
        if shutil.which("flang-new-19") is None:
            self.skipTest("flang-new-19 is not installed")
        self.record(self.compile(ALLOCATABLE, "-O0", language="f90"))
        names = {row["name"] for row in self.places("function")["places"]["rows"]}
        self.assertLessEqual({"particles::move", "main program"}, names)
        self.record(self.compile(ALLOCATABLE, "-O0", "--cachescape-only=^particles::move$", language="f90"))
        names = {row["name"] for row in self.places("function")["places"]["rows"]}
        self.assertEqual(names, {"particles::move"})


HELPER = """#include <stdlib.h>
#include <vector>
struct node { node *left, *right; long value; };
__attribute__((noinline)) double *make(int n) {
  return (double *)malloc(n * sizeof(double));
}
__attribute__((noinline)) double *first() { double *made = make(100); made[0] = 2; return made; }
__attribute__((noinline)) double *second() {
  double *early = make(200);
  double *late = make(300);
  late[0] = early[0] = 1;
  return late;
}
__attribute__((noinline)) node *tree(int depth) {
  if (depth == 0) return nullptr;
  node *n = new node;
  n->left = tree(depth - 1);
  n->right = tree(depth - 1);
  n->value = depth;
  return n;
}
int main() {
  double *a = first(), *b = second();
  for (int i = 0; i < 100; i++) a[i] = i;
  for (int i = 0; i < 300; i++) b[i] = i;
  std::vector<long> list;
  for (int i = 0; i < 64; i++) list.push_back(i);
  return a[99] + b[299] + list[5] + tree(10)->value == 0;
}
"""


class Stacks(Scratch):
    def heap(self, *options):
        self.record(self.compile(HELPER, "-O1", *options, language="cpp"))
        return [row for row in self.places("object")["places"]["rows"] if row.get("kind") == "heap"]

    def test_callers_of_one_helper_make_different_objects(self):
        rows = self.heap()
        made = {row["size"]: row for row in rows if row["line"] == 5}
        self.assertEqual(sorted(made), [800, 1600, 2400])
        stacks = {size: [(call["function"], call["line"]) for call in row["stack"]] for size, row in made.items()}
        self.assertEqual(stacks, {800: [("make(int)", 5), ("first()", 7), ("main", 23)],
                                  1600: [("make(int)", 5), ("second()", 9), ("main", 23)],
                                  2400: [("make(int)", 5), ("second()", 10), ("main", 23)]})
        self.assertEqual({size: row["writes"] for size, row in made.items()}, {800: 101, 1600: 1, 2400: 301})

    def test_recursion_makes_one_object(self):
        nodes = [row for row in self.heap() if row["line"] == 16]
        self.assertEqual([row["allocations"] for row in nodes], [2 ** 10 - 1])
        self.assertEqual([(call["function"], call["line"]) for call in nodes[0]["stack"]], [("tree(int)", 16), ("main", 28)])

    def test_containers_are_told_by_who_uses_them(self):
        lists = [row for row in self.heap() if row["line"] == 27]
        self.assertEqual([row["name"] for row in lists], ["main"])
        self.assertEqual(lists[0]["allocations"], 7)

    def test_without_frame_pointers_a_site_is_an_object(self):
        rows = [row for row in self.heap("-fomit-frame-pointer") if row["line"] == 5]
        self.assertEqual([(row["allocations"], len(row["stack"])) for row in rows], [(3, 1)])

    def test_stacks_lead_through_libraries_and_end_where_threads_begin(self):
        library = """#include <stdlib.h>
__attribute__((noinline)) static long *inner(int n) { long *made = malloc(n * 8); made[0] = n; return made; }
long *outer(int n) { long *made = inner(n); made[1] = 2; return made; }
"""
        text = """#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
static void *work(void *at) { int *made = malloc(100); made[0] = 1; return made; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  long *(*outer)(int) = (long *(*)(int))dlsym(dlopen("./late.so", RTLD_NOW), "outer");
  return outer(50)[0] != 50;
}
"""
        self.compile(library, "-O1", "-fPIC", "-shared", name="late.so")
        self.record(self.compile(text, "-O1", "-pthread", "-ldl"))
        stacks = {row["size"]: [(call["function"], call["line"]) for call in row["stack"]]
                  for row in self.places("object")["places"]["rows"] if row.get("kind") == "heap"}
        self.assertEqual(stacks, {100: [("work", 4)], 400: [("inner", 2), ("outer", 3), ("main", 10)]})

    def test_children_have_stacks_too(self):
        self.compile("""#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int *make(int n) { int *made = malloc(n); made[0] = 1; return made; }
int main(void) {
  int *early = make(100);
  if (fork() == 0) return make(200)[0] + early[0] - 2;
  wait(0);
  return early[0] - 1;
}
""", "-O1")
        self.record("./x", options=["--follow", "children"])
        found = {}
        for profile in self.folder.glob("*.cscape"):
            for row in self.places("object", profile.name)["places"]["rows"]:
                if row.get("kind") == "heap":
                    found[row["size"]] = [(call["function"], call["line"]) for call in row["stack"]]
        self.assertEqual(found, {100: [("make", 4), ("main", 6)], 200: [("make", 4), ("main", 7)]})

    def test_text_names_size_site_and_caller(self):
        self.heap()
        text = self.run_it([PROGRAM, "report", "out.cscape", "--machine", "L1:32K,8,64", "--by", "object"], env={"COLUMNS": "200"}).stdout
        self.assertRegex(text, r"make\(int\) \(heap, 2.34 KiB, \S*x.cpp:5, from second\(\), line 10\)")

    def test_thousands_of_stacks_share_a_rest(self):
        calls = "\n".join(f"__attribute__((noinline)) char *f{i}() {{ return (char *)make(8) + {i}; }}" for i in range(1100))
        uses = "\n".join(f"  sum += *f{i}();" for i in range(1100))
        text = ("#include <stdlib.h>\n__attribute__((noinline)) void *make(int n) { return calloc(n, 1000); }\n" + calls +
                "\nint main() { int sum = 0;\n" + uses + "\n  return sum; }\n")
        self.record(self.compile(text, "-O1", language="cpp"))
        rows = self.places("object", "out.cscape", "--top", "0")["places"]["rows"]
        heap = [row for row in rows if row.get("kind") == "heap"]
        self.assertEqual(sum(row["accesses"] for row in heap), 1100)
        self.assertEqual(len(heap), 1025)
        rest = [row for row in heap if row["name"].endswith("(other call stacks)")]
        self.assertEqual([row["accesses"] for row in rest], [1100 - 1024])
        self.assertIn("more than 1024 ways to allocate", self.run_it([PROGRAM, "info", "out.cscape"]).stdout)


# Code without frame pointers leaves anything in their place.
GARBAGE = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void with_frame(uint64_t frame, void (*function)(void));
__asm__(".globl with_frame\\nwith_frame:\\n push %rbp\\n mov %rdi, %rbp\\n call *%rsi\\n pop %rbp\\n ret\\n");
static long made;
static long *volatile last;
__attribute__((noinline)) static void allocate(void) {
  long *p = malloc(16);
  last = p;
  *p = 1;
  made += *p;
  free(p);
}
int main(void) {
  uint64_t words[64], here = (uint64_t)(uintptr_t)words;
  for (int i = 0; i < 64; i++) words[i] = i % 2 ? (uint64_t)(uintptr_t)main + i : here + (i * 40) % 512;
  uint64_t bad[] = {0, 1, 8, 16, -1ul, -8ul, -16ul, 1ul << 47, (1ul << 47) - 16, (uint64_t)(uintptr_t)main, (uint64_t)(uintptr_t)&made};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) with_frame(bad[i], allocate);
  for (int i = 0; i < 512; i++) with_frame(here + i, allocate);
  for (uint64_t i = 0; i < 1 << 20; i += 4080) with_frame(here + i, allocate);
  printf("%ld\\n", made);
}
"""


class Frames(Scratch):
    def test_garbage_is_refused(self):
        done = self.record(self.compile(GARBAGE, "-O1"))
        self.assertEqual(done.stdout, "781\n")
        heap = [row for row in self.places("object")["places"]["rows"] if row.get("kind") == "heap"]
        self.assertEqual(sum(row["allocations"] for row in heap), 781)


if __name__ == "__main__":
    main()
