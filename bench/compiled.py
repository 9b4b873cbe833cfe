#!/usr/bin/env python3
"""What the compile-time observer costs: programs built by plain clang and by cachescape, in turns, in one run.

    bench/compiled.py [--build build/release] [--rounds 3] [--cachegrind] [PROGRAM …]

Prints the time of each way to run a program as a multiple of the plain one's, the best of the rounds. The clock,
counting, counting by call stack and discarding are CPU time of the program; the others are elapsed time, since the collector works on another processor.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

from timing import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = {
    "stencil": ("c", ["1500", "200"]),
    "conjugate_gradient": ("c", ["400000", "50"]),
    "sort_and_hash": ("c", ["4000000"]),
    "particles": ("cpp", ["400000", "80"]),
    "matrix_product": ("c", ["1152", "48"]),
    "graph_search": ("cpp", ["800000"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cachegrind", action="store_true", help="run cachegrind too")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    tool = str((ROOT / options.build / "cachescape").resolve())

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        record = [tool, "record", "-o", "x.cscape"]
        one_line = ["--lines", "64", "--set-lines", "none", "--write-backs", "none", "--"]
        print(f"{'':20} {'ns/access':>9} | {'clock':>8} {'counters':>8} {'stacks':>8} {'discard':>8} {'one line':>8} {'default':>8} {'10 %':>8}"
              f" {'blocks':>8} {'cachegrind':>10} | {'one line':>8} {'default':>8}")
        print(f"{'':20} {'plain':>9} | {'times the plain program':^82} | {'ns/access':>17}")
        for name, (language, arguments) in PROGRAMS.items():
            if options.programs and name not in options.programs:
                continue
            source = str(ROOT / "tests/programs" / f"{name}.{language}")
            verb, plain = ("cc", "clang-19") if language == "c" else ("c++", "clang++-19")
            subprocess.run([plain, "-O2", "-g", source, "-o", "plain"], check=True)
            subprocess.run([tool, verb, "-O2", "-g", source, "-o", "observed"], check=True)
            subprocess.run([tool, verb, "-O2", "-g", "--cachescape-accesses=off", source, "-o", "counted"], check=True)
            subprocess.run([tool, verb, "-O2", "-g", "--cachescape-accesses=off", "--cachescape-counters=stack", source, "-o", "stacked"], check=True)
            subprocess.run([tool, verb, "-O2", "-g", "--cachescape-accesses=clock", "--cachescape-counters=off", source, "-o", "timed"], check=True)
            ways = {
                "plain": lambda: run(["./plain", *arguments])[1],
                "clock": lambda: run(["./timed", *arguments])[1],
                "counters": lambda: run(["./counted", *arguments], CACHESCAPE="off")[1],
                # With a collector of its own, because without one there are no call stacks.
                "stacks": lambda: run(["./stacked", *arguments])[1],
                "discard": lambda: run(["./observed", *arguments], CACHESCAPE="off")[1],
                "one line": lambda: run([*record, *one_line, "./observed", *arguments])[0],
                "default": lambda: run([*record, "--", "./observed", *arguments])[0],
                "10 %": lambda: run([*record, "--interval", "100000,900000", "--", "./observed", *arguments])[0],
                "blocks": lambda: run([*record, "--block-cap", "20000", "--", "./observed", *arguments])[0],
            }
            if options.cachegrind:
                ways["cachegrind"] = lambda: run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null",
                                                  "./plain", *arguments])[0]
            best = {}
            for _ in range(options.rounds):
                for way, measure in ways.items():
                    best[way] = min(best.get(way, float("inf")), measure())
            counted = json.loads(subprocess.run([tool, "info", "x.cscape", "--json"], check=True, capture_output=True).stdout)
            accesses = counted["accesses"] if isinstance(counted["accesses"], int) else sum(counted["accesses"].values())
            times = " ".join(f"{best[w] / best['plain']:8.2f}" if w in best else f"{'–':>8}"
                             for w in ["clock", "counters", "stacks", "discard", "one line", "default", "10 %", "blocks"])
            grind = f"{best['cachegrind'] / best['plain']:10.1f}" if "cachegrind" in best else f"{'–':>10}"
            per_access = " ".join(f"{best[w] / accesses * 1e9:8.1f}" for w in ["one line", "default"])
            print(f"{name:20} {best['plain'] / accesses * 1e9:9.2f} | {times} {grind} | {per_access}", flush=True)


if __name__ == "__main__":
    main()
