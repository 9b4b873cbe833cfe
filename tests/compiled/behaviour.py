"""An observed program does what it does unobserved, however it ends, and what it did up to then is kept."""
import os
import pathlib
import signal
import subprocess
import time

from support import CC, CXX, PROGRAM, SOURCE, Scratch, main, wait_for

# Counts to n in a global; what follows differs.
COUNTING = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
volatile int cells[1000];
__attribute__((noinline)) static void touch(int times) {
  for (int k = 0; k < times; k++)
    for (int i = 0; i < 1000; i++) cells[i] = i;
}
"""


class Ends(Scratch):
    """`touch(n)` makes 1000 n writes; how much of them is in the profile?"""

    def ends(self, end, status, truncated, *options, writes=3000, includes="", language="c"):
        program = self.compile(includes + COUNTING + "int main(void) { touch(3); " + end + " return 0; }", *options,
                               language=language)
        for alone in False, True:
            with self.subTest(alone=alone):
                if alone:
                    # A static program looks for the collector by PATH alone.
                    named = {"CACHESCAPE_COLLECTOR": PROGRAM} if "-static" in options else {}
                    self.run_it([program], expect=-status + 128 if status > 128 else status,
                                env={"CACHESCAPE_OUTPUT": "out.cscape", **named})
                    wait_for(lambda: self.finished("out.cscape"), "the collector's end")
                else:
                    self.record(program, expect=status)
                info = self.info()
                self.assertEqual(info["losses"]["truncated"], truncated)
                self.assertEqual(info["losses"]["skipped_records"], 0)
                self.assertEqual(info["writes"], writes)
                (self.folder / "out.cscape").unlink()

    def finished(self, profile):
        if not (self.folder / profile).exists():
            return False
        done = self.run_it([PROGRAM, "info", "--json", profile], expect=None)
        return done.returncode == 0 and '"finished": true' in done.stdout

    def test_return(self):
        self.ends("return 0;", 0, False)

    def test_exit_status(self):
        self.ends("exit(3);", 3, False)

    def test_exit_at_once(self):
        self.ends("_exit(3);", 3, False)

    def test_quick_exit(self):
        self.ends("quick_exit(3);", 3, False)

    def test_destructors_are_observed(self):
        for options in ["-O2"], ["-O2", "-static"]:
            self.ends("return 3;", 3, False, *options, writes=5000,
                      includes="static void touch(int);\n__attribute__((destructor)) static void last(void) { touch(1); }\n"
                               "static void after(void) { touch(1); }\n"
                               "#include <stdlib.h>\n__attribute__((constructor)) static void first(void) { atexit(after); }\n")

    def test_exit_while_threads_run(self):
        program = self.compile(r"""
            #include <pthread.h>
            #include <stdlib.h>
            #include <unistd.h>
            volatile int cells[1000], where[1000];
            static void *spin(void *p) { for (;;) for (int i = 0; i < 1000; i++) cells[where[i]]++; return p; }
            int main(void) {
              pthread_t t;
              for (int i = 0; i < 3; i++) { pthread_create(&t, 0, spin, 0); pthread_detach(t); }
              usleep(20000);
              exit(6);
            }""", "-O2", "-pthread")
        self.record(program, expect=6, timeout=30)
        self.run_it([program], expect=6, timeout=30)
        self.assertEqual(self.info("x.cscape")["losses"]["truncated"], False)

    def test_abort(self):
        self.ends("abort();", 128 + signal.SIGABRT, True)

    def test_segmentation_fault(self):
        self.ends("*(volatile int *)8 = 1;", 128 + signal.SIGSEGV, True, writes=3001)

    def test_kill(self):
        self.ends("kill(getpid(), SIGKILL);", 128 + signal.SIGKILL, True, includes="#include <signal.h>\n")

    def test_killed_in_an_endless_loop(self):
        """A loop that claims 2^60 trips must not keep the collector busy."""
        self.compile(COUNTING + "int main(int n, char **v) { (void)v; touch(1); puts(\"ready\"); fflush(stdout);\n"
                     "for (long i = 0; i < (1L << 60); i++) cells[0] = n; return 0; }")
        environment = dict(self.environment, CACHESCAPE_OUTPUT="out.cscape")
        program = subprocess.Popen(["./x"], cwd=self.folder, env=environment, stdout=subprocess.PIPE)
        self.assertEqual(program.stdout.readline(), b"ready\n")
        time.sleep(0.1)
        program.kill()
        program.wait()
        program.stdout.close()
        wait_for(lambda: self.finished("out.cscape"), "the collector's end", 60)
        info = self.info()
        self.assertTrue(info["losses"]["truncated"])
        self.assertEqual(info["losses"]["skipped_records"], 1)

    def test_killed_by_a_closed_pipe(self):
        self.compile(COUNTING + "int main(void) { for (int i = 0; i < 100000; i++) { touch(i == 0); puts(\"line\"); } }")
        done = self.run_it("CACHESCAPE_OUTPUT=out.cscape ./x | head -n 1", shell=True)
        self.assertEqual(done.stdout, "line\n")
        wait_for(lambda: self.finished("out.cscape"), "the collector's end")
        self.assertEqual(self.info()["losses"]["truncated"], True)

    def test_killed_while_it_writes(self):
        self.compile(COUNTING + "int main(void) { puts(\"ready\"); fflush(stdout); for (;;) touch(1); }")
        for alone in False, True:
            command = ["./x"] if alone else [PROGRAM, "record", "-o", "out.cscape", "--lines", "64", "--", "./x"]
            environment = dict(self.environment, CACHESCAPE_OUTPUT="out.cscape")
            program = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
            self.assertEqual(program.stdout.readline(), b"ready\n")
            time.sleep(0.3)
            if alone:
                program.kill()
            else:
                children = subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True).stdout
                os.kill(int(children.split()[0]), signal.SIGKILL)
            self.assertEqual(program.wait(60), -9 if alone else 137)
            program.stdout.close()
            wait_for(lambda: self.finished("out.cscape"), "the collector's end")
            info = self.info()
            self.assertTrue(info["losses"]["truncated"])
            self.assertGreater(info["writes"], 1000)
            (self.folder / "out.cscape").unlink()


class SameOutput(Scratch):
    """Standard output and status of programs, observed and not."""

    def same(self, *sources, options=("-O2",), cplusplus=False, arguments=(), fast=True, may_lose=False):
        plain, wrapped = ("clang++-19", CXX) if cplusplus else ("clang-19", CC)
        self.run_it([plain, *options, *sources, "-o", "plain"])
        self.run_it([wrapped, "-g", *options, *sources, "-o", "x"])
        expected = self.run_it(["./plain", *arguments], expect=None)
        alone = self.run_it(["./x", *arguments], expect=expected.returncode)
        self.assertEqual(alone.stdout, expected.stdout)
        self.assertEqual(alone.stderr, expected.stderr)
        recorded = self.record("./x", *arguments, expect=expected.returncode, fast=fast)
        self.assertEqual(recorded.stdout, expected.stdout)
        losses = self.info()["losses"]
        if may_lose:
            del losses["skipped_records"]
            self.assertEqual(losses, {"lost_accesses": 0, "truncated": False})
        else:
            self.assertEqual(losses, {"lost_accesses": 0, "skipped_records": 0, "truncated": False})
        return expected.stdout

    def same_text(self, text, *options, language="c", arguments=(), may_lose=False):
        self.write(f"x.{language}", text)
        return self.same(f"x.{language}", options=list(options) or ["-O2"], cplusplus=language == "cpp",
                         arguments=arguments, may_lose=may_lose)

    def same_program(self, path):
        self.same(path, options=["-O3"], cplusplus=path.suffix == ".cpp")

    def test_exceptions(self):
        self.same_text(r"""
            #include <cstdio>
            #include <stdexcept>
            #include <string>
            #include <vector>
            struct Guard { std::vector<int>& log; int n; ~Guard() { log.push_back(n); } };
            static int depth(std::vector<int>& log, int n) {
              Guard g{log, n};
              if (n == 0) throw std::runtime_error("bottom");
              return depth(log, n - 1) + log.size();
            }
            int main() {
              std::vector<int> log;
              int caught = 0;
              for (int i = 0; i < 200; i++) {
                try { depth(log, i % 17); } catch (const std::exception& e) { caught += std::string(e.what()).size(); }
              }
              long sum = 0;
              for (int n : log) sum += n;
              std::printf("%d %ld %zu\n", caught, sum, log.size());
            }""", language="cpp")

    def test_jumps(self):
        self.same_text(r"""
            #include <setjmp.h>
            #include <stdio.h>
            static jmp_buf env; static volatile int done; int cells[100];
            __attribute__((noinline)) static void deep(int n) { cells[n % 100]++; if (n == 0) longjmp(env, done + 1); deep(n - 1); }
            int main(void) {
              const int came = setjmp(env);
              if (came < 50) { done = came; deep(came + 20); }
              long sum = 0; for (int i = 0; i < 100; i++) sum += i * cells[i];
              printf("%d %ld\n", came, sum);
              return 0;
            }""")

    def test_jumps_out_of_handlers(self):
        output = self.same_text(r"""
            #include <setjmp.h>
            #include <signal.h>
            #include <stdio.h>
            static sigjmp_buf env; static volatile int handled; volatile int cells[1000];
            static void handler(int s) { (void)s; cells[0]++; handled++; siglongjmp(env, 1); }
            __attribute__((noinline)) static void touch(void) { for (int i = 0; i < 1000; i++) cells[i]++; }
            int main(void) {
              signal(SIGUSR1, handler);
              printf("cells %p %d\n", (void *)0, 0);
              for (volatile int k = 0; k < 20; k++) {
                if (sigsetjmp(env, 1) == 0) { touch(); raise(SIGUSR1); }
                touch();
              }
              printf("%d %d\n", handled, cells[5]);
              return 0;
            }""")
        self.assertIn("20 40", output)
        # Nothing is lost when a handler never returns: 40 times 1000 cells, and those of the handlers.
        info = self.info()
        self.assertGreaterEqual(info["writes"], 40 * 1000 + 2 * 20)
        self.assertEqual(len(info["threads"]), 1)

    def test_signal_storm(self):
        """A handler that interrupts the runtime itself has nowhere to write, and that is counted."""
        self.same_text(r"""
            #include <signal.h>
            #include <stdio.h>
            #include <sys/time.h>
            static volatile long in_handler; volatile int cells[5000]; static int table[64];
            static void handler(int s) { (void)s; for (int i = 0; i < 64; i++) table[i] += i; in_handler++; }
            int main(void) {
              struct sigaction a = {0};
              a.sa_handler = handler; a.sa_flags = SA_RESTART;
              sigaction(SIGALRM, &a, 0);
              struct itimerval t = {{0, 300}, {0, 300}};
              setitimer(ITIMER_REAL, &t, 0);
              long rounds = 0;
              while (in_handler < 400) { for (int i = 0; i < 5000; i++) cells[i] = i; rounds++; }
              struct itimerval off = {{0, 0}, {0, 0}};
              setitimer(ITIMER_REAL, &off, 0);
              int bad = 0;
              for (int i = 0; i < 5000; i++) bad += cells[i] != i;
              printf("%d %d\n", bad, table[63] == 63 * in_handler);
              return 0;
            }""", may_lose=True)

    def test_nested_signals(self):
        """Handlers that interrupt handlers at any instruction, deeper than there are rings for them."""
        self.same_text(r"""
            #include <signal.h>
            #include <stdatomic.h>
            #include <stdio.h>
            #include <sys/mman.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static atomic_long *handled; volatile int cells[5000]; static volatile int table[64];
            static void handler(int s) {
              (void)s;
              for (int i = 0; i < 64; i++) table[i] = i;
              atomic_fetch_add(handled, 1);
            }
            int main(void) {
              handled = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
              struct sigaction a = {0};
              a.sa_handler = handler; a.sa_flags = SA_RESTART | SA_NODEFER;
              sigaction(SIGRTMIN, &a, 0); /* each of these arrives: no more than eight are ever under way */
              const pid_t parent = getpid(), child = fork();
              if (child == 0)
                for (long sent = 0; sent < 20000;)
                  if (sent < atomic_load(handled) + 8 && (sent++, kill(parent, SIGRTMIN) != 0)) _exit(0);
              if (child == 0) _exit(0);
              while (atomic_load(handled) < 20000) for (int i = 0; i < 5000; i++) cells[i] = i;
              waitpid(child, 0, 0);
              int bad = 0;
              for (int i = 0; i < 5000; i++) bad += cells[i] != i;
              for (int i = 0; i < 64; i++) bad += table[i] != i;
              printf("%d\n", bad);
              return 0;
            }""", may_lose=True)

    def test_floating_point_registers_survive(self):
        """The slow path of a record must not touch the program's vector registers."""
        self.same_text(r"""
            #include <stdio.h>
            double a[4096]; int where[4096];
            int main(void) {
              for (int i = 0; i < 4096; i++) { a[i] = i * 0.5; where[i] = (i * 1021) & 4095; }
              double s[8] = {0};
              for (int k = 0; k < 50; k++)
                for (int i = 0; i < 4096; i += 8)
                  for (int j = 0; j < 8; j++) s[j] = s[j] * 0.999 + a[where[i + j]];
              for (int j = 0; j < 8; j++) printf("%.17g\n", s[j]);
              return 0;
            }""", "-O3", "-mavx2")

    def test_openmp(self):
        if not pathlib.Path("/usr/lib/llvm-19/lib/libomp.so").exists():
            self.skipTest("libomp-19-dev is not installed")
        self.same_text(r"""
            #include <stdio.h>
            static double a[100000];
            int main(void) {
              for (int k = 0; k < 5; k++) {
                #pragma omp parallel for num_threads(4) schedule(static)
                for (int i = 0; i < 100000; i++) a[i] += i * 0.5;
              }
              double sum = 0;
              #pragma omp parallel for num_threads(4) reduction(+ : sum)
              for (int i = 0; i < 100000; i++) sum += a[i];
              printf("%.1f\n", sum);
              return 0;
            }""", "-O2", "-fopenmp")
        info = self.info()
        self.assertEqual(len(info["threads"]), 4)
        self.assertGreaterEqual(info["writes"], 500000)

    def test_short_lived_threads(self):
        output = self.same_text(r"""
            #include <atomic>
            #include <cstdio>
            #include <thread>
            #include <vector>
            std::atomic<long> total; int cells[200][100];
            struct Last { int n = 0; ~Last() { total += n; } };
            thread_local Last last;
            static void work(int t) { for (int i = 0; i < 100; i++) cells[t][i] += t; last.n = 1; }
            int main() {
              for (int round = 0; round < 7; round++) {
                std::vector<std::thread> threads;
                for (int t = 32 * round; t < 32 * round + 32 && t < 200; t++) threads.emplace_back(work, t);
                for (std::thread& t : threads) t.join();
              }
              long sum = 0;
              for (auto& row : cells) for (int c : row) sum += c;
              std::printf("%ld %ld\n", sum, total.load());
            }""", "-O2", "-pthread", language="cpp")
        self.assertEqual(output, "1990000 200\n")
        info = self.info()
        self.assertEqual(len(info["threads"]), 201)
        self.assertEqual(info["modifies"], 200)

    def test_destructors_of_keys_are_observed(self):
        self.same_text(r"""
            #include <pthread.h>
            #include <stdio.h>
            static pthread_key_t key; volatile int cells[500];
            static void last(void *p) { (void)p; for (int i = 0; i < 500; i++) cells[i] = i; }
            static void *work(void *p) { cells[0] = 1; pthread_setspecific(key, p); return 0; }
            int main(void) {
              pthread_t t;
              cells[1] = 1;
              pthread_key_create(&key, last);
              pthread_create(&t, 0, work, &t);
              pthread_join(t, 0);
              printf("%d\n", cells[499]);
              return 0;
            }""", "-O2", "-pthread")
        by_thread = {t["thread"]: t["writes"] for t in self.info()["threads"]}
        self.assertEqual(by_thread[1], 501)

    def test_an_allocator_of_its_own(self):
        """The runtime must not call an instrumented malloc() that is being executed."""
        self.same_text(r"""
            #include <pthread.h>
            #include <stdatomic.h>
            #include <stdio.h>
            #include <string.h>
            static char heap[1 << 22]; static size_t used; static atomic_flag lock = ATOMIC_FLAG_INIT;
            void *malloc(size_t n) {
              while (atomic_flag_test_and_set(&lock)) {}
              char *at = heap + used;
              used += (n + 31) & ~(size_t)15;
              *(size_t *)at = n;
              atomic_flag_clear(&lock);
              return at + 16;
            }
            void free(void *p) { (void)p; }
            void *calloc(size_t a, size_t b) { return memset(malloc(a * b), 0, a * b); }
            void *realloc(void *p, size_t n) {
              void *to = malloc(n);
              if (p != 0) memcpy(to, p, ((size_t *)p)[-2] < n ? ((size_t *)p)[-2] : n);
              return to;
            }
            static void *work(void *p) { (void)p; char *mine = malloc(100); mine[5] = 1; return mine; }
            int main(void) {
              pthread_t t[4]; int sum = 0;
              for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
              for (int i = 0; i < 4; i++) { void *p; pthread_join(t[i], &p); sum += ((char *)p)[5]; }
              printf("%d\n", sum);
              return 0;
            }""", "-O1", "-fno-builtin", "-pthread")

    def test_descriptors_have_the_usual_numbers(self):
        self.same_text('#include <fcntl.h>\n#include <stdio.h>\n'
                       'int main(void) { printf("%d\\n", open("/dev/null", O_RDONLY)); return 0; }')

    def test_interrupted_calls_and_errno(self):
        self.same_text(r"""
            #include <errno.h>
            #include <fcntl.h>
            #include <stdio.h>
            volatile int cells[100000];
            int main(void) {
              open("/nonexistent", O_RDONLY);
              for (int i = 0; i < 100000; i++) if (cells[i] == 0) cells[i] = errno;
              printf("%d %d\n", errno, cells[99999]);
              return 0;
            }""", "-O1")


for path in sorted((SOURCE / "tests/programs").iterdir()):
    if path.suffix in (".c", ".cpp"):
        setattr(SameOutput, f"test_{path.stem}",
                lambda self, path=path: self.same_program(path))

if __name__ == "__main__":
    main()
