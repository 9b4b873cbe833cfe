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

    def test_threads_change_as_often_as_asked_for(self):
        switches = {}
        for order in "blocks", "fine", "exact":
            own, size = self.ranges(self.recorded("private", order, 100))["own"]
            threads = [thread for thread, _, address, _ in self.accesses("out.cstrace") if own <= address < own + size]
            switches[order] = sum(a != b for a, b in zip(threads, threads[1:]))
            self.assertEqual(self.info()["provenance"]["thread_order"], "exact: one thread runs at a time")
        # Four threads with 51,200 trips each: below one of Valgrind's own turns.
        self.assertGreater(switches["fine"], 3 * switches["blocks"], switches)
        self.assertGreater(switches["exact"], 3 * switches["fine"], switches)


if __name__ == "__main__":
    main()
