#!/usr/bin/env python3
"""What the order between threads costs: programs that run twice at the same time, in two threads, recorded with each --order.

    bench/order.py [--build build/release] [--rounds 3] [PROGRAM …]

Prints for each way to record the CPU time of program and collector together, and the elapsed time, as multiples of --order blocks; the
best of the rounds, taken in turns. "10 %" analyses a tenth of the accesses (--interval), so that writing records weighs more.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

from timing import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = {
    "stencil": ("c", ["600", "10"]),
    "conjugate_gradient": ("c", ["100000", "3"]),
    "sort_and_hash": ("c", ["200000"]),
    "particles": ("cpp", ["50000", "5"]),
    "graph_search": ("cpp", ["50000"]),
}
ORDERS = ["blocks", "fine", "exact"]
WAYS = {"everything": [], "10 %": ["--interval", "100000,900000"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    tool = str((ROOT / options.build / "cachescape").resolve())

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(f"{'':20} {'':10} | {'CPU time: fine':>14} {'exact':>6} | {'elapsed: fine':>14} {'exact':>6} | {'CPU s of blocks':>15}")
        for name, (language, arguments) in PROGRAMS.items():
            if options.programs and name not in options.programs:
                continue
            verb = "cc" if language == "c" else "c++"
            source = str(ROOT / "tests/programs" / f"{name}.{language}")
            driver = str(ROOT / "bench/two_threads.c")
            # In C++ the name is a C function's too.
            subprocess.run([tool, verb, "-O2", "-g", "-Dmain=program", "-include", str(ROOT / "bench/two_threads.h"), "-c", source, "-o", "program.o"],
                           check=True)
            subprocess.run([tool, "cc", "-O2", "-g", "-pthread", "-c", driver, "-o", "driver.o"], check=True)
            subprocess.run([tool, verb, "driver.o", "program.o", "-pthread", "-lm", "-o", "x"], check=True)
            for way, flags in WAYS.items():
                best = {}
                for _ in range(options.rounds):
                    for order in ORDERS:
                        elapsed, cpu = run([tool, "record", "-o", "x.cscape", "--order", order, *flags, "--", "./x", *arguments])
                        before = best.get(order, (float("inf"), float("inf")))
                        best[order] = (min(before[0], elapsed), min(before[1], cpu))
                blocks = best["blocks"]
                print(f"{name:20} {way:10} | {best['fine'][1] / blocks[1]:14.2f} {best['exact'][1] / blocks[1]:6.2f} | "
                      f"{best['fine'][0] / blocks[0]:14.2f} {best['exact'][0] / blocks[0]:6.2f} | {blocks[1]:15.2f}", flush=True)


if __name__ == "__main__":
    main()
