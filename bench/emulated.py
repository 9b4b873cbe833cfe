#!/usr/bin/env python3
"""What the emulated observer costs: programs as they are, in turns, in one run.

    bench/emulated.py [--build build/release] [--rounds 2] [PROGRAM …]

Prints the time of each way to run a program as a multiple of the plain one's, the best of the rounds. Discarding (records are written
and thrown away), an emulator without tool or plugin, and cachegrind are CPU time of the program; the others are elapsed time, since the
collector works on another processor. Nanoseconds per access are CPU time of both together.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from timing import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
SQL = "with recursive n(i) as (select 1 union all select i+1 from n where i<{}) select count(*), sum(i*i % 7) from n;"
PYTHON = "print(sum(i * i for i in range({})))"
COMPILED = {"stencil": "stencil", "pointer chase": "pointer_chase", "AVX2 kernel": "avx2_kernel"}


def python():
    """The interpreter itself, not a script in front of it."""
    return os.path.realpath(sys.executable)


def commands():
    """Each program at two sizes: one at which Valgrind's start does not matter, and one that can be analysed in a short time."""
    return {
        "stencil": (["./stencil", "1500", "60"], ["./stencil", "500", "30"]),
        "gzip": (["gzip", "-kc", "long"], ["gzip", "-kc", "short"]),
        "sqlite3": (["sqlite3", ":memory:", SQL.format(1_000_000)], ["sqlite3", ":memory:", SQL.format(100_000)]),
        "python3": ([python(), "-c", PYTHON.format(2_000_000)], [python(), "-c", PYTHON.format(200_000)]),
        "pointer chase": (["./pointer_chase", str(1 << 20), str(1 << 24)], ["./pointer_chase", str(1 << 20), str(1 << 22)]),
        "AVX2 kernel": (["./avx2_kernel", str(1 << 16), "3000"], ["./avx2_kernel", str(1 << 16), "300"]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    tool = str(build / "cachescape")

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, lines in (("long", 1_000_000), ("short", 50_000)):
            pathlib.Path(name).write_text("".join(f"{i * i} {i % 97}\n" for i in range(lines)))
        subprocess.run(["cc", "-O2", f"-I{ROOT}", ROOT / "bench/discarding_session.c", "-o", "discarding_session"], check=True)
        for program in COMPILED.values():
            subprocess.run(["gcc", "-O2", "-g", ROOT / f"tests/programs/{program}.c", "-o", program, "-lm"], check=True)
        valgrind = ["valgrind", "--command-line-only=yes", "--quiet", "--vgdb=no"]
        discard = ["./discarding_session", "9", *valgrind, "--tool=cachescape", "--demangle=no", "--session=9"]
        record = [tool, "record", "--engine", "valgrind", "-o", "x.cscape"]
        qemu = ["qemu-x86_64", "-cpu", "max,-erms"]
        discard_qemu = ["./discarding_session", "9", *qemu, "-plugin", f"{build}/lib/cachescape/cachescape_qemu.so,session=9"]
        one_line = ["--lines", "64", "--set-lines", "none", "--write-backs", "none", "--"]
        print(f"{'':14} | {'nothing':>8} {'discard':>8} {'cachegrind':>10} | {'nothing':>8} {'discard':>8} | {'one line':>8} {'default':>8} | {'one line':>8} {'default':>8}")
        print(f"{'':14} | {'Valgrind, times the plain':^28} | {'QEMU':^17} | {'at the small size':^17} | {'CPU ns/access':^17}")
        for name, (large, small) in commands().items():
            if options.programs and name not in options.programs:
                continue
            in_qemu = [shutil.which(large[0]), *large[1:]]
            ways = {
                "plain": lambda: run(large)[1],
                "nothing": lambda: run([*valgrind, "--tool=none", *large])[1],
                "discard": lambda: run([*discard, *large], VALGRIND_LIB=str(build / "lib/cachescape/valgrind"))[1],
                "cachegrind": lambda: run([*valgrind, "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", *large])[1],
                "nothing, QEMU": lambda: run([*qemu, *in_qemu])[1],
                "discard, QEMU": lambda: run([*discard_qemu, "-0", large[0], *in_qemu])[1],
                "plain, small": lambda: run(small)[1],
                "one line": lambda: both("one line", run([*record, *one_line, *small])),
                "default": lambda: both("default", run([*record, "--", *small])),
            }
            best = {}
            cpu = {}

            def both(way, times):
                cpu[way] = min(cpu.get(way, float("inf")), times[1])
                return times[0]

            for _ in range(options.rounds):
                for way, measure in ways.items():
                    best[way] = min(best.get(way, float("inf")), measure())
            accesses = json.loads(subprocess.run([tool, "info", "x.cscape", "--json"], check=True, capture_output=True).stdout)["accesses"]
            times = {w: best[w] / best["plain"] for w in ("nothing", "discard", "cachegrind", "nothing, QEMU", "discard, QEMU")}
            times |= {w: best[w] / best["plain, small"] for w in ("one line", "default")}
            each = {w: cpu[w] / accesses * 1e9 for w in ("one line", "default")}
            print(f"{name:14} | {times['nothing']:8.1f} {times['discard']:8.1f} {times['cachegrind']:10.1f} |"
                  f" {times['nothing, QEMU']:8.1f} {times['discard, QEMU']:8.1f} |"
                  f" {times['one line']:8.0f} {times['default']:8.0f} | {each['one line']:8.1f} {each['default']:8.1f}", flush=True)


if __name__ == "__main__":
    main()
