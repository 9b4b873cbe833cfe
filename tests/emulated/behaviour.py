"""How programs end, what they print, and what becomes of their profile."""
import os
import signal
import subprocess
import time

from common import FAST, PROGRAM, TOUCH, Emulated, main, wait_for


class Behaviour(Emulated):
    def touched(self, profile="out.cscape"):
        """Accesses to the cells."""
        rows = self.places("object", profile, "--top", "0")["places"]["rows"]
        return sum(row["accesses"] for row in rows if row["name"].split(" ")[0] == "cells")

    def losses(self, profile="out.cscape"):
        return self.info(profile)["losses"]

    def program(self, body, *options):
        return self.build(TOUCH + body, *(options or ["-O1"]))

    def test_output_input_and_exit_code_are_the_programs(self):
        program = self.program('int main(void) { int c; touch(3); while ((c = getchar()) != EOF) putchar(c + 1);'
                               ' fputs("to the error\\n", stderr); return 42; }')
        done = self.record(program, expect=42, input="HAL")
        self.assertEqual(done.stdout, "IBM")
        lines = done.stderr.splitlines()
        self.assertEqual(lines[0], "to the error")
        self.assertRegex(lines[1], r"^cachescape: out\.cscape: [0-9,]+ accesses by 1 thread")
        self.assertEqual(len(lines), 2)
        self.assertEqual(self.touched(), 3000)
        self.assertEqual(self.losses(), {"lost_accesses": 0, "skipped_records": 0, "truncated": False})

    def test_the_program_sees_no_more_open_files(self):
        show = ["sh", "-c", "ls /proc/self/fd | wc -l"]
        self.assertEqual(self.record(*show).stdout, self.run_it(show).stdout)

    def test_leaving_without_destructors(self):
        for leave in ("_exit(3)", "quick_exit(3)"):
            self.record(self.program("int main(void) { touch(2); %s; }" % leave), expect=3)
            self.assertEqual(self.touched(), 2000, leave)
            self.assertFalse(self.losses()["truncated"])

    def test_a_crash_keeps_what_was_observed(self):
        for end, number in (("*(volatile int *)0 = 1", signal.SIGSEGV), ("abort()", signal.SIGABRT),
                            ("kill(getpid(), SIGTERM)", signal.SIGTERM), ("kill(getpid(), SIGKILL)", signal.SIGKILL)):
            done = self.record(self.program("int main(void) { touch(2); %s; return 0; }" % end), expect=128 + number)
            self.assertIn(f"ended by signal {number.value} ", done.stderr)
            self.assertEqual(self.touched(), 2000, end)
            self.assertTrue(self.losses()["truncated"], end)
            self.assertEqual(self.losses()["skipped_records"], 0, end)

    def test_killed_from_outside_in_the_middle(self):
        program = self.program('int main(void) { touch(100); puts("ready"); fflush(stdout); alarm(120); for (;;) touch(1); }')
        process = subprocess.Popen([PROGRAM, "record", "-o", "out.cscape", *FAST, "--", program], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        children = children_of(process.pid)
        self.assertEqual(len(children), 1)
        os.kill(children[0], signal.SIGKILL)
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()
        self.assertGreaterEqual(self.touched(), 100_000)
        self.assertTrue(self.losses()["truncated"])

    def test_interrupting_stops_the_program_and_keeps_the_profile(self):
        program = self.program('int main(void) { touch(100); puts("ready"); fflush(stdout); alarm(120); for (;;) touch(1); }')
        process = subprocess.Popen([PROGRAM, "record", "-o", "out.cscape", *FAST, "--", program], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   # Ignored in what a shell runs in the background, and that is inherited.
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertEqual(process.stdout.readline(), "ready\n")
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGINT)
        process.stdout.close()
        process.stderr.close()
        self.assertGreaterEqual(self.touched(), 100_000)

    def test_an_interrupt_that_another_process_sends_reaches_the_program(self):
        # As a terminal's does, which the program gets from it as well.
        program = self.program(r"""
            static volatile sig_atomic_t handled;
            static void handle(int n) { (void)n; handled++; }
            int main(void) {
              signal(SIGINT, handle);
              puts("ready"); fflush(stdout);
              alarm(120);
              while (!handled) touch(1);
              printf("%d\n", (int)handled);
              return 6;
            }""")
        process = subprocess.Popen([PROGRAM, "record", "-o", "out.cscape", *FAST, "--", program], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.read(), "1\n")
        self.assertEqual(process.wait(timeout=60), 6)
        process.stdout.close()
        process.stderr.close()
        self.assertFalse(self.losses()["truncated"])

    def test_signal_handlers(self):
        program = self.program(r"""
            static sigjmp_buf out;
            static volatile sig_atomic_t handled;
            static void handle(int n) { touch(1); if (n == SIGSEGV) siglongjmp(out, 1); handled++; }
            int main(void) {
              signal(SIGUSR1, handle); signal(SIGSEGV, handle);
              touch(1);
              for (int i = 0; i < 10; i++) raise(SIGUSR1);
              if (sigsetjmp(out, 1) == 0) *(volatile int *)0 = 1;
              touch(1);
              printf("%d\n", (int)handled);
              return 0;
            }""")
        self.assertEqual(self.record(program).stdout, "10\n")
        self.assertEqual(self.touched(), 13_000)
        self.assertEqual(self.losses(), {"lost_accesses": 0, "skipped_records": 0, "truncated": False})

    def test_threads_have_numbers_and_one_order(self):
        program = self.program(r"""
            static long sums[4][512];
            static void *run(void *at) { long *s = at; for (int i = 0; i < 5000; i++) s[i % 512] += i; return 0; }
            int main(void) {
              pthread_t t[4];
              for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, sums[i]);
              for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
              printf("sums %p %zu\n", (void *)sums, sizeof sums);
              return 0;
            }""", "-O1", "-pthread")
        output, accesses = self.traced(program)
        begin, size = self.ranges(output)["sums"]
        by_thread = {}
        for thread, kind, address, _ in accesses:
            if begin <= address < begin + size:
                by_thread.setdefault((thread, (address - begin) // 4096), []).append(kind)
        self.assertEqual({key: len(kinds) for key, kinds in by_thread.items()}, {(i + 1, i): 5000 for i in range(4)})
        self.assertEqual(len(self.info()["threads"]), 5)

    def test_many_short_threads(self):
        program = self.program(r"""
            static void *run(void *at) { (void)at; touch(1); return 0; }
            int main(void) {
              for (int i = 0; i < 50; i++) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); }
              return 0;
            }""", "-O1", "-pthread")
        self.record(program)
        self.assertEqual(self.touched(), 50_000)
        self.assertEqual(len(self.info()["threads"]), 51)

    FORK = r"""
        int main(int argc, char **argv) {
          touch(1);
          if (fork() == 0) {
            touch(5);
            if (argc > 1) execlp("sh", "sh", "-c", argv[1], (char *)0);
            exit(5);
          }
          int status;
          wait(&status);
          touch(1);
          printf("%d\n", WEXITSTATUS(status));
          return 0;
        }"""

    def profiles(self):
        return sorted(p.name for p in self.folder.glob("*.cscape"))

    def test_children_are_not_observed(self):
        program = self.program(self.FORK)
        self.assertEqual(self.record(program, "exit 6").stdout, "6\n")
        self.assertEqual(self.touched(), 2000)
        self.assertEqual(self.profiles(), ["out.cscape"])
        self.assertFalse(self.losses()["truncated"])

    def test_children_that_are_followed_have_profiles(self):
        program = self.program(self.FORK)
        self.assertEqual(self.record(program, options=["--follow", "children"]).stdout, "5\n")
        child, parent = wait_for(lambda: len(self.profiles()) == 2 and self.profiles(), "two profiles")[::-1]
        self.assertEqual((parent, self.touched(parent)), ("out.cscape", 2000))
        self.assertRegex(child, r"^x\.\d+\.cscape$")
        self.assertEqual(self.touched(child), 5000)
        self.assertTrue(self.info(child)["command"].endswith("/x"))

    def test_options_reach_children_that_are_followed(self):
        program = self.program(self.FORK)
        region = "two words"  # which nobody begins
        self.record(program, "exit 7", options=["--follow", "children", "--lines", "32,128", "--set-lines", "none"],
                    fast=False)
        profiles = wait_for(lambda: len(self.profiles()) == 3 and self.profiles(), "three profiles")
        for name in profiles:
            wait_for(lambda: self.info(name)["finished"], f"{name} finished")
            lines = {row["line"] for row in self.info(name)["stacks"]}
            self.assertEqual(lines, {32, 128}, name)
        for name in self.profiles():
            (self.folder / name).unlink()
        self.record(program, options=["--follow", "children", "--region", region])
        child = next(name for name in self.profiles() if name.startswith("x."))
        self.assertEqual((self.info(child)["accesses"], self.info(child)["provenance"]["region"]), (0, region))

    def test_programs_that_children_become_are_followed(self):
        program = self.program(self.FORK)
        self.assertEqual(self.record(program, "exit 7", options=["--follow", "children"]).stdout, "7\n")
        # The forked child's collector notices that its program has become another when the process ends.
        names = wait_for(lambda: len(self.profiles()) == 3 and [name.split(".")[0] for name in self.profiles()], "three profiles")
        self.assertIn("out", names)
        self.assertIn("x", names)

    def test_what_a_program_becomes_is_said_as_it_is(self):
        command = ["sh", "-c", "exec echo another"]
        self.assertIn("which is observed only with --follow children", self.record(*command).stderr)
        done = self.record(*command, options=["--follow", "children"])
        self.assertIn("has become another program (exec), which has a profile of its own", done.stderr)
        self.assertEqual(len(self.profiles()), 2)

    def test_exec_ends_the_profile(self):
        program = self.program('int main(void) { touch(4); execlp("echo", "echo", "another", (char *)0); return 1; }')
        done = self.record(program)
        self.assertEqual(done.stdout, "another\n")
        self.assertIn("exec", done.stderr)
        self.assertEqual(self.touched(), 4000)
        self.assertTrue(self.losses()["truncated"])

    def test_code_that_is_written_while_it_runs(self):
        program = self.build(r"""
            #include <stdio.h>
            #include <string.h>
            #include <sys/mman.h>
            static int cell[2];
            int main(void) {
              unsigned char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              for (int i = 0; i < 20; i++) {
                /* movl $1, (%rdi), or movw $1, (%rdi); ret */
                const unsigned char wide[] = {0xc7, 0x07, 1, 0, 0, 0, 0xc3}, narrow[] = {0x66, 0xc7, 0x07, 1, 0, 0xc3};
                if (i % 2) memcpy(code, wide, sizeof wide); else memcpy(code, narrow, sizeof narrow);
                ((void (*)(int *))code)(cell);
              }
              printf("cell %p %zu\n", (void *)cell, sizeof cell);
              return 0;
            }""", "-O1")
        output, accesses = self.traced(program)
        begin, _ = self.ranges(output)["cell"]
        sizes = [size for _, kind, address, size in accesses if address == begin and kind == "W"]
        self.assertEqual(sizes, [2, 4] * 10)

    def started_and_waiting(self, body):
        """A program under record that has said so, and waits for the end of its input before it does more."""
        program = self.program('int main(void) { puts("ready"); fflush(stdout); getchar(); %s return 0; }' % body)
        process = subprocess.Popen([PROGRAM, "record", "-o", "out.cscape", *FAST, "--", program], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_a_full_ring_loses_nothing(self):
        # More than the ring holds, while the collector is stopped.
        process = self.started_and_waiting("touch(1000);")
        process.send_signal(signal.SIGSTOP)
        process.stdin.close()
        time.sleep(0.5)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(self.touched(), 1_000_000)

    def test_a_collector_that_dies_does_not_stop_the_program(self):
        process = self.started_and_waiting('touch(3000); puts("done");')
        process.kill()
        process.stdin.close()
        self.assertEqual(process.stdout.read(), "done\n")
        self.assertIn("the collector has gone", process.stderr.read())
        process.wait(timeout=60)
        process.stdout.close()
        process.stderr.close()


class Choosing(Emulated):
    def observer(self):
        import sqlite3
        with sqlite3.connect(f"file:{self.folder / 'out.cscape'}?mode=ro", uri=True) as file:
            return dict(file.execute("select key, value from provenance"))["observer"]

    def test_programs_built_by_the_wrappers_observe_themselves(self):
        text = "#include <stdio.h>\nint main(void) { volatile int x[100]; for (int i = 0; i < 100; i++) x[i] = i; puts(\"done\"); return 0; }"
        if not (self.wrappers()):
            self.skipTest("the compiler wrappers' plugin was not built")
        for options in (["-O1"], ["-O1", "-static"], ["-O1", "-static", "-s"], ["-O1", "-s"]):
            program = self.compile(text, *options)
            self.assertEqual(self.record(program).stdout, "done\n")
            self.assertEqual(self.observer(), "compiled", options)
            self.assertLess(self.info()["accesses"], 200)
        self.build(text)
        self.record("./x")
        self.assertEqual(self.observer(), "valgrind")

    def wrappers(self):
        from common import BUILD
        return (BUILD / "lib/cachescape/cachescape_pass.so").exists()

    def test_an_engine_can_be_asked_for(self):
        self.build("int main(void) { return 0; }")
        done = self.record("./x", options=["--engine", "compiled"], expect=5)
        self.assertIn("not instrumented", done.stderr)
        self.record("./x", options=["--engine", "valgrind"])
        self.assertEqual(self.observer(), "valgrind")

    def test_programs_with_rights_of_their_own_are_refused_before_they_start(self):
        program = self.build('#include <stdio.h>\nint main(void) { puts("done"); return 0; }')
        for mode in (0o4755, 0o2755):
            program.chmod(mode)
            done = self.record("./x", expect=5)
            self.assertIn("brings rights of its own (set-user-id or the like)", done.stderr)
            self.assertIn("--engine qemu", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_folders_are_no_programs(self):
        done = self.run_it([PROGRAM, "record", "--", "/tmp"], expect=3)
        self.assertIn("/tmp: cannot be started: Permission denied", done.stderr)

    def test_a_profile_that_cannot_be_written_is_told_before_the_program_starts(self):
        for output in ("no/folder.cscape", "/sys/x.cscape"):
            done = self.run_it([PROGRAM, "record", "-o", output, "--", "echo", "ran"], expect=3)
            self.assertIn(f"{output}: cannot create: ", done.stderr)
            self.assertEqual(done.stdout, "")
        done = self.record("echo", "ran", options=["--trace", "no/x.cstrace"], expect=3)
        self.assertIn("no/x.cstrace: cannot open for writing: ", done.stderr)
        self.assertEqual(done.stdout, "")
        # And what is there is only replaced by a program that runs.
        self.record("true")
        before = (self.folder / "out.cscape").read_bytes()
        self.record("no-such-program", expect=3)
        self.assertEqual((self.folder / "out.cscape").read_bytes(), before)

    def test_without_valgrind_it_says_so(self):
        self.build("int main(void) { return 0; }")
        done = self.run_it([PROGRAM, "record", "--", "./x"], expect=5, env={"PATH": str(self.folder)})
        self.assertIn("valgrind", done.stderr)
        self.assertIn("is not installed", done.stderr)
        self.assertIn("install the package valgrind", done.stderr)

    def test_what_it_cannot_do_is_refused(self):
        self.build("int main(void) { return 0; }")
        done = self.record("./x", options=["--counters-only"], expect=5)
        self.assertIn("only programs built by cachescape cc", done.stderr)
        self.assertFalse((self.folder / "out.cscape").exists())

    def test_programs_for_other_processors_are_refused(self):
        program = self.build("int main(void) { return 0; }")
        content = bytearray(program.read_bytes())
        content[18] = 21  # e_machine: PowerPC
        program.write_bytes(content)
        done = self.record(program, expect=5)
        self.assertIn("only programs for x86-64", done.stderr)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


if __name__ == "__main__":
    main()
