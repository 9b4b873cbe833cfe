"""Several processes, the environment, and collectors that are missing or die."""
import os
import signal
import subprocess
import time

from support import PROGRAM, Scratch, main, wait_for

TOUCH = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile int cells[1000];
__attribute__((noinline)) static void touch(int times) {
  for (int k = 0; k < times; k++)
    for (int i = 0; i < 1000; i++) cells[i] = i;
}
"""

FORK = TOUCH + r"""
int main(void) {
  touch(1);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5000; i++) cells[i % 1000] = 1;
    touch(2);
    exit(5);
  }
  int status;
  waitpid(child, &status, 0);
  touch(1);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}"""


MANY = TOUCH + r"""
int main(void) {
  for (int k = 0; k < 20000; k++)
    for (int i = 0; i < 1000; i++) cells[(i * 7 + k) % 1000] += k;
  puts("done");
  return 0;
}"""


class Processes(Scratch):
    def test_several_at_once_have_profiles_of_their_own(self):
        program = self.compile(FORK)
        running = [subprocess.Popen([program], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL)
                   for _ in range(4)]
        for process in running:
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertIn("x.cscape", self.profiles())
        for profile in self.profiles():
            self.assertEqual(self.info(profile)["writes"], 2000, profile)

    def test_a_profile_that_cannot_be_written(self):
        """Who asks for a recording is told before a long run; who runs a program gets what it does."""
        program = self.compile(MANY)
        done = self.run_it([PROGRAM, "record", "-o", "missing/out.cscape", "--", program], expect=3)
        self.assertEqual(done.stdout, "")
        self.assertIn("missing", done.stderr)
        done = self.run_it([program], env={"CACHESCAPE_OUTPUT": "missing/out.cscape"})
        self.assertEqual(done.stdout, "done\n")

    def profiles(self):
        return sorted(p.name for p in self.folder.glob("*.cscape"))

    def test_a_forked_child_is_not_observed(self):
        program = self.compile(FORK)
        self.assertEqual(self.record(program).stdout, "5\n")
        info = self.info()
        self.assertEqual(info["writes"], 2000)
        self.assertEqual(info["losses"], {"lost_accesses": 0, "skipped_records": 0, "truncated": False})
        self.assertEqual(self.counters()["store.i32"], 2000)
        self.assertEqual(self.profiles(), ["out.cscape"])
        self.assertEqual(self.run_it([program]).stdout, "5\n")
        self.assertEqual(self.info("x.cscape")["writes"], 2000)

    def test_followed_children_have_profiles_of_their_own(self):
        program = self.compile(FORK)
        self.assertEqual(self.record(program, options=["--follow", "children"]).stdout, "5\n")
        self.assertEqual(self.info()["writes"], 2000)
        others = [p for p in self.profiles() if p != "out.cscape"]
        self.assertEqual(len(others), 1, others)
        info = self.info(others[0])
        self.assertEqual(info["writes"], 7000)
        self.assertFalse(info["losses"]["truncated"])

    def test_followed_children_are_recorded_by_the_same_options(self):
        program = self.compile(FORK)
        options = ["--follow", "children", "--lines", "32,128", "--set-lines", "none", "--count", "1500"]
        self.record(program, options=options, fast=False)
        for profile in self.profiles():
            self.assertEqual({row["line"] for row in self.info(profile)["stacks"]}, {32, 128})
            self.assertEqual(self.info(profile)["accesses"], 1500)
        self.assertEqual(len(self.profiles()), 2)

    def test_exec(self):
        self.compile(TOUCH + "int main(void) { touch(7); return 4; }", name="other")
        program = self.compile(TOUCH + 'int main(void) { touch(3); execl("./other", "other", (char *)0); return 9; }')
        self.record(program, expect=4)
        self.assertEqual(self.info()["writes"], 3000)
        self.assertEqual(self.profiles(), ["out.cscape"])
        # Alone, each program writes its own.
        self.run_it([program], expect=4)
        self.assertEqual(self.info("other.cscape")["writes"], 7000)
        wait_for(lambda: (self.folder / "x.cscape").exists(), "the first program's profile")

    def test_vfork_posix_spawn_and_popen(self):
        program = self.compile(TOUCH + r"""
            #include <spawn.h>
            extern char **environ;
            int main(void) {
              touch(1);
              const pid_t child = vfork();
              if (child == 0) { execl("/bin/sh", "sh", "-c", "exit 6", (char *)0); _exit(1); }
              int status; waitpid(child, &status, 0);
              printf("%d\n", WEXITSTATUS(status));
              char *words[] = {"sh", "-c", "exit 7", 0};
              pid_t spawned; posix_spawn(&spawned, "/bin/sh", 0, 0, words, environ);
              waitpid(spawned, &status, 0);
              printf("%d\n", WEXITSTATUS(status));
              char line[100] = ""; FILE *f = popen("echo popped", "r");
              if (fgets(line, sizeof line, f) == 0) return 1;
              pclose(f);
              fputs(line, stdout);
              touch(1);
              return system("exit 3") >> 8;
            }""")
        self.assertEqual(self.record(program, expect=3).stdout, "6\n7\npopped\n")
        info = self.info()
        self.assertGreaterEqual(info["writes"], 2000)
        self.assertLess(info["writes"], 2100)
        self.assertFalse(info["losses"]["truncated"])

    def test_wait_sees_no_foreign_children(self):
        program = self.compile(TOUCH + r"""
            #include <errno.h>
            int main(void) { touch(1); const pid_t p = wait(0); printf("%d %d\n", p, errno == ECHILD); return 0; }""")
        self.assertEqual(self.run_it([program]).stdout, "-1 1\n")

    def test_a_script_around_it(self):
        self.compile(TOUCH + "int main(void) { touch(2); return 0; }")
        self.record("sh", "-c", "./x; exit 3", options=["--engine", "compiled"], expect=3)
        self.assertEqual(self.info()["writes"], 2000)

    def test_off(self):
        program = self.compile(TOUCH + "int main(void) { touch(2); puts(\"ran\"); return 3; }")
        done = self.run_it([program], expect=3, env={"CACHESCAPE": "off"})
        self.assertEqual((done.stdout, done.stderr), ("ran\n", ""))
        self.assertEqual(self.profiles(), [])

    def test_output_is_where_it_began(self):
        self.compile(TOUCH + 'int main(void) { touch(2); return chdir("/"); }')
        self.run_it(["./x"])
        self.assertEqual(self.profiles(), ["x.cscape"])
        self.run_it(["./x"], env={"CACHESCAPE_OUTPUT": "named"})
        self.assertEqual(self.profiles(), ["named.cscape", "x.cscape"])

    def test_closed_streams(self):
        self.compile(TOUCH + 'int main(void) { touch(2); puts("ran"); fputs("oops", stderr); return 3; }')
        for closed in "2>&-", "0<&-", "0<&- 2>&-", "0<&- 2>&- >out.txt":
            with self.subTest(closed=closed):
                for command in "./x", f"{PROGRAM} record -o x.cscape -- ./x":
                    self.run_it(f"{command} {closed}", shell=True, expect=3)
                    self.assertEqual(self.info("x.cscape")["writes"], 2000)
                    (self.folder / "x.cscape").unlink()

    def test_a_missing_collector(self):
        program = self.compile(TOUCH + 'int main(void) { touch(2); puts("ran"); return 3; }')
        began = time.monotonic()
        done = self.run_it([program], expect=3, env={"CACHESCAPE_COLLECTOR": "/nonexistent"})
        self.assertEqual(done.stdout, "ran\n")
        self.assertEqual(done.stderr, "cachescape: running unobserved: cannot start the collector /nonexistent\n")
        self.assertLess(time.monotonic() - began, 3)

    def test_a_collector_that_refuses(self):
        program = self.compile(TOUCH + 'int main(void) { touch(2); puts("ran"); return 3; }')
        done = self.run_it([program], expect=3, env={"CACHESCAPE_OPTIONS": "--nonsense"})
        self.assertEqual(done.stdout, "ran\n")
        self.assertIn("--nonsense", done.stderr)
        self.assertIn("cachescape: running unobserved: cannot start the collector", done.stderr)

    def test_a_collector_that_cannot_write(self):
        program = self.compile(TOUCH + 'int main(void) { touch(300); puts("ran"); return 3; }')
        done = self.run_it([program], expect=3, env={"CACHESCAPE_OUTPUT": "/nonexistent/x.cscape"}, timeout=30)
        self.assertEqual(done.stdout, "ran\n")
        self.assertIn("/nonexistent/x.cscape", done.stderr)

    def test_a_limit_on_the_size_of_files(self):
        """Shared memory counts as a file: what we make may not end the program by a signal."""
        self.compile(TOUCH + 'int main(void) { touch(2); puts("ran"); return 3; }')
        done = self.run_it("ulimit -f 8; ./x", shell=True, expect=3)
        self.assertEqual(done.stdout, "ran\n")
        self.assertEqual(done.stderr, "cachescape: running unobserved: no shared memory: File too large\n")
        for limit, told in ("8", "x.cscape: cannot read or write"), ("4000", "no shared memory for a session: File too large"):
            done = self.run_it(f"ulimit -f {limit}; {PROGRAM} record -- ./x", shell=True, expect=3)
            self.assertIn(told, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_signals_of_files_are_the_programs(self):
        """Ignored by whoever started us, they are ignored in the program too; otherwise they are not."""
        self.compile(r"""
            #include <signal.h>
            #include <stdio.h>
            int main(void) {
              printf("%d %d\n", signal(SIGPIPE, SIG_DFL) == SIG_IGN, signal(SIGXFSZ, SIG_DFL) == SIG_IGN);
              return 0;
            }""")
        command = f"{PROGRAM} record -o x.cscape -- ./x"
        for before, said in ("trap - PIPE XFSZ", "0 0\n"), ("trap '' PIPE XFSZ", "1 1\n"):
            # Python ignores them itself, and gives its children what they had by default.
            self.assertEqual(self.run_it(f"{before}; {command}", shell=True).stdout, said)

    def test_a_killed_collector(self):
        self.compile(TOUCH + r"""
            int main(void) {
              puts("ready"); fflush(stdout);
              char line[10];
              if (fgets(line, sizeof line, stdin) == 0) return 1;
              for (int i = 0; i < 1000; i++) cells[(i * 7) % 1000] = i;
              int where[1000]; for (int i = 0; i < 1000; i++) where[i] = (i * 7) % 1000;
              for (int k = 0; k < 2000; k++) for (int i = 0; i < 1000; i++) cells[where[i]]++;
              printf("%d\n", cells[0] > 0);
              return 3;
            }""")
        program = subprocess.Popen(["./x"], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(program.stdout.readline(), b"ready\n")
        collector = self.collector_in(self.folder)
        os.kill(collector, signal.SIGKILL)
        output, errors = program.communicate(b"go\n", timeout=30)
        self.assertEqual((output, program.returncode), (b"1\n", 3))
        self.assertIn(b"the collector has gone", errors)

    def collector_in(self, folder):
        """The process that collects and works in the folder."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                if b"collect" in words and os.readlink(f"/proc/{pid}/cwd") == str(folder):
                    return int(pid)
            except OSError:
                continue
        self.fail("no collector runs")


if __name__ == "__main__":
    main()
