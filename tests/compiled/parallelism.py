"""Loads in flight of programs whose answer is known: what their addresses wait for, at every level of optimisation."""
import sqlite3

from support import FORTRAN, PROGRAM, Scratch, main

ONLY = "--cachescape-accesses=off"
WINDOW = 200

# Loops are long, so that what is in front of them does not show.
PROGRAMS = r"""
#include <stdio.h>
#include <stdlib.h>
#define KERNEL __attribute__((noinline))
enum { N = 4096 };
struct node { struct node *next; struct node *other; long first, second; } nodes[N];
struct tree { struct tree *left, *right; long key; } trees[N];
long numbers[N], others[N], products[64][64], factors[64][64], more[64][64];
int indices[N];

KERNEL struct node *chase(struct node *p, int n) { for (int i = 0; i < n; i++) p = p->next; return p; }
KERNEL struct node *chase_by_two(struct node *p, int n) { for (int i = 0; i < n; i++) p = p->next->next; return p; }
KERNEL int chase_by_index(int at, int n) { for (int i = 0; i < n; i++) at = indices[at]; return at; }
KERNEL struct node *chase_other_than_last(struct node *p, struct node *q, int n) {
  for (int i = 0; i < n; i++) { struct node *r = p->next; p = q; q = r; }
  return p;
}
KERNEL struct node *crossed(struct node *p, struct node *q, int n) {
  for (int i = 0; i < n; i++) { struct node *r = p->next; p = q->other; q = r; }
  return p;
}
#define REPEATED(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define STEP(p) p = p->next
KERNEL struct node *two(struct node *a, struct node *b, int n) {
  for (int i = 0; i < n; i++) STEP(a), STEP(b);
  return a > b ? a : b;
}
KERNEL struct node *four(struct node *a, int n) {
  struct node *b = a + 1, *c = a + 2, *d = a + 3;
  for (int i = 0; i < n; i++) STEP(a), STEP(b), STEP(c), STEP(d);
  return a > b ? a : b > c ? c : d;
}
KERNEL long eight(struct node *a, int n) {
  struct node *b = a + 1, *c = a + 2, *d = a + 3, *e = a + 4, *f = a + 5, *g = a + 6, *h = a + 7;
  for (int i = 0; i < n; i++) STEP(a), STEP(b), STEP(c), STEP(d), STEP(e), STEP(f), STEP(g), STEP(h);
  return a->first + b->first + c->first + d->first + e->first + f->first + g->first + h->first;
}
KERNEL long payload(struct node *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) { sum += p->first * p->second; p = p->next; }
  return sum;
}
KERNEL long payload_of_others(struct node *p, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) { sum += p->other->first; p = p->next; }
  return sum;
}
KERNEL struct node *either(struct node *p, int n) {
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) { p = p->next; numbers[i % N]++; } else { p = p->other; others[i % N]++; }
  }
  return p;
}
KERNEL long search(const struct tree *t, long key) {
  while (t != NULL && t->key != key) t = key < t->key ? t->left : t->right;
  return t == NULL ? 0 : t->key;
}
KERNEL long search_by_branches(const struct tree *t, long key) {
  while (t != NULL && t->key != key) {
    if (key < t->key) { __asm__ volatile("# left"); t = t->left; } else { __asm__ volatile("# right"); t = t->right; }
  }
  return t == NULL ? 0 : t->key;
}
KERNEL long search_by_call(const struct tree *t, long key) {
  if (t == NULL || t->key == key) return key;
  return 1 + search_by_call(key < t->key ? t->left : t->right, key);
}
struct node *first;
KERNEL void chase_in_memory(int n) { for (int i = 0; i < n; i++) { first = first->next; __asm__ volatile("" ::: "memory"); } }
KERNEL long sum(int n) { long s = 0; for (int i = 0; i < n; i++) s += numbers[i]; return s; }
KERNEL long indirect(int n) { long s = 0; for (int i = 0; i < n; i++) s += numbers[indices[i]]; return s; }
KERNEL long twice_indirect(int n) { long s = 0; for (int i = 0; i < n; i++) s += numbers[indices[indices[i]]]; return s; }
KERNEL void count(int n) { for (int i = 0; i < n; i++) others[indices[i]]++; }
KERNEL int probe(long key) {
  int at = (int)(key * 2654435761u % N);
  while (numbers[at] != 0 && numbers[at] != key) at = (at + 1) % N;
  return at;
}
KERNEL double seldom(int n) {
  double x = 1;
  for (int i = 0; i < n; i++) {
    if (i % 512 == 0) { __asm__ volatile("# seldom"); x += (double)numbers[i]; }
    REPEATED(REPEATED(x = x * 1.5 + 0.25 / x;))
  }
  return x;
}
KERNEL void product(void) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      long s = 0;
      for (int k = 0; k < 64; k++) s += factors[i][k] * more[k][j];
      products[i][j] = s;
    }
}
static struct tree *build(int low, int high) {
  if (low >= high) return NULL;
  struct tree *t = &trees[(low + high) / 2];
  *t = (struct tree){build(low, (low + high) / 2), build((low + high) / 2 + 1, high), (low + high) / 2};
  return t;
}
int main(void) {
  for (int i = 0; i < N; i++) {
    nodes[i] = (struct node){&nodes[(i + 7) % N], &nodes[(i + 11) % N], i, 1};
    indices[i] = (i * 5 + 1) % N;
    numbers[i] = i % 1024 == 0 ? 0 : i + N;
  }
  long s = 0;
  for (int i = 0; i < 32; i++) s += probe(i);
  first = nodes;
  chase_in_memory(N);
  s += chase(nodes, N)->first + chase_by_two(nodes, N)->first + chase_by_index(0, N);
  s += chase_other_than_last(nodes, nodes + 1, N)->first + crossed(nodes, nodes + 1, N)->first;
  s += two(nodes, nodes + 1, N)->first + four(nodes, N)->first + eight(nodes, N);
  s += payload(nodes, N) + payload_of_others(nodes, N) + either(nodes, N)->first;
  struct tree *root = build(0, N);
  for (int i = 0; i < N; i++) s += search(root, i) + search_by_call(root, i) + search_by_branches(root, i);
  s += sum(N) + indirect(N) + twice_indirect(N);
  s += (long)seldom(N);
  count(N);
  product();
  printf("%ld %ld\n", s, products[3][4]);
  return 0;
}
"""

FORTRAN_KERNELS = r"""
module kernels
  implicit none
contains
  integer function chase(next, n) result(at)
    integer, intent(in) :: next(:), n
    integer :: i
    at = 1
    do i = 1, n
      at = next(at)
    end do
  end function
  integer function pair(next, n) result(at)
    integer, intent(in) :: next(:), n
    integer :: i, other
    at = 1
    other = 2
    do i = 1, n
      at = next(at)
      other = next(other)
    end do
    at = at + other
  end function
  real(8) function total(x) result(s)
    real(8), intent(in) :: x(:)
    integer :: i
    s = 0
    do i = 1, size(x)
      s = s + x(i)
    end do
  end function
  real(8) function gathered(x, at) result(s)
    real(8), intent(in) :: x(:)
    integer, intent(in) :: at(:)
    integer :: i
    s = 0
    do i = 1, size(at)
      s = s + x(at(i))
    end do
  end function
end module
"""

# A file of its own, so that nothing is inlined.
FORTRAN_MAIN = r"""
program p
  use kernels
  implicit none
  integer, parameter :: n = 4096
  integer :: next(n), i
  real(8) :: x(n)
  do i = 1, n
    next(i) = mod(i + 6, n) + 1
    x(i) = i
  end do
  print *, chase(next, n), pair(next, n), total(x), gathered(x, next)
end program
"""

# Loads in flight where iterations wait for each other. Which child a search goes to is computed from the key, so that the load of
# the child waits for that of the key.
CHAINED = {
    "chase": 1, "chase_by_two": 1, "chase_by_index": 1, "chase_other_than_last": 2, "crossed": 2, "two": 2, "four": 4, "eight": 8,
    "payload": 3, "payload_of_others": 3, "either": 2, "search": 1, "search_by_call": 1,
    # The pointer itself is loaded from where it was stored, for which nothing has to wait.
    "chase_in_memory": 2,
}
# Loads on the longest chain of an iteration, where they do not.
FREE = {"sum": 1, "indirect": 2, "twice_indirect": 3, "count": 2, "product": 1, "probe": 1}
# Loads in a row, of programs whose variables are all in memory: as many as there are steps.
N = 4096
PLAIN = {"chase": N, "chase_by_two": 2 * N, "chase_by_index": N, "two": N, "four": N, "eight": N, "crossed": N, "payload": N, "chase_in_memory": N,
         "chase_other_than_last": N / 2}


class Parallelism(Scratch):
    def by_function(self):
        """Function → metric → sum over its blocks."""
        found = {}
        with sqlite3.connect(f"file:{self.folder / 'out.cscape'}?mode=ro", uri=True) as file:
            for function, metric, value in file.execute(
                    "select function, metric, sum(value) from counter join block on block.id = block group by 1, 2"):
                found.setdefault(function, {})[metric] = value
        return found

    def check_chained(self, counters, expected):
        in_flight = 1000 * counters["loads"] / counters["loads.serial"]
        self.assertAlmostEqual(in_flight, expected, delta=0.02 * expected)

    def check_free(self, counters, longest):
        """Only the window bounds it: 200 instructions take as long as the longest chain in an iteration."""
        serial = counters["loads.serial"] / 1000
        expected = longest * counters["instructions"] / WINDOW
        self.assertAlmostEqual(serial, expected, delta=0.02 * expected)
        self.assertGreater(counters["loads"] / serial, 8)

    def test_c_at_every_level(self):
        for level in ["-O1", "-O2", "-O3", "-Os"]:
            with self.subTest(level=level):
                self.compile(PROGRAMS, level, ONLY)
                self.record("./x")
                found = self.by_function()
                for function, expected in CHAINED.items():
                    with self.subTest(function=function):
                        self.check_chained(found[function], expected)
                for function, longest in FREE.items():
                    with self.subTest(function=function):
                        self.check_free(found[function], longest)
                for function, counters in found.items():
                    with self.subTest(function=function):
                        self.assertGreaterEqual(1000 * counters.get("loads", 0), counters.get("loads.serial", 0))
                self.assertEqual(found["seldom"]["loads"], 8)
                # Branches are predicted: only a child's load waits, for the one before. Each search ends with a key.
                search = found["search_by_branches"]
                self.assertEqual(search["loads.serial"], 1000 * (search["loads"] - N) / 2)

    def test_variables_in_memory(self):
        self.compile(PROGRAMS, "-O0", ONLY)
        self.record("./x")
        found = self.by_function()
        for function, steps in PLAIN.items():
            with self.subTest(function=function):
                self.assertAlmostEqual(found[function]["loads.serial"] / 1000, steps, delta=0.01 * steps)
        # The rows' numbers are loaded before elements of their rows.
        for function, longest in {**FREE, "product": 2}.items():
            with self.subTest(function=function):
                self.check_free(found[function], longest)

    def test_fortran(self):
        self.write("kernels.f90", FORTRAN_KERNELS)
        self.write("main.f90", FORTRAN_MAIN)
        for level in ["-O1", "-O2", "-O3"]:
            with self.subTest(level=level):
                self.run_it([FORTRAN, "-g", level, ONLY, "kernels.f90", "main.f90", "-o", "x"])
                self.record("./x")
                found = {name.removeprefix("kernels::"): counters for name, counters in self.by_function().items()}
                self.check_chained(found["chase"], 1)
                self.check_chained(found["pair"], 2)
                self.check_free(found["total"], 1)
                self.check_free(found["gathered"], 2)

    def test_machine_view(self):
        """Vectors and unrolled loops wait as little, and chases as long."""
        self.compile(PROGRAMS, "-O3", ONLY, "--cachescape-view=machine")
        self.record("./x")
        found = self.by_function()
        for function in ["chase", "chase_by_two", "two", "eight", "search"]:
            with self.subTest(function=function):
                self.check_chained(found[function], CHAINED[function])
        for function in ["sum", "indirect", "product"]:
            with self.subTest(function=function):
                self.assertGreater(1000 * found[function]["loads"] / found[function]["loads.serial"], 8)

    def test_reports(self):
        """The program, its functions and its call stacks have the ratio; it is that of their counters."""
        self.compile(PROGRAMS, "-O2", "--cachescape-counters=stack")
        self.record("./x")
        report = self.places("function", "out.cscape", "--counters", "--top", "0")
        counters = report["counters"]
        self.assertAlmostEqual(report["ratios"]["loads_in_flight"], 1000 * counters["loads"] / counters["loads.serial"])
        eight = next(row for row in report["places"]["counters"] if row["name"] == "eight")
        self.check_chained(eight["counters"], 8)
        text = self.run_it([PROGRAM, "report", "out.cscape", "--machine", "L1:32K,8,64", "--counters", "--top", "0"]).stdout
        self.assertIn(f"{report['ratios']['loads_in_flight']:.4f}  loads in flight\n", text)
        self.assertNotIn("loads.serial", text)
        stacks = self.run_it([PROGRAM, "report", "out.cscape", "--by", "stack", "--top", "0"], env={"COLUMNS": "120"}).stdout
        lines = [line.split() for line in stacks.splitlines() if line.startswith("main > eight ")]
        self.assertEqual([line[-1] for line in lines], ["8.0"], stacks)

    def test_it_is_the_same_with_and_without_accesses(self):
        found = []
        for options in [[ONLY], []]:
            self.compile(PROGRAMS, "-O2", *options)
            self.record("./x")
            found.append({f: c.get("loads.serial") for f, c in self.by_function().items()})
        self.assertEqual(found[0], found[1])


if __name__ == "__main__":
    main()
