"""What is known by hand of the programs in this folder: how often a line moves between caches. The simulator, run on the trace of the
variable in question, is the judge; every thread has a cache of its own."""
import pathlib

from support import PROGRAM

FOLDER = pathlib.Path(__file__).resolve().parent


class KnownSharing:
    """Beside Scratch. `make(name)` builds a program of this folder the way in which it is to be observed."""

    def recorded(self, name, order, *arguments):
        self.make(name)
        done = self.record(f"./{name}", *map(str, arguments), options=["--order", order, "--trace", "out.cstrace"])
        return done.stdout

    def misses(self, name, variable, order, *arguments):
        """The simulator's result for the variable: accesses, and the outcome of the one level."""
        output = self.recorded(name, order, *arguments)
        address, size = self.ranges(output)[variable]
        self.run_it([PROGRAM, "trace", "filter", "out.cstrace", "-o", "part.cstrace", "--addresses", f"{address}..{address + size - 1}"])
        outcome = self.json("simulate", "part.cstrace", "--machine", "L1:32K,8,64", "--cores", "0", "--json")
        level = outcome["levels"][0]
        return outcome["accesses"], level["classes"], level["upgrades"]

    def check(self, order):
        rounds = 400
        accesses, classes, _ = self.misses("ping_pong", "word", order, rounds)
        self.assertEqual(accesses, 2 * rounds)
        self.assertEqual((classes["cold"], classes["true_sharing"], classes["false_sharing"]), (2, 2 * rounds - 2, 0), "ping-pong")

        accesses, classes, _ = self.misses("false_sharing", "words", order, rounds)
        self.assertEqual(accesses, 2 * rounds)
        self.assertEqual((classes["cold"], classes["true_sharing"], classes["false_sharing"]), (2, 0, 2 * rounds - 2), "false sharing")

        accesses, classes, upgrades = self.misses("producer_consumer", "ring", order, rounds)
        self.assertEqual(accesses, 16 * rounds)
        slots = 4
        self.assertEqual((classes["cold"], classes["true_sharing"], classes["false_sharing"]), (2 * slots, rounds - slots, 0), "consumer")
        self.assertEqual(upgrades, rounds - slots, "producer")

    def check_nothing_moves(self, order):
        """Whatever the order is."""
        _, classes, _ = self.misses("read_only", "table", order, 5)
        self.assertEqual((classes["cold"], classes["coherence"]), (5 * 64, 0), "read-only: the writer and four readers")
        _, classes, _ = self.misses("private", "own", order, 5)
        self.assertEqual((classes["cold"], classes["coherence"]), (4 * 64, 0), "private")

    def check_watched_loop(self, order, records, slack):
        """How many trips of a loop came before each write of another thread: as many as that thread saw, or had seen so many `records`
        before, which may be ordered as one with it; give or take `slack`."""
        for _ in range(5):
            output = self.recorded("watched_loop", order)
            seen = [tuple(map(int, line.split())) for line in output.splitlines() if len(line.split()) == 2]
            trips = int(output.split()[-1])
            # On a busy machine the loop may have ended before anybody looked: that proves nothing. Two looks do, and long turns leave no more.
            if sum(before < trips for before, _ in seen) >= 2:
                break
        else:
            self.fail("the loop was never seen while it ran")
        words = self.ranges(output)["words"][0]
        counts, count = [], 0
        for _, kind, address, _ in self.accesses("out.cstrace"):
            if address == words and kind != "R":
                count += 1
            elif address == words + 8 and kind != "R":
                counts.append(count)
        self.assertEqual(count, trips)
        self.assertEqual(len(counts), len(seen))
        for write, got in enumerate(counts):
            self.assertGreaterEqual(got, seen[max(0, write + 1 - records)][0] - slack, f"write {write}")
            self.assertLessEqual(got, seen[write][1] + slack, f"write {write}")
        return counts
