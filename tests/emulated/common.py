"""What the tests of the emulated observer share.

Run as THEME.py BUILD SOURCE [unittest arguments], as the tests of the compile-time observer, whose scratch folder and readers these
tests use.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compiled"))
from support import BUILD, FAST, PROGRAM, SOURCE, Scratch, main, wait_for  # noqa: E402

TOOL_FOLDER = BUILD / "lib/cachescape/valgrind"
PLAIN = {"LC_ALL": "C"}


class Emulated(Scratch):
    def build(self, text, *options, name="x", language="c", compiler=None):
        """Compiles a source text as anybody would."""
        source = self.write(f"{name}.{language}", text)
        compiler = compiler or {"c": "gcc", "cpp": "g++"}[language]
        self.run_it([compiler, "-g", source.name, "-o", name, *(options or ["-O1"])])
        return self.folder / name

    def counts(self, profile="out.cscape"):
        """(reads, writes, modifies) of a profile."""
        info = self.info(profile)
        return info["reads"], info["writes"], info["modifies"]


__all__ = ["BUILD", "FAST", "PLAIN", "PROGRAM", "SOURCE", "TOOL_FOLDER", "Emulated", "main", "wait_for"]
