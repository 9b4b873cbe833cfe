#!/usr/bin/env python3
"""Compares the simulator with cachegrind, number for number: cachegrind.py CACHESCAPE ROOT

Each program runs twice under the same empty environment: under lackey, whose trace we simulate by cachegrind's definitions, and
under cachegrind itself. First-level data misses must be equal. The last level of cachegrind also holds instructions; in
one large enough that nothing is evicted, data misses must be equal too. By our own definitions (every touched line counts) the
first-level misses may exceed cachegrind's only by accesses that straddle two lines.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FIRST_LEVELS = ["32768,8,64", "8192,2,32", "4096,1,64"]
LAST_LEVEL = "8388608,16,64"


def run(command, cwd, **more):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", timeout=600, **more)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def cachegrind(program, first, cwd):
    run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,64", f"--D1={first}", f"--LL={LAST_LEVEL}",
         "--cachegrind-out-file=cg.out", *program], cwd, env={})
    lines = (pathlib.Path(cwd) / "cg.out").read_text().splitlines()
    names = next(l for l in lines if l.startswith("events:")).split()[1:]
    return dict(zip(names, map(int, next(l for l in lines if l.startswith("summary:")).split()[1:])))


def simulate(cachescape, first, definitions, cwd):
    size, ways, line = first.split(",")
    last = LAST_LEVEL.split(",")
    machine = f"L1:{size},{ways},{line} LL:{last[0]},{last[1]},{last[2]}"
    out = run([cachescape, "simulate", "t.cstrace", "--machine", machine, "--definitions", definitions, "--json"], cwd)
    l1, ll = json.loads(out)["levels"]
    return {"Dr": l1["reads"]["accesses"], "D1mr": l1["reads"]["misses"], "DLmr": ll["reads"]["misses"],
            "Dw": l1["writes"]["accesses"], "D1mw": l1["writes"]["misses"], "DLmw": ll["writes"]["misses"]}


def main():
    cachescape, root = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:3])
    compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        run(["gcc", "-O1", "-DN=64", f"{root}/examples/matrix_multiply.c", "-o", "multiply"], scratch)
        for program in (["./multiply"], ["/bin/ls", "/usr"], ["/usr/bin/gzip", "-kc", f"{root}/LICENSE"]):
            run(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=t.lackey", *program], scratch, env={})
            run([cachescape, "import", "t.lackey", "-o", "t.cstrace"], scratch)
            for first in FIRST_LEVELS:
                truth = cachegrind(program, first, scratch)
                ours = simulate(cachescape, first, "cachegrind", scratch)
                for name, value in ours.items():
                    if value != truth[name]:
                        sys.exit(f"{program[0]}, D1 {first}: {name} is {value}, cachegrind says {truth[name]}")
                    compared += 1
                by_touch = simulate(cachescape, first, "touches", scratch)
                for kind in "rw":
                    straddles = by_touch[f"D{kind}"] - truth[f"D{kind}"]
                    more = by_touch[f"D1m{kind}"] - truth[f"D1m{kind}"]
                    if not 0 <= straddles or not -straddles <= more <= straddles:
                        sys.exit(f"{program[0]}, D1 {first}: {more} more misses by touches, but only {straddles} straddling accesses")
    print(f"{compared} counts equal cachegrind's")


if __name__ == "__main__":
    main()
