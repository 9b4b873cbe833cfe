"""The order of accesses of several threads that run one at a time, and how often they change."""
import sys

from common import SOURCE, Emulated, main

sys.path.insert(0, str(SOURCE / "tests/programs/sharing"))
from known import FOLDER, KnownSharing  # noqa: E402


class Sharing(KnownSharing, Emulated):
    def make(self, name):
        if not (self.folder / name).exists():
            self.run_it(["gcc", "-O1", "-g", "-pthread", FOLDER / f"{name}.c", "-o", name])

    def test_exact(self):
        self.check("exact")

    def test_blocks_are_as_exact(self):
        self.check_watched_loop("blocks", records=1, slack=1)

    def test_nothing_moves(self):
        self.check_nothing_moves("fine")

    def switches(self, order):
        """How often threads changed while they all worked."""
        own, size = self.ranges(self.recorded("private", order, 100))["own"]
        threads = [thread for thread, _, address, _ in self.accesses("out.cstrace") if own <= address < own + size]
        self.assertEqual(self.info()["provenance"]["thread_order"], "exact: one thread runs at a time")
        return sum(a != b for a, b in zip(threads, threads[1:]))

    def test_threads_change_as_often_as_asked_for(self):
        # Four threads with 51,200 trips each: below one of Valgrind's own turns. On a busy machine there may be no other thread to change
        # to, because none has come back from sched_yield() yet: then once more.
        self.assertLess(self.switches("blocks"), 50)
        for order, least in ("fine", 50), ("exact", 500):
            tries = []
            while len(tries) < 5 and (not tries or tries[-1] < least):
                tries.append(self.switches(order))
            self.assertGreaterEqual(tries[-1], least, f"{order}: {tries}")


class InQemu(KnownSharing, Emulated):
    """Threads run in parallel, and are ordered by blocks: what is never shared is not, whatever the order."""
    make = Sharing.make

    def record(self, *command, options=(), **more):
        return super().record(*command, options=["--engine", "qemu", *options], **more)

    def test_nothing_moves(self):
        self.check_nothing_moves("blocks")
        self.assertIn("by blocks of", self.info()["provenance"]["thread_order"])

    def test_a_finer_order_is_refused(self):
        self.make("ping_pong")
        for order in "fine", "exact":
            refused = self.record("./ping_pong", options=["--order", order], expect=5)
            self.assertIn(f"--order {order}: threads run in parallel in QEMU", refused.stderr)


if __name__ == "__main__":
    main()
