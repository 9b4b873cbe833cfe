"""Accesses are told by the right line, function, variable and data structure."""
from support import Scratch, main

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


if __name__ == "__main__":
    main()
