"""What the tests of the compile-time observer share: a scratch folder, the wrappers, and readers of results.

Run as THEME.py BUILD SOURCE [unittest arguments]; BUILD holds cachescape and its wrappers, SOURCE is the tree.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
PROGRAM = str(BUILD / "cachescape")
CC = str(BUILD / "cachescape-cc")
CXX = str(BUILD / "cachescape-c++")
FORTRAN = str(BUILD / "cachescape-fortran")

# Fewer analyses make a run shorter; most tests look at accesses only.
FAST = ["--lines", "64", "--set-lines", "64", "--ways", "2", "--write-backs", "none"]


class Scratch(unittest.TestCase):
    """A test with a fresh folder."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cachescape-test-"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("CACHESCAPE")}
        # Programs that are linked statically look for their collector there.
        self.environment["PATH"] = f"{BUILD}:{self.environment['PATH']}"
        self.environment["CACHESCAPE_OPTIONS"] = " ".join(FAST)

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_it(self, command, expect=0, shell=False, timeout=120, **more):
        """Runs a command in the folder; `expect` is its exit status, None for any."""
        environment = dict(self.environment, **more.pop("env", {}))
        done = subprocess.run(command if shell else [str(c) for c in command], cwd=self.folder, env=environment,
                              capture_output=True, text=True, errors="replace", shell=shell, timeout=timeout, **more)
        if expect is not None:
            self.assertEqual(done.returncode, expect, f"{command}\n--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}")
        return done

    def compile(self, text, *options, name="x", language="c", compiler=None, **more):
        """Compiles a source text with the wrapper into the program `name`."""
        source = self.write(f"{name}.{language}", text)
        compiler = compiler or {"c": CC, "cpp": CXX, "f90": FORTRAN}[language]
        options = list(options) or ["-O2"]
        self.run_it([compiler, "-g", source.name, "-o", name, *options], **more)
        return self.folder / name

    def record(self, *command, options=(), expect=0, fast=True, **more):
        """Runs under `record` into out.cscape."""
        return self.run_it([PROGRAM, "record", "-o", "out.cscape", *(FAST if fast else []), *options, "--", *command],
                           expect=expect, **more)

    def json(self, *arguments):
        return json.loads(self.run_it([PROGRAM, *arguments]).stdout)

    def info(self, profile="out.cscape"):
        return self.json("info", "--json", profile)

    def traced(self, *command, options=(), **more):
        """Records with a trace; the program's output, and its accesses as (thread, R|W|M, address, size)."""
        output = self.record(*command, options=["--trace", "out.cstrace", *options], **more).stdout
        return output, self.accesses("out.cstrace")

    def accesses(self, trace):
        lines = self.run_it([PROGRAM, "trace", "cat", trace, "--to", "csv"]).stdout.splitlines()
        self.assertEqual(lines[0], "time,thread,kind,address,size,pc")
        rows = (line.split(",") for line in lines[1:])
        return [(int(r[1]), r[2], int(r[3], 16), int(r[4])) for r in rows]

    def ranges(self, output):
        """What a program said of its variables: lines "name address bytes" → {name: (address, bytes)}."""
        words = (line.split() for line in output.splitlines())
        return {w[0]: (int(w[1], 16), int(w[2])) for w in words if len(w) == 3 and w[1].startswith("0x")}

    def places(self, by, profile="out.cscape", *more):
        return self.json("report", profile, "--machine", "L1:32K,8,64", "--by", by, "--json", *more)

    def counters(self, profile="out.cscape"):
        """Metric → sum over the program, straight from the file."""
        import sqlite3
        with sqlite3.connect(f"file:{self.folder / profile}?mode=ro", uri=True) as file:
            return dict(file.execute("select metric, sum(value) from counter group by metric"))


def wait_for(condition, what, seconds=30):
    """Waits until the condition holds and returns what it returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {seconds} s")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
