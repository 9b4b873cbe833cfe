"""Functions, lines, data objects: what is known of programs from their own files."""
import sqlite3

from common import Emulated, main

HEAP = r"""
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int global_array[100];
static long hidden[10];
__attribute__((noinline)) static void write_ints(volatile int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
__attribute__((noinline)) static void *make(int bytes) {
  return malloc(bytes);
}
int main(void) {
  int *plain = make(4000);
  int *zeroed = calloc(500, 4);
  int *aligned = aligned_alloc(64, 1024);
  void *placed;
  if (posix_memalign(&placed, 128, 800) != 0) return 1;
  int *grown = 0;
  for (int n = 1; n <= 64; n *= 2) grown = realloc(grown, n * 400);
  int *over = reallocarray(0, 300, 4);
  int *old = memalign(32, 640);
  write_ints(plain, 1000);
  write_ints(zeroed, 500);
  write_ints(aligned, 256);
  write_ints(placed, 200);
  write_ints(grown, 6400);
  write_ints(over, 300);
  write_ints(old, 160);
  write_ints(global_array, 100);
  for (int i = 0; i < 10; i++) ((volatile long *)hidden)[i] = i;
  volatile int local[50];
  write_ints(local, 50);
  free(plain);
  int *again = malloc(4000); /* mostly where plain was */
  write_ints(again, 7);
  return 0;
}"""

CONTAINERS = r"""
#include <cstdio>
#include <memory>
#include <vector>
struct Node { long value[4]; Node* next; };
int main() {
  std::vector<long> numbers(1000);
  for (int k = 0; k < 3; ++k)
    for (volatile long& n : reinterpret_cast<std::vector<long>&>(numbers)) n += k;
  Node* list = nullptr;
  for (int i = 0; i < 100; ++i) list = new Node{{i, i, i, i}, list};
  long sum = 0;
  for (Node* n = list; n != nullptr; n = n->next) sum += n->value[1];
  std::printf("%ld\n", sum);
  while (list != nullptr) { Node* next = list->next; delete list; list = next; }
  auto array = std::make_unique<int[]>(256);
  for (int i = 0; i < 256; ++i) reinterpret_cast<volatile int&>(array[i]) = i;
}"""


class Places(Emulated):
    def rows(self, by, profile="out.cscape"):
        return {row["name"]: row for row in self.places(by, profile, "--top", "0")["places"]["rows"] if row["name"]}

    def by_line(self, kind):
        """Accesses to objects of a kind, by the line that made them."""
        rows = self.places("object", "out.cscape", "--top", "0")["places"]["rows"]
        return {row["line"]: row for row in rows
                if row.get("kind") == kind and (row.get("file") or "").rsplit("/", 1)[-1].startswith("x.")}

    def allocations(self, line, profile="out.cscape"):
        with sqlite3.connect(f"file:{self.folder / profile}?mode=ro", uri=True) as file:
            return file.execute("select sum(allocations) from object join location on object.location = location.id"
                                " where kind = 'heap' and line = ? and file like '%x.cpp'", [line]).fetchone()[0]

    def line(self, text, mark):
        return 1 + next(i for i, line in enumerate(text.splitlines()) if mark in line)

    def check_heap(self, *options, **build):
        self.build(HEAP, "-O1", "-fno-optimize-sibling-calls", *options, **build)
        self.record("./x")
        writes = {line: row["writes"] for line, row in self.by_line("heap").items()}
        for mark, expected in (("return malloc(bytes)", 1000), ("calloc(500", 500), ("aligned_alloc", 256), ("posix_memalign(&", 200),
                               ("reallocarray(", 300), ("memalign(32", 160), ("int *again", 7)):
            # The allocator itself may write into what it hands out, or into what it got back.
            counted = writes.get(self.line(HEAP, mark), 0)
            self.assertGreaterEqual(counted, expected, mark)
            self.assertLessEqual(counted, expected + 600, mark)
        self.assertGreaterEqual(writes[self.line(HEAP, "= realloc(grown")], 6400)

    def test_allocations_by_the_line_that_made_them(self):
        self.check_heap()
        rows = self.rows("object")
        self.assertIn("make", {name.split(" ")[0] for name in rows})
        named = {name.split(" ")[0]: row for name, row in rows.items()}
        self.assertEqual(named["global_array"]["writes"], 100)
        self.assertEqual(named["hidden"]["writes"], 10)
        self.assertGreaterEqual(named["stack"]["writes"], 50)

    def test_debug_information_of_clang(self):
        # Valgrind 3.19 itself ends programs with such line tables.
        self.check_heap(compiler="clang-19")

    def test_a_static_program(self):
        # Calls of its allocator go there directly.
        self.check_heap("-static")

    def test_objects_of_containers_belong_to_the_programs_lines(self):
        self.build(CONTAINERS, "-O1", language="cpp")
        self.record("./x")
        heap = self.by_line("heap")
        self.assertEqual(self.allocations(self.line(CONTAINERS, "new Node")), 100)
        self.assertGreaterEqual(heap[self.line(CONTAINERS, "numbers(1000)")]["accesses"], 3000)
        self.assertGreaterEqual(heap[self.line(CONTAINERS, "make_unique")]["writes"], 256)

    def test_functions_and_lines(self):
        self.build(HEAP, "-O1")
        self.record("./x")
        functions = self.rows("function")
        self.assertEqual(functions["write_ints"]["writes"], 1000 + 500 + 256 + 200 + 6400 + 300 + 160 + 100 + 50 + 7)
        lines = {name.rsplit("/", 1)[-1]: row for name, row in self.rows("line").items()}
        self.assertEqual(lines[f"x.c:{self.line(HEAP, 'hidden)[i]')}"]["writes"], 10)

    def test_a_followed_child_knows_its_own_sites(self):
        text = r"""
            #include <stdlib.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static void fill(volatile char *p, int n) { for (int i = 0; i < n; i++) p[i] = 1; }
            static void *make(int n) {
              char *p = malloc(n); /* in both */
              fill(p, n);
              return p;
            }
            int main(void) {
              for (int i = 0; i < 5; i++) fill(malloc(50), 50);
              free(make(1000));
              if (fork() == 0) {
                fill(malloc(300), 300); /* in the child */
                free(make(2000));
                return 0;
              }
              wait(0);
              return 0;
            }"""
        self.build(text, "-O1")
        self.record("./x", options=["--follow", "children"])
        child = next(self.folder.glob("x.*.cscape")).name
        for profile, expected in (("out.cscape", {"in both": 1000}), (child, {"in both": 2000, "in the child": 300})):
            rows = self.places("object", profile, "--top", "0")["places"]["rows"]
            writes = {row["line"]: row["writes"] for row in rows if row.get("kind") == "heap" and (row.get("file") or "").endswith("x.c")}
            for mark, least in expected.items():
                self.assertGreaterEqual(writes.get(self.line(text, mark), 0), least, (profile, mark, writes))
                self.assertLess(writes[self.line(text, mark)], least + 600)

    def test_a_library_that_is_gone(self):
        self.write("library.c", "static int box[100] = {1};\n__attribute__((noinline)) void fill_it(void) {"
                                " for (int i = 0; i < 100; i++) ((volatile int *)box)[i] = i; }\n")
        self.run_it(["gcc", "-g", "-O1", "-shared", "-fPIC", "library.c", "-o", "one.so"])
        self.write("other.c", "static int room[100] = {1};\n__attribute__((noinline)) void empty_it(void) {"
                              " for (int i = 0; i < 100; i++) ((volatile int *)room)[i] = 0; }\n")
        self.run_it(["gcc", "-g", "-O1", "-shared", "-fPIC", "other.c", "-o", "two.so"])
        self.build(r"""
            #include <dlfcn.h>
            int main(void) {
              for (int i = 0; i < 3; i++) {
                void *one = dlopen("./one.so", RTLD_NOW);
                ((void (*)(void))dlsym(one, "fill_it"))();
                dlclose(one);
                void *two = dlopen("./two.so", RTLD_NOW);
                ((void (*)(void))dlsym(two, "empty_it"))();
                dlclose(two);
              }
              return 0;
            }""")
        self.record("./x")
        functions = self.rows("function")
        self.assertEqual((functions["fill_it"]["writes"], functions["empty_it"]["writes"]), (300, 300))
        objects = {name.split(" ")[0]: row for name, row in self.rows("object").items()}
        self.assertEqual(objects["box"]["writes"], 300)
        self.assertEqual(objects["room"]["writes"], 300)

    LIBRARY = """static int box[100] = {1};
__attribute__((noinline)) void fill_it(void) { for (int i = 0; i < 100; i++) ((volatile int *)box)[i] = i; }
"""
    LOADER = r"""
        #include <dlfcn.h>
        #include <stdlib.h>
        int main(void) {
          void *one = dlopen("./one.so", RTLD_NOW);
          ((void (*)(void))dlsym(one, "fill_it"))();
          dlclose(one);
          return system("%s");
        }"""

    def build_library(self, *options):
        self.write("one.c", self.LIBRARY)
        self.run_it(["gcc", "-g", "-O1", "-shared", "-fPIC", "-Wl,--build-id", *options, "one.c", "-o", "one.so"])

    def test_debug_files_are_found_by_build_id(self):
        self.build_library()
        notes = self.run_it(["readelf", "-n", "one.so"]).stdout
        number = notes.split("Build ID: ")[1].split()[0]
        debug = self.folder / "debug/.build-id" / number[:2]
        debug.mkdir(parents=True)
        self.run_it(["objcopy", "--only-keep-debug", "one.so", debug / f"{number[2:]}.debug"])
        self.run_it(["strip", "one.so"])
        self.build(self.LOADER % "true")
        self.record("./x", options=["--debug-folder", "debug"])
        lines = {name.rsplit("/", 1)[-1]: row for name, row in self.rows("line").items()}
        self.assertEqual(lines["one.c:2"]["writes"], 100)
        objects = {name.split(" ")[0]: row for name, row in self.rows("object").items()}
        self.assertEqual(objects["box"]["writes"], 100)
        # Without them, what the dynamic linker needs is left of its symbols.
        self.record("./x")
        self.assertEqual(self.rows("function")["fill_it"]["writes"], 100)
        self.assertNotIn("one.c:2", {name.rsplit("/", 1)[-1] for name in self.rows("line")})

    def test_a_file_that_is_built_again_meanwhile_gives_no_wrong_names(self):
        self.build_library()
        self.build(self.LOADER % "cp other.so one.so.new && mv one.so.new one.so")
        self.write("other.c", "int pad(int x) { return x * 3 + 1; }\nint pad2(int x) { return x / 7; }\n" * 1 + self.LIBRARY)
        self.run_it(["gcc", "-g", "-O2", "-shared", "-fPIC", "-Wl,--build-id", "other.c", "-o", "other.so"])
        done = self.record("./x")
        self.assertIn("one.so: was built again since the program ran", done.stderr)
        functions = self.rows("function")
        self.assertNotIn("fill_it", functions)
        self.assertGreaterEqual(functions["(one.so)"]["writes"], 100)

    def test_a_program_without_symbols(self):
        # Functions are named by where they begin, data by their section.
        at = self.symbols(self.build(HEAP, "-O1", "-fno-optimize-sibling-calls"))
        self.run_it(["strip", "x"])
        self.record("./x")
        written = 1000 + 500 + 256 + 200 + 6400 + 300 + 160 + 100 + 50 + 7
        for by in ("function", "line", "container"):
            self.assertEqual(self.rows(by)[f"x+{at['write_ints']:#x}"]["writes"], written, by)
        objects = self.rows("object")
        self.assertGreaterEqual(objects[f"x+{at['make']:#x}"]["writes"], 1000)
        self.assertEqual(objects[f"x+{at['make']:#x}"]["kind"], "heap")
        # There is little in it but these two arrays.
        self.assertIn(objects[".bss of x"]["writes"], range(110, 115))
        self.assertEqual(objects[".bss of x"]["kind"], "global")


if __name__ == "__main__":
    main()
