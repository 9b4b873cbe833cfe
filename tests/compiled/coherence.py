"""Predictions of coherent machines against the simulator, on the same run of programs with several threads.

coherence.py BUILD SOURCE [--table]: with --table, prints the rows of docs/accuracy.md instead of testing.
"""
import sys

TABLE = "--table" in sys.argv
if TABLE:
    sys.argv.remove("--table")

from support import CC, PROGRAM, SOURCE, Scratch, main  # noqa: E402

SHARING = SOURCE / "tests/programs/sharing"
# Name: source and arguments. Team has sixteen threads, the others two to five.
WORKLOADS = {
    "ping-pong": ("ping_pong", "2000"),
    "false sharing": ("false_sharing", "2000"),
    "producer, consumer": ("producer_consumer", "2000"),
    "read-only": ("read_only", "5"),
    "private": ("private", "5"),
    "team: stencil": ("team", "stencil"),
    "team: histogram": ("team", "histogram"),
    "team: counters": ("team", "counters"),
    "team: queue": ("team", "queue"),
}
DEGREES = (1, 2, 4, 8, 16)
ONE_LEVEL = {"16K, 256 ways": "L1:16K,full,64,shared={}", "32K, 8 ways": "L1:32K,8,64,shared={}"}
HIERARCHY = "L1:32K,8,64 L2:{}K,8,64,shared={} L3:16M,16,64,shared=all"
CLASSES = ("cold", "true_sharing", "false_sharing")


class Coherence(Scratch):
    def observe(self, program, argument):
        if not (self.folder / program).exists():
            self.run_it([CC, "-O2", "-g", "-pthread", "-fopenmp", SHARING / f"{program}.c", "-o", program])
        self.record(f"./{program}", argument, fast=False,
                    options=["--order", "exact", "--trace", "out.cstrace"])

    def levels(self, verb, what, machine):
        outcome = self.json(verb, what, "--machine", machine, "--cores", "0", "--json")
        return outcome["accesses"], outcome["levels"]

    def both(self, machine):
        accesses, truth = self.levels("simulate", "out.cstrace", machine)
        _, predicted = self.levels("predict", "out.cscape", machine)
        return accesses, truth, predicted

    def test_one_level_is_exact(self):
        for name, (program, argument) in WORKLOADS.items():
            self.observe(program, argument)
            for degree in DEGREES:
                for level, machine in ONE_LEVEL.items():
                    with self.subTest(workload=name, degree=degree, level=level):
                        _, (truth,), (predicted,) = self.both(machine.format(degree))
                        self.assertEqual(predicted["misses"], truth["misses"])
                        self.assertEqual([predicted["classes"][c] for c in CLASSES], [truth["classes"][c] for c in CLASSES])
                        self.assertEqual(predicted["model"], "exact")

    def test_hierarchies_are_within_a_hundredth(self):
        for name, (program, argument) in WORKLOADS.items():
            self.observe(program, argument)
            for degree in DEGREES:
                accesses, truth, predicted = self.both(HIERARCHY.format(128 * degree, degree))
                for t, p in zip(truth, predicted):
                    for c in (*CLASSES, "capacity", "conflict"):
                        with self.subTest(workload=name, degree=degree, level=t["name"], misses=c):
                            self.assertLessEqual(abs(p["classes"][c] - t["classes"][c]), accesses / 100)


class Table(Scratch):
    observe, levels, both = Coherence.observe, Coherence.levels, Coherence.both

    def test_table(self):
        print("| program | accesses | threads per L2 | level | misses simulated | predicted | true sharing simulated | predicted | "
              "false sharing simulated | predicted | worst class, of accesses |")
        print("|---|---|---|---|---|---|---|---|---|---|---|")
        for name, (program, argument) in WORKLOADS.items():
            self.observe(program, argument)
            for degree in DEGREES:
                accesses, truth, predicted = self.both(HIERARCHY.format(128 * degree, degree))
                for t, p in zip(truth, predicted):
                    worst = max(abs(p["classes"][c] - t["classes"][c]) for c in (*CLASSES, "capacity", "conflict"))
                    cells = [name, f"{accesses:,}", degree, t["name"], f"{t['misses']:,}", f"{p['misses']:,}"]
                    for c in ("true_sharing", "false_sharing"):
                        cells += [f"{t['classes'][c]:,}", f"{p['classes'][c]:,}"]
                    print("|", " | ".join(map(str, cells)), "|", f"{100 * worst / accesses:.3f} % |")


if TABLE:
    del Coherence
else:
    del Table
if __name__ == "__main__":
    main()
