"""What a person who waits for a recording sees on the terminal, and does."""
import os
import pty
import re
import select
import signal
import subprocess
import time

from common import FAST, PROGRAM, Emulated, main

TEXT = r"""
#include <stdio.h>
#include <unistd.h>
static volatile char cells[1 << 20];
int main(void) {
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 1 << 20; i++) cells[i] = 1;
  /* So many instructions that a processor needs more than a moment for them: they access nothing. */
  for (long n = 200000000; n > 0; n--) __asm__ volatile("");
  puts("ready");
  fflush(stdout);
  alarm(120);
  getchar();
  return 3;
}
"""


class Progress(Emulated):
    def setUp(self):
        super().setUp()
        self.build(TEXT)
        self.seen = ""

    def start(self, *options):
        """Under record, with a terminal as standard error."""
        self.terminal, other = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        process = subprocess.Popen([PROGRAM, "record", "-o", "out.cscape", *FAST, *options, "--", "./x"], cwd=self.folder,
                                   env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=other, text=True,
                                   start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(other)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def read(self, seconds):
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.terminal, 65536).decode()
            except OSError:  # nobody has it open any more
                return False
        return True

    def wait_for_text(self, pattern):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = re.search(pattern, self.seen)
            if found:
                return found
            self.read(0.1)
        self.fail(f"{pattern} in {self.seen!r}")

    def finish(self, process, status):
        self.assertEqual(process.wait(timeout=60), status)
        while self.read(1) and select.select([self.terminal], [], [], 0)[0]:
            pass

    def test_on_a_terminal(self):
        process = self.start()
        number = r"([0-9,]+)"
        line = self.wait_for_text(rf"recording {number} accesses, [0-9.]+ M/s, ([0-9.]+) MiB touched, about {number} times slower, on a processor \d+ % of \d+ s")
        self.assertGreaterEqual(int(line.group(1).replace(",", "")), 3 << 20)
        self.assertGreaterEqual(float(line.group(2)), 1)
        self.assertLess(float(line.group(2)), 2)
        self.assertGreaterEqual(int(line.group(3).replace(",", "")), 1)
        process.stdin.close()
        self.finish(process, 3)
        # Wiped, and then what a file would have got.
        self.assertRegex(self.seen, r"\r\x1b\[Kcachescape: out\.cscape: [0-9,]+ accesses by 1 thread, [0-9.]+ s, about [0-9,]+ times slower\r\n$")

    def test_quiet(self):
        process = self.start("--quiet")
        time.sleep(3)  # longer than others take to say something
        process.stdin.close()
        self.finish(process, 3)
        self.assertEqual(self.seen, "")
        self.assertEqual(self.record("./x", options=["-q"], expect=3, input="").stderr, "")

    def test_interrupting_keeps_the_profile(self):
        process = self.start()
        self.wait_for_text("recording [0-9,]+ accesses")
        os.killpg(process.pid, signal.SIGINT)
        self.finish(process, 128 + signal.SIGINT)
        self.assertIn("ended by signal 2", self.seen)
        self.assertGreaterEqual(self.info()["accesses"], 3 << 20)
        self.assertTrue(self.info()["losses"]["truncated"])


if __name__ == "__main__":
    main()
