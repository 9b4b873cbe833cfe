#!/usr/bin/env python3
"""Loads in flight, as counted from the code, beside what loads cost on this machine when they miss.

    bench/parallelism.py [--build build/release] [--rounds 5] [--mib 256]

Kernels of bench/chases.c run plain, over memory that no cache holds; the best of the rounds counts. If a load takes as long as the one
chain's, and they overlap as counted, the last two columns are equal; where the machine's own limits are lower (outstanding misses, page
walks), the measured one stays behind.
"""
import argparse
import pathlib
import sqlite3
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mib", type=int, default=256)
    options = parser.parse_args()
    tool = str((ROOT / options.build / "cachescape").resolve())
    source = str(ROOT / "bench/chases.c")
    with tempfile.TemporaryDirectory() as folder:
        def command(*words):
            return subprocess.run([str(w) for w in words], cwd=folder, check=True, capture_output=True, text=True).stdout

        command("clang-19", "-O2", source, "-o", "plain")
        command(tool, "cc", "-O2", "-g", "--cachescape-accesses=off", source, "-o", "counted")
        command(tool, "record", "-o", "x.cscape", "--", "./counted", 1)
        with sqlite3.connect(pathlib.Path(folder) / "x.cscape") as profile:
            sums = "select sum(value) from counter join block on block.id = block where function = ? and metric = ?"
            def counter(function, metric):
                return profile.execute(sums, (function, metric)).fetchone()[0]

            best = {}
            for _ in range(options.rounds):
                for line in command("./plain", options.mib).splitlines():
                    name, nanoseconds = line.split()
                    best[name] = min(best.get(name, float("inf")), float(nanoseconds))
            print(f"{'kernel':14} {'ns per miss':>12} {'times faster than one chain':>28} {'counted in flight':>18}")
            for name, nanoseconds in best.items():
                in_flight = 1000 * counter(name, "loads") / counter(name, "loads.serial")
                print(f"{name:14} {nanoseconds:12.1f} {best['chase_1'] / nanoseconds:28.1f} {in_flight:18.1f}")


if __name__ == "__main__":
    main()
