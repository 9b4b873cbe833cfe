"""Regions and switches of <cachescape/mark.h> and mark.f90."""
import shutil

from support import CXX, FORTRAN, SOURCE, Scratch, main

PROGRAM_TEXT = r"""
#include <cachescape/mark.h>
#include <stdio.h>
volatile int cells[100];
static void write_cells(int times) {
  for (int k = 0; k < times; k++)
    for (int i = 0; i < 100; i++) cells[i] = i;
}
CACHESCAPE_IGNORE static void ignored(void) { write_cells(1); }
int main(void) {
  write_cells(1);
  cachescape_begin_region("outer");
  write_cells(2);
  cachescape_begin_region("inner");
  write_cells(4);
  cachescape_end_region("inner");
  cachescape_end_region("outer");
  cachescape_off();
  write_cells(8);
  cachescape_on();
  for (int i = 0; i < 200000; i++) {
    cachescape_begin_region(i % 2 ? "odd" : "even");
    if (i % 50000 == 1) write_cells(16);
    cachescape_end_region(i % 2 ? "odd" : "even");
  }
  ignored();
  puts("done");
  return 0;
}
"""


class Calipers(Scratch):
    def writes(self, program, *options):
        self.assertEqual(self.record(program, options=options).stdout, "done\n")
        info = self.info()
        self.assertEqual(info["losses"]["skipped_records"], 0)
        return info["writes"]

    def test_regions_and_switches(self):
        program = self.compile(PROGRAM_TEXT, "-O1")
        self.assertEqual(self.writes(program), 100 * (1 + 2 + 4 + 4 * 16) + 100)
        self.assertEqual(self.writes(program, "--region", "outer"), 100 * (2 + 4))
        self.assertEqual(self.writes(program, "--region", "inner"), 100 * 4)
        self.assertEqual(self.writes(program, "--region", "odd"), 100 * 4 * 16)
        self.assertEqual(self.writes(program, "--region", "even"), 0)
        self.assertEqual(self.writes(program, "--region", "no such region"), 0)
        self.assertIn("nothing was accessed in a region “no such region”",
                      self.record(program, options=["--region", "no such region"]).stderr)
        for more in [], ["--skip", "1000000"], ["--counters-only"]:
            self.assertNotIn("nothing was accessed", self.record(program, options=["--region", "odd", *more]).stderr)
        # Entered 200,000 times, and counters still find room in the session.
        self.assertEqual(self.counters()["store.i32"], 100 * (1 + 2 + 4 + 8 + 4 * 16) + 100)

    def test_nothing_happens_in_a_plain_program(self):
        source = self.write("plain.c", PROGRAM_TEXT)
        self.run_it(["clang-19", "-O1", f"-I{SOURCE}/include", source, "-o", "plain"])
        self.assertEqual(self.run_it(["./plain"]).stdout, "done\n")
        for language in ["gcc", "-x", "c"], ["g++", "-x", "c++"], ["clang-19", "-x", "c"]:
            self.run_it([*language, "-O1", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE}/include", source, "-o", "plain"])
            self.assertEqual(self.run_it(["./plain"]).stdout, "done\n")
        self.assertEqual(list(self.folder.glob("*.cscape")), [])

    def test_the_header_is_c_plus_plus_too(self):
        source = self.write("x.cpp", PROGRAM_TEXT)
        self.run_it([CXX, "-O1", source, "-o", "x"])
        self.assertEqual(self.writes("./x", "--region", "inner"), 100 * 4)

    def test_fortran(self):
        if shutil.which("flang-new-19") is None:
            self.skipTest("flang-new-19 is not installed")
        self.write("x.f90", """
program marked
  use cachescape_mark
  implicit none
  integer, save :: cells(100) = 0
  integer :: i
  do i = 1, 100
    cells(i) = cells(i) + i
  end do
  call cachescape_begin_region("inner")
  do i = 1, 50
    cells(i) = cells(i) + i
  end do
  call cachescape_end_region("inner")
  call cachescape_begin_region("outer")
  do i = 1, 20
    cells(i) = cells(i) + i
  end do
  call cachescape_end_region("outer")
  print *, sum(cells)
end program
""")
        mark = SOURCE / "include/cachescape/mark.f90"
        for compiler in "gfortran", "flang-new-19":
            if shutil.which(compiler) is not None:
                self.run_it([compiler, "-O1", mark, "x.f90", "-o", "plain"])
                said = self.run_it(["./plain"]).stdout.split()
                for module in self.folder.glob("*.mod"):
                    module.unlink()
        self.run_it([FORTRAN, "-O1", "-g", mark, "x.f90", "-o", "x"])
        self.assertEqual(self.record("./x").stdout.split(), said)
        names = {row["name"] for row in self.places("function")["places"]["rows"]}
        self.assertEqual([name for name in names if "cachescape" in name], [])
        for region, least in ("inner", 50), ("outer", 20):
            self.record("./x", options=["--region", region])
            self.assertGreaterEqual(self.info()["writes"], least)
            self.assertLess(self.info()["writes"], least + 10)


if __name__ == "__main__":
    main()
