#!/usr/bin/env python3
"""Measures synthetic traces against the programs that they imitate: bench/synthesis.py BUILD [WORKLOAD …] [--hierarchies | --concise]

Kernels are compiled by the wrappers, gzip and sqlite3 run in Valgrind. Each is recorded once, with its signature and its trace. Hit rates are
those of fully associative LRU caches of 1 … 65,536 lines of 64, 128, 256 and 512 bytes (68 caches); with --hierarchies also those of the 46
two-level hierarchies of the dissertation (machines/chameleon-hierarchies.csv), for which trace and expansion are simulated. With --concise: what
is left of a plain signature, and of the trace's accuracy, where numbers are left out.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ["cg", "is", "sp", "mg", "ft", "lu"]
PROGRAMS = {"gzip": ["/usr/bin/gzip", "-9c", "text"], "sqlite3": ["/usr/bin/sqlite3", ":memory:", ".read query.sql"]}
WIDTHS = (64, 128, 256, 512)
EXPANDED = 12_000_000  # at least
AVERAGES = range(7)  # of a signature's halves, which tell nothing that its bins do not


def run(command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"synthesis: failed: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def prepare(work):
    words = [f"w{(i * i * 7919) % 4099}" for i in range(60_000)]
    (work / "text").write_text("\n".join(" ".join(words[i:i + 12]) for i in range(0, len(words), 12)))
    (work / "query.sql").write_text(
        "create table t(a integer primary key, b integer, c text);"
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000) "
        "insert into t select i, (i * 7919) % 1009, 'row ' || i from n;"
        "create index by_b on t(b);"
        "select count(*), sum(length(x.c)) from t x join t y on x.b = y.a where y.b < 500;")


class Workload:
    def __init__(self, build, work, name):
        self.program, self.work, self.name, self.lengths = build / "cachescape", work, name, {}
        command = PROGRAMS.get(name)
        if command is None:
            run([build / "cachescape-cc", "-O2", "-g", SOURCE / f"tests/programs/kernels/{name}.c", "-o", name, "-lm"], cwd=work)
            command = [f"./{name}"]
        run([self.program, "record", "--signature", "--trace", f"{name}.cstrace", "-o", f"{name}.cscape", "--", *command], cwd=work)
        self.recorded = json.loads(run([self.program, "surface", f"{name}.cscape", "--json"], cwd=work))

    def __call__(self, *arguments):
        return run([self.program, *arguments], cwd=self.work)

    def signature(self, *options):
        self("signature", f"{self.name}.cscape", *options, "-o", "now.sig")
        return sum("=" in line for line in (self.work / "now.sig").read_text().splitlines())

    def seed(self, *options, file="now.seed"):
        """Seconds that it takes."""
        begin = time.perf_counter()
        made = json.loads(self("synth", "now.sig", *options, "-o", file, "--json"))
        seconds = time.perf_counter() - begin
        # Whole replications: a working set is used as often as it should be.
        once = sum(phase["references"] * phase["repeats"] for phase in made["phases"])
        self.lengths[file] = -(-EXPANDED // once) * once
        return seconds

    def speed(self, file, accesses=200_000_000):
        """Million accesses that are written in a second, best of three."""
        def once():
            begin = time.perf_counter()
            self("expand", file, "--length", accesses, "-o", "/dev/null")
            return time.perf_counter() - begin
        return accesses / min(once() for _ in range(3)) / 1e6

    def error(self, file="now.seed"):
        """Mean and largest difference of hit rates on the 68 caches, of an expansion that is analysed as any trace."""
        self("expand", file, "--length", self.lengths[file], "-o", "now.cstrace")
        self("import", "now.cstrace", "-o", "now.cscape", "--lines", ",".join(map(str, WIDTHS)), "--set-lines", "none")
        made = json.loads(self("surface", "now.cscape", "--json"))
        errors = [abs(a - b) for width in WIDTHS
                  for a, b in zip(self.rates(self.recorded, width), self.rates(made, width), strict=True)]
        return sum(errors) / len(errors), max(errors)

    @staticmethod
    def rates(surface, width):
        return surface["hit_rate"][surface["widths"].index(width)]

    def levels(self, trace, machine):
        done = json.loads(self("simulate", trace, "--machine", machine, "--no-classes", "--json"))
        return [level["hits"] / max(1, level["hits"] + level["misses"]) for level in done["levels"]] + [
            1 - done["levels"][-1]["misses"] / done["touches"]]

    def hierarchies(self, machines):
        """Mean absolute errors: of the first level's hit rate, of the second's, and of what either finds of all touches."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [(pool.submit(self.levels, f"{self.name}.cstrace", m), pool.submit(self.levels, "now.cstrace", m)) for m in machines]
            errors = [[abs(a - b) for a, b in zip(x.result(), y.result(), strict=True)] for x, y in jobs]
        return [sum(column) / len(column) for column in zip(*errors, strict=True)]


MACHINES = [f"chameleon-{row:02}" for row in range(1, 47)]


def per_cent(share):
    return f"{100 * share:.2f} %"


ALLOWED = (0, 0.1, 0.5, 1, 2, 5, 10)


def concise(workload):
    cells = []
    for percent in ALLOWED:
        numbers = workload.signature("--plain", "--max-error", percent) - len(AVERAGES)
        workload.seed()
        cells.append(f"{numbers}: {per_cent(workload.error()[0])}")
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("workloads", nargs="*", default=[*KERNELS, *PROGRAMS])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--hierarchies", action="store_true")
    which.add_argument("--concise", action="store_true")
    options = parser.parse_args()
    build = options.build.resolve()
    names = options.workloads or [*KERNELS, *PROGRAMS]
    head = ["workload", "numbers", "seconds", "M/s", "all", "largest", "halves only", "unique", "largest"]
    if options.concise:
        head = ["workload", *(f"{percent} %" for percent in ALLOWED)]
    if options.hierarchies:
        head += ["L1", "L2", "both"]
    print("| " + " | ".join(head) + " |\n|---|" + "---:|" * (len(head) - 1), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        prepare(work)
        for name in names:
            workload = Workload(build, work, name)
            if options.concise:
                print("| " + " | ".join([name, *concise(workload)]) + " |", flush=True)
                continue
            row = [name, str(workload.signature())]
            seconds = workload.seed(file="best.seed")
            workload.signature("--plain")
            workload.seed()
            halves, _ = workload.error()
            workload.signature()
            workload.seed("--unique")
            unique, unique_largest = workload.error()
            mean, largest = workload.error("best.seed")
            row += [f"{seconds:.1f}", f"{workload.speed('best.seed'):.0f}", per_cent(mean), per_cent(largest), per_cent(halves), per_cent(unique), per_cent(unique_largest)]
            if options.hierarchies:
                row += [f"{error:.4f}" for error in workload.hierarchies(MACHINES)]
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
