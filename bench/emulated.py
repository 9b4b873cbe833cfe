#!/usr/bin/env python3
"""What the emulated observer costs: programs as they are, in turns, in one run.

    bench/emulated.py [--build build/release] [--rounds 2] [--no-full] [--no-qemu] [PROGRAM …]

Prints the time of each way to run a program as a multiple of the plain one's, the best of the rounds: elapsed time, since the collector works
on another processor; what only one process does (an emulator without tool or plugin, records that are written and thrown away, cachegrind) in
CPU time of that process, which is the same on a quiet machine. Nanoseconds per access are CPU time of program and collector together. All ways
run the same command, so that an emulator's start weighs the same on all. "Full" analyses seven line sizes, 8 to 512 bytes, as import does.
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
    return {
        "stencil": ["./stencil", "1000", "60"],
        "gzip": ["gzip", "-kc", "numbers"],
        "sqlite3": ["sqlite3", ":memory:", SQL.format(200_000)],
        "python3": [python(), "-c", PYTHON.format(600_000)],
        "pointer chase": ["./pointer_chase", str(1 << 20), str(1 << 23)],
        "AVX2 kernel": ["./avx2_kernel", str(1 << 16), "2000"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--no-full", action="store_true", help="do not analyse seven line sizes, which takes minutes")
    parser.add_argument("--no-qemu", action="store_true", help="leave QEMU out")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    tool = str(build / "cachescape")

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("numbers").write_text("".join(f"{i * i} {i % 97}\n" for i in range(200_000)))
        subprocess.run(["cc", "-O2", f"-I{ROOT}", ROOT / "bench/discarding_session.c", "-o", "discarding_session"], check=True)
        for program in COMPILED.values():
            subprocess.run(["gcc", "-O2", "-g", ROOT / f"tests/programs/{program}.c", "-o", program, "-lm"], check=True)
        valgrind = ["valgrind", "--command-line-only=yes", "--quiet", "--vgdb=no"]
        discard = ["./discarding_session", "9", *valgrind, "--tool=cachescape", "--demangle=no", "--session=9"]
        record = [tool, "record", "--engine", "valgrind", "-o", "x.cscape"]
        qemu = ["qemu-x86_64", "-cpu", "max,-erms"]
        discard_qemu = ["./discarding_session", "9", *qemu, "-plugin", f"{build}/lib/cachescape/cachescape_qemu.so,session=9"]
        one_line = ["--lines", "64", "--set-lines", "none", "--write-backs", "none", "--"]
        columns = ["nothing", "discard", "cachegrind", "one line", "default", "full", "QEMU", "discard, QEMU"]
        print(f"{'':14} {'plain, ns':>9} | " + " ".join(f"{c:>10}" for c in columns) + f" | {'one line':>8} {'default':>8}")
        print(f"{'':14} {'/access':>9} | {'times the plain program':^{11 * len(columns) - 1}} | {'CPU ns/access':^17}")
        for name, command in commands().items():
            if options.programs and name not in options.programs:
                continue
            in_qemu = [shutil.which(command[0]), *command[1:]]
            cpu = {}

            def both(way, arguments):
                elapsed, used = run([*record, *arguments, *command])
                cpu[way] = min(cpu.get(way, float("inf")), used)
                return elapsed

            ways = {
                "plain": lambda: run(command)[1],
                "nothing": lambda: run([*valgrind, "--tool=none", *command])[1],
                "discard": lambda: run([*discard, *command], VALGRIND_LIB=str(build / "lib/cachescape/valgrind"))[1],
                "cachegrind": lambda: run([*valgrind, "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", *command])[1],
                "one line": lambda: both("one line", one_line),
                "default": lambda: both("default", ["--"]),
                "full": lambda: both("full", ["--full", "--"]),
                "QEMU": lambda: run([*qemu, *in_qemu])[1],
                "discard, QEMU": lambda: run([*discard_qemu, "-0", command[0], *in_qemu])[1],
            }
            left_out = (["full"] if options.no_full else []) + (["QEMU", "discard, QEMU"] if options.no_qemu else [])
            best = {}
            for _ in range(options.rounds):
                for way, measure in ways.items():
                    if way not in left_out:
                        best[way] = min(best.get(way, float("inf")), measure())
            counted = subprocess.run([tool, "info", "x.cscape", "--json"], check=True, capture_output=True).stdout
            accesses = json.loads(counted)["accesses"]
            times = " ".join(f"{best[c] / best['plain']:10.1f}" if c in best else f"{'–':>10}" for c in columns)
            each = " ".join(f"{cpu[w] / accesses * 1e9:8.1f}" for w in ("one line", "default"))
            print(f"{name:14} {best['plain'] / accesses * 1e9:9.2f} | {times} | {each}", flush=True)


if __name__ == "__main__":
    main()
