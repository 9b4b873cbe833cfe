"""The order of accesses of several threads, as fine as --order asks for."""
import signal
import sys

from support import CC, PROGRAM, SOURCE, Scratch, main

sys.path.insert(0, str(SOURCE / "tests/programs/sharing"))
from known import FOLDER, KnownSharing  # noqa: E402


class Sharing(KnownSharing, Scratch):
    def make(self, name):
        if not (self.folder / name).exists():
            self.run_it([CC, "-O2", "-g", "-pthread", FOLDER / f"{name}.c", "-o", name])

    def test_exact(self):
        self.check("exact")

    def test_exact_order_of_whole_loops(self):
        # A trip whose ticket is taken and whose write is not made yet.
        self.check_watched_loop("exact", records=1, slack=1)

    def test_fine(self):
        rounds, most = 400, 16  # records of two words in a piece of 256 bytes
        _, classes, _ = self.misses("ping_pong", "word", "fine", rounds)
        self.assertLessEqual(classes["true_sharing"], 2 * rounds - 2)
        self.assertGreaterEqual(classes["true_sharing"], 2 * rounds // most - 2)
        self.check_watched_loop("fine", records=most, slack=most)

    def test_nothing_moves(self):
        for order in "blocks", "fine", "exact":
            with self.subTest(order=order):
                self.check_nothing_moves(order)

    def test_the_profile_says_what_its_order_is(self):
        self.make("ping_pong")
        said = {}
        for order in "auto", "blocks", "fine", "exact":
            self.record("./ping_pong", options=["--order", order])
            said[order] = self.info()["provenance"]["thread_order"]
        self.assertRegex(said["blocks"], r"^of blocks of [\d,]+ accesses on average$")
        self.assertRegex(said["fine"], r"^of pieces of \d+ accesses on average$")
        self.assertRegex(said["exact"], r"^exact")
        self.assertEqual(said["auto"].split()[:2], said["fine"].split()[:2])
        self.assertIn("order exact: by tickets", self.run_it([PROGRAM, "info", "out.cscape"]).stdout)
        self.assertIn("order exact: by tickets", self.run_it([PROGRAM, "report", "out.cscape", "--machine", "L1:32K,8,64"]).stdout)

    def test_one_thread_has_no_order_to_keep(self):
        self.compile("int x[100]; int main(void) { for (int i = 0; i < 100; i++) ((volatile int *)x)[i] = i; return 0; }")
        self.record("./x")
        self.assertNotIn("thread_order", self.info()["provenance"])


SLEEPERS = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { many = 400000 };
static volatile int here[64], there[64];
static int ends[2];
static void *work(void *nothing) {
  for (int i = 0; i < many; i++) there[i & 63] = i; /* more than rings hold */
  char go = 1;
  return write(ends[1], &go, 1) == 1 ? nothing : 0;
}
int main(void) {
  pthread_t thread;
  if (pipe(ends) != 0) return 1;
  pthread_create(&thread, 0, work, 0);
  here[0] = 1; /* its block stays as it is until the other thread has written everything */
  char go = 0;
  if (read(ends[0], &go, 1) != 1) return 1;
  here[1] = 2;
  pthread_join(thread, 0);
  printf("here %p %d\n", (void *)here, (int)sizeof here);
  return 0;
}
"""

KILLED = r"""
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static volatile long word[8];
static atomic_int ready;
static void *work(void *nothing) {
  for (long i = 0; i < 1000; i++) word[1] = i;
  atomic_store(&ready, 1);
  for (;;) pause();
  return nothing;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  while (!atomic_load(&ready)) {}
  for (long i = 0; i < 1000; i++) word[0] = i;
  printf("word %p %d\n", (void *)word, (int)sizeof word);
  fflush(stdout);
  kill(getpid(), SIGKILL);
}
"""


class Ends(Scratch):
    def test_a_sleeping_thread_holds_up_nobody(self):
        self.compile(SLEEPERS, "-O2", "-pthread")
        for order in "fine", "exact":
            with self.subTest(order=order):
                self.record("./x", options=["--order", order])
                self.assertGreaterEqual(self.info()["accesses"], 400000)

    def test_what_was_written_before_a_kill_is_kept(self):
        self.compile(KILLED, "-O2", "-pthread")
        for order in "fine", "exact":
            with self.subTest(order=order):
                done = self.record("./x", options=["--order", order, "--trace", "out.cstrace"], expect=128 + signal.SIGKILL)
                word = self.ranges(done.stdout)["word"][0]
                written = [address - word for _, kind, address, _ in self.accesses("out.cstrace") if kind == "W" and 0 <= address - word < 16]
                self.assertEqual((written.count(0), written.count(8)), (1000, 1000))
                # The first thread waited for all of the second's; the piece in which it did may have room for its own first ones.
                last = len(written) - 1 - written[::-1].index(8)
                self.assertLessEqual(written[:last].count(0), 0 if order == "exact" else 16)

    def test_handlers_are_where_they_interrupt(self):
        self.compile(r"""
#include <signal.h>
#include <stdio.h>
static volatile int marks[4];
static void handle(int number) { marks[1] = number; }
int main(void) {
  signal(SIGUSR1, handle);
  for (int i = 0; i < 50; i++) {
    marks[0] = i;
    raise(SIGUSR1);
    marks[2] = i;
  }
  printf("marks %p %d\n", (void *)marks, (int)sizeof marks);
  return 0;
}
""")
        output, accesses = self.traced("./x", options=["--order", "exact"])
        marks = self.ranges(output)["marks"][0]
        order = [(address - marks) // 4 for _, _, address, _ in accesses if 0 <= address - marks < 16]
        self.assertEqual(order, [0, 1, 2] * 50)

    def test_a_program_with_its_own_collector(self):
        self.run_it([CC, "-O2", "-g", "-pthread", FOLDER / "ping_pong.c", "-o", "ping_pong"])
        options = self.environment["CACHESCAPE_OPTIONS"] + " --order exact"
        self.run_it(["./ping_pong"], env={"CACHESCAPE_OPTIONS": options})
        self.assertRegex(self.info("ping_pong.cscape")["provenance"]["thread_order"], "^exact")


if __name__ == "__main__":
    main()
