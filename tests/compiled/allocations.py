"""What allocates makes objects, called and told apart as in the source: by the library, the system and flang."""
import shutil

from support import Scratch, main

ALLOCATED = """#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
int main(void) {
  void *aligned;
  if (posix_memalign(&aligned, 64, 800) != 0) return 1;
  volatile double *values = aligned;
  volatile char *pages = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) return 1;
  for (int i = 0; i < 100; i++) values[i] = i;
  for (int i = 0; i < 50; i++) pages[i] = i;
  munmap((void *)pages, 8192);
  pages = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 25; i++) pages[i] = i;
  free(aligned);
  return 0;
}
"""

ALLOCATABLE = """module particles
  implicit none
  type particle
    real(8) :: x, mass
  end type
  type(particle), allocatable :: cloud(:)
contains
  subroutine move(n)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      cloud(i)%x = cloud(i)%x + cloud(i)%mass
    end do
  end subroutine
end module
program simulation
  use particles
  implicit none
  type(particle), pointer :: one(:)
  real(8), allocatable :: copy(:), field(:, :)
  integer :: status
  allocate(cloud(1000))
  cloud%x = 1
  cloud%mass = 2
  call move(1000)
  allocate(one(10))
  one%mass = 3
  allocate(field(20, 30), stat=status)
  field = status
  copy = cloud%x
  print *, sum(copy), copy(7), one(3)%mass, field(20, 30)
  deallocate(cloud)
  deallocate(one)
end program
"""


class Allocations(Scratch):
    def heap(self):
        rows = self.places("object", "out.cscape", "--top", "0")["places"]["rows"]
        self.assertEqual([row["name"] for row in rows if row["name"] == "(unknown)" and row["accesses"] > 50], [])
        return {row["size"]: row for row in rows if row.get("kind") == "heap"}

    def test_other_ways_to_allocate(self):
        for level in "-O0", "-O2":
            with self.subTest(level=level):
                self.record(self.compile(ALLOCATED, level))
                found = self.heap()
                self.assertEqual({size: (row["writes"], row["line"]) for size, row in found.items()},
                                 {800: (100, 6), 8192: (50, 8), 4096: (25, 13)})

    def test_parts_of_mappings_are_unmapped(self):
        """What is left, as of a mapping that is cut to where a boundary lies, is the object's."""
        text = r"""
            #include <sys/mman.h>
            int main(void) {
              volatile char *all = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              munmap((void *)all, 4096);
              munmap((void *)(all + 16384), 4000);
              munmap((void *)(all + 61440), 4096);
              for (int i = 0; i < 50; i++) all[4096 + i] = all[16383 - i] = all[20480 + i] = all[61439 - i] = 1;
              return 0;
            }"""
        for level in "-O0", "-O2":
            with self.subTest(level=level):
                self.record(self.compile(text, level))
                self.assertEqual({size: (row["allocations"], row["writes"]) for size, row in self.heap().items()},
                                 {65536: (1, 200)})

    def test_whatever_the_options(self):
        text = r"""
            #include <stdlib.h>
            #include <new>
            int main() {
              volatile char *plain = (char *)malloc(100), *many = (char *)calloc(10, 20), *grown = (char *)realloc((void *)malloc(5), 300);
              volatile char *single = (char *)::operator new(400);
              volatile int *array = new int[125];
              grown = (char *)reallocarray((void *)grown, 6, 100);
              for (int i = 0; i < 50; i++) plain[i] = many[i] = grown[i] = single[i] = array[i] = i;
              free((void *)plain);
              free((void *)many);
              free((void *)grown);
              ::operator delete((void *)single);
              delete[] array;
              return 0;
            }"""
        for options in ["-O0"], ["-O2"], ["-O2", "-fno-builtin"], ["-O1", "-fno-exceptions"]:
            with self.subTest(options=options):
                self.record(self.compile(text, *options, language="cpp"))
                self.assertEqual({size: row["writes"] for size, row in self.heap().items()},
                                 {100: 50, 200: 50, 400: 50, 500: 50, 600: 50})

    def test_what_is_placed_in_memory_is_no_object_of_its_own(self):
        """Nor is what a file's own functions give that are called as those of the library are."""
        text = r"""
            #include <stdlib.h>
            #include <new>
            struct arena { char *next; };
            void *operator new(size_t bytes, arena &from) { char *at = from.next; from.next += bytes; return at; }
            struct node { node *next; volatile long value; };
            int main() {
              char *chunk = (char *)malloc(160000);
              arena nodes{chunk};
              node *all = nullptr;
              for (int i = 0; i < 1000; i++) {
                node *n = new (nodes) node;
                n->next = all;
                n->value = i;
                all = n;
              }
              volatile char *again = (char *)::operator new(10, (void *)(chunk + 100000));
              for (int i = 0; i < 10; i++) again[i] = 1;
              long sum = 0;
              for (node *n = all; n != nullptr; n = n->next) sum += n->value;
              free(chunk);
              return sum != 999 * 500;
            }"""
        for level in "-O0", "-O2":
            with self.subTest(level=level):
                self.record(self.compile(text, level, language="cpp"))
                self.assertEqual({size: (row["allocations"], row["writes"]) for size, row in self.heap().items()},
                                 {160000: (1, 2010)})
        self.record(self.compile("""
            static char pool[1000];
            static void *malloc(unsigned long bytes) { return pool + bytes; }
            int main(void) { for (volatile char *p = malloc(100), *end = p + 50; p < end; p++) *p = 1; return 0; }""",
                                 "-O0", "-fno-builtin"))
        self.assertEqual(self.heap(), {})

    def test_objects_are_called_what_they_are_stored_into(self):
        text = """#include <stdlib.h>
struct mesh { int n; volatile double *cells; volatile float *edges; };
volatile double *values;
volatile char *table[10];
__attribute__((noinline)) static struct mesh *make(int n) {
  struct mesh *m = malloc(sizeof *m);
  m->n = n;
  m->cells = malloc(n * 8); m->edges = calloc(n, 4);
  return m;
}
int main(void) {
  struct mesh *m = make(1000);
  values = malloc(1600);
  for (int i = 0; i < 10; i++) table[i] = malloc(100);
  for (int i = 0; i < 200; i++) m->cells[i] = m->edges[i] = values[i] = table[i % 10][i % 100] = i;
  return 0;
}
"""
        for level in "-O0", "-O2", "-O3":
            with self.subTest(level=level):
                self.record(self.compile(text, level))
                found = {row["name"].removesuffix("[]"): (row["writes"], row["allocations"]) for row in self.heap().values() if row["line"] != 6}
                # Unrolled, the loop allocates in ten places, on one line.
                wanted = {"mesh.cells": (200, 1), "mesh.edges": (200, 1), "values": (200, 1), "table": (200, 10)}
                if level == "-O0":  # where nothing tells the structure
                    wanted["*m"] = wanted.pop("mesh.cells")
                    del wanted["mesh.edges"]
                    self.assertEqual(found.pop("*m"), wanted.pop("*m"))
                self.assertEqual(found, wanted)

    def test_fortran(self):
        if shutil.which("flang-new-19") is None:
            self.skipTest("flang-new-19 is not installed")
        for level in "-O0", "-O2":
            with self.subTest(level=level):
                done = self.record(self.compile(ALLOCATABLE, level, language="f90"))
                self.assertEqual(done.stdout.split(), ["3000.", "3.", "3.", "0."])
                found = self.heap()
                self.assertEqual({size: row["line"] for size, row in found.items() if size in (16000, 160, 4800, 8000)},
                                 {16000: 22, 160: 26, 4800: 28, 8000: 30})
                # Without optimisation it is flang's library that assigns whole arrays.
                self.assertEqual(found[16000]["accesses"], 3000 if level == "-O0" else 5000)
                self.assertEqual(found[4800]["writes"], 0 if level == "-O0" else 600)


if __name__ == "__main__":
    main()
