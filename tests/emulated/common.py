"""What the tests of the emulated observer share.

Run as THEME.py BUILD SOURCE [unittest arguments], as the tests of the compile-time observer, whose scratch folder and readers these
tests use.
"""
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compiled"))
from support import BUILD, FAST, PROGRAM, SOURCE, Scratch, main, wait_for  # noqa: E402

TOOL_FOLDER = BUILD / "lib/cachescape/valgrind"
PLAIN = {"LC_ALL": "C"}

# Writes each of 1000 ints `times` times, in the function of this name.
TOUCH = r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int cells[1000];
__attribute__((noinline)) void touch(int times) {
  for (int k = 0; k < times; k++)
    for (int i = 0; i < 1000; i++) cells[i] = i;
}
"""


class Emulated(Scratch):
    def build(self, text, *options, name="x", language="c", compiler=None):
        """Compiles a source text as anybody would."""
        source = self.write(f"{name}.{language}", text)
        compiler = compiler or {"c": "gcc", "cpp": "g++"}[language]
        self.run_it([compiler, "-g", source.name, "-o", name, *(options or ["-O1"])])
        return self.folder / name

    def symbols(self, program):
        """Where its functions begin and its variables lie."""
        rows = (line.split() for line in self.run_it(["nm", program]).stdout.splitlines())
        return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}

    def counts(self, profile="out.cscape"):
        """(reads, writes, modifies) of a profile."""
        info = self.info(profile)
        return info["reads"], info["writes"], info["modifies"]

    def instructions(self, profile="out.cscape"):
        """Executed in each function."""
        with sqlite3.connect(f"file:{self.folder / profile}?mode=ro", uri=True) as file:
            return dict(file.execute("select function, sum(value) from counter join block on block = block.id"
                                     " where metric = 'instructions' group by function"))


__all__ = ["BUILD", "FAST", "PLAIN", "PROGRAM", "SOURCE", "TOOL_FOLDER", "TOUCH", "Emulated", "main", "wait_for"]
