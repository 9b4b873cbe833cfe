"""Programs in QEMU: for other processors, in parallel threads, and for this one as Valgrind sees them."""
import collections
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from common import FAST, PROGRAM, SOURCE, TOUCH, Emulated, main, wait_for
from places import CONTAINERS, HEAP
from regions import CALIPERS, FUNCTIONS
from truth import ATOMICS, SCALAR, STATE, STRINGS, VECTORS

FOREIGN = ("aarch64", "riscv64")
EVERY = (*FOREIGN, "x86_64")
MISSING = [tool for tool in ["qemu-x86_64", *(f"qemu-{m}" for m in FOREIGN), *(f"{m}-linux-gnu-gcc" for m in FOREIGN)] if not shutil.which(tool)]

KERNEL = TOUCH + r"""
static volatile long wide[512];
__attribute__((noinline)) void update(void) {
  for (int i = 0; i < 512; i++) wide[i] += i;
}
"""


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)} (packages qemu-user, gcc-aarch64-linux-gnu, gcc-riscv64-linux-gnu)")
class Qemu(Emulated):
    def build_for(self, machine, text, *options, name="x"):
        compiler = "gcc" if machine == "x86_64" else f"{machine}-linux-gnu-gcc"
        return self.build(text, *(options or ["-O1"]), name=name, compiler=compiler)

    def program(self, machine, body, *options):
        return self.build_for(machine, KERNEL + body, *options)

    def accesses_to(self, name, profile="out.cscape"):
        """(reads, writes, modifies) of a variable."""
        rows = self.places("object", profile, "--top", "0")["places"]["rows"]
        found = [row for row in rows if row["name"].split(" ")[0] == name]
        return tuple(sum(row[kind] for row in found) for kind in ("reads", "writes", "modifies"))

    def touched(self, profile="out.cscape"):
        return sum(self.accesses_to("cells", profile))

    def losses(self, profile="out.cscape"):
        return self.info(profile)["losses"]

    def fact(self, key, profile="out.cscape"):
        import sqlite3
        with sqlite3.connect(f"file:{self.folder / profile}?mode=ro", uri=True) as file:
            return dict(file.execute("select key, value from provenance"))[key]

    def profiles(self):
        return sorted(p.name for p in self.folder.glob("*.cscape"))


class Counting(Qemu):
    """By hand: what a loop of known shape accesses, in the variable, function and line where it does."""

    def test_a_kernel_static_and_dynamic(self):
        for machine in FOREIGN:
            for linking in ([], ["-static"]):
                program = self.program(machine, 'int main(void) { touch(3); update(); puts("done"); return 7; }', "-O1", *linking)
                self.assertEqual(self.record(program, expect=7).stdout, "done\n")
                what = f"{machine} {linking}"
                self.assertEqual(self.accesses_to("cells"), (0, 3000, 0), what)
                self.assertEqual(self.accesses_to("wide"), (512, 512, 0), what)  # a load and a store: two instructions
                self.assertEqual(self.losses(), {"lost_accesses": 0, "skipped_records": 0, "truncated": False})
                functions = {row["name"]: row for row in self.places("function", "out.cscape", "--top", "0")["places"]["rows"]}
                self.assertEqual(functions["touch"]["writes"], 3000, what)
                at = next(n for n, line in enumerate(KERNEL.splitlines(), 1) if "cells[i] = i" in line)
                lines = self.places("line", "out.cscape", "--top", "0")["places"]["rows"]
                self.assertEqual([row["writes"] for row in lines if (row["name"] or "").endswith(f"x.c:{at}")], [3000], what)
                self.assertEqual(self.fact("observer"), "qemu")

    # A loop of two instructions, and some around it.
    SPIN = {"aarch64": "1: subs %0, %0, #1; b.ne 1b", "riscv64": "1: addi %0, %0, -1; bnez %0, 1b", "x86_64": "1: dec %0; jnz 1b"}

    def test_instructions_are_counted(self):
        for machine, loop in self.SPIN.items():
            program = self.build_for(machine, f"""
                __attribute__((noinline)) void spin(long n) {{ __asm__ volatile("{loop}" : "+r"(n) : : "cc"); }}
                int main(void) {{ spin(100000); return 0; }}""", "-O1", "-static")
            self.record(program, options=["--engine", "qemu"])
            executed = self.instructions()
            self.assertIn(executed["spin"], range(200000, 200010), machine)
            self.assertEqual(sum(executed.values()), self.info()["instructions"], machine)

    def test_misses_of_a_stream(self):
        # 64 KiB from the first to the last byte, twice, through 16 KiB: each line of 64 bytes misses each time.
        for machine in FOREIGN:
            program = self.build_for(machine, r"""
                static volatile long stream[8192] __attribute__((aligned(64)));
                int main(void) { for (int k = 0; k < 2; k++) for (int i = 0; i < 8192; i++) stream[i]; return 0; }""", "-O1", "-static")
            self.record(program, fast=False)
            rows = self.json("report", "out.cscape", "--machine", "L1:16K,4,64", "--by", "object", "--json", "--top", "0")["places"]["rows"]
            row = next(row for row in rows if row["name"].split(" ")[0] == "stream")
            self.assertEqual((row["reads"], row["levels"][0]["misses"]), (16384, 2048), machine)

    def test_instructions(self):
        """One at a time, before and after there was a second thread, from when on QEMU does some of them in another way."""
        frame = r"""
            #include <pthread.h>
            #include <stdio.h>
            static long area[64] __attribute__((aligned(64)));
            static void *nothing(void *at) { return at; }
            __attribute__((noinline)) static void work(void *at) {
              register void *x0 __asm__("%s") = at;
              __asm__ volatile("%s" : "+r"(x0) : : %s, "memory");
            }
            int main(void) {
              pthread_t other;
              work(area);
              pthread_create(&other, 0, nothing, 0);
              pthread_join(other, 0);
              work(area);
              printf("area %%p %%zu\n", (void *)area, sizeof area);
              return 0;
            }"""
        aarch64 = [
            ("ldr x1, [x0]", ["R8"]), ("strb w1, [x0]", ["W1"]),
            ("ldp x1, x2, [x0]", ["R16"]), ("stp w1, w2, [x0]", ["W8"]),
            ("ldr q0, [x0]", ["R16"]), ("ldr d0, [x0]", ["R8"]), ("ldp q0, q1, [x0]", ["R32"]),
            ("ld1 {v0.16b-v3.16b}, [x0]", ["R64"]), ("st4 {v0.4s-v3.4s}, [x0]", ["W64"]), ("ld3 {v0.8b-v2.8b}, [x0]", ["R24"]),
            ("prfm pldl1keep, [x0]", []),
            ("1: ldaxr x1, [x0]; stlxr w2, x1, [x0]; cbnz w2, 1b", ["R8", "W8"]),
            ("1: ldxp x1, x2, [x0]; stxp w3, x1, x2, [x0]; cbnz w3, 1b", ["R16", "W16"]),
            (".arch_extension lse; ldaddal x1, x2, [x0]; cas x1, x2, [x0]; swpb w1, w2, [x0]", ["M8", "M8", "M1"]),
            # Streams of one instruction stay accesses of their own.
            ("mov x1, #5; 1: ldr x2, [x0], #8; subs x1, x1, #1; b.ne 1b", ["R8"] * 5),
            ("mov x1, #5; 1: ldp x2, x3, [x0], #16; subs x1, x1, #1; b.ne 1b", ["R16"] * 5),
            ("mov x1, #3; 1: str q0, [x0], #16; subs x1, x1, #1; b.ne 1b", ["W16"] * 3),
        ]
        riscv64 = [
            ("ld a1, 0(a0)", ["R8"]), ("sh a1, 0(a0)", ["W2"]), ("fld ft0, 0(a0)", ["R8"]),
            ("1: lr.d a1, (a0); sc.d a2, a1, (a0); bnez a2, 1b", ["R8", "W8"]),
            ("amoadd.w a1, a2, (a0)", ["M4"]), ("amoswap.d.aqrl a1, a2, (a0)", ["M8"]),
            ("li a1, 5; 1: ld a2, 0(a0); addi a0, a0, 8; addi a1, a1, -1; bnez a1, 1b", ["R8"] * 5),
        ]
        clobbers = {"aarch64": '"x1", "x2", "x3", "v0", "v1", "v2", "v3", "cc"', "riscv64": '"a1", "a2", "ft0"'}
        for machine, first, instructions in (("aarch64", "x0", aarch64), ("riscv64", "a0", riscv64)):
            # Each begins where the one before it began.
            again = {"aarch64": "; mov x0, x9; ", "riscv64": "; mv a0, a7; "}[machine]
            keep = {"aarch64": "mov x9, x0; ", "riscv64": "mv a7, a0; "}[machine]
            kept = {"aarch64": ', "x9"', "riscv64": ', "a7"'}[machine]
            code = keep + again.join(text for text, _ in instructions)
            program = self.build_for(machine, frame % (first, code, clobbers[machine] + kept), "-O1", "-static", "-pthread")
            output, accesses = self.traced(program)
            begin, size = self.ranges(output)["area"]
            seen = [f"{kind}{bytes}" for _, kind, address, bytes in accesses if begin <= address < begin + size]
            expected = [access for _, accesses in instructions for access in accesses]
            self.assertEqual(seen, expected * 2, machine)

    def test_vectors_of_riscv(self):
        program = self.build_for("riscv64", r"""
            #include <stdio.h>
            static long area[64] __attribute__((aligned(64)));
            int main(void) {
              __asm__ volatile("li t0, 4; vsetvli t0, t0, e64, m4, ta, ma; vle64.v v0, (%0); vse64.v v0, (%0)" : : "r"(area) : "t0", "memory");
              printf("area %p %zu\n", (void *)area, sizeof area);
              return 0;
            }""", "-O1", "-march=rv64gcv", "-static")
        output, accesses = self.traced(program, env={"QEMU_CPU": "rv64,v=true,vlen=256"})
        begin, _ = self.ranges(output)["area"]
        self.assertEqual([(kind, size) for _, kind, address, size in accesses if address == begin], [("R", 32), ("W", 32)])

    def test_code_that_is_written_while_it_runs(self):
        program = self.build_for("aarch64", r"""
            #include <stdio.h>
            #include <sys/mman.h>
            static int cell[2];
            int main(void) {
              unsigned *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              for (int i = 0; i < 20; i++) {
                code[0] = i % 2 ? 0xb9000001 : 0x79000001; /* str w1, [x0], or strh */
                code[1] = 0xd65f03c0;                      /* ret */
                __builtin___clear_cache((char *)code, (char *)(code + 2));
                ((void (*)(int *, int))code)(cell, i);
              }
              printf("cell %p %zu\n", (void *)cell, sizeof cell);
              return 0;
            }""", "-O1", "-static")
        output, accesses = self.traced(program)
        begin, _ = self.ranges(output)["cell"]
        self.assertEqual([size for _, kind, address, size in accesses if address == begin and kind == "W"], [2, 4] * 10)

    def test_zeroing_is_seen(self):
        """The C library would zero blocks by an instruction of which QEMU tells nothing."""
        for linking in ([], ["-static"]):
            program = self.build_for("aarch64", r"""
                #include <string.h>
                static char zeroes[65536] __attribute__((aligned(64)));
                int main(void) { __asm__ volatile("" : : "r"(zeroes)); memset(zeroes, 0, sizeof zeroes); return 0; }""", "-O1", *linking)
            self.record(program, options=["--trace", "out.cstrace"])
            rows = self.places("object", "out.cscape", "--top", "0")["places"]["rows"]
            row = next(row for row in rows if row["name"].split(" ")[0] == "zeroes")
            self.assertGreaterEqual(row["bytes"], 65536)
            self.assertEqual(row["cold"], 1024)  # lines
            self.assertEqual(self.losses()["skipped_records"], 0)

    def test_what_qemu_does_not_tell_is_counted_as_lost(self):
        program = self.build_for("aarch64", r"""
            static char block[4096] __attribute__((aligned(4096)));
            int main(void) { for (int i = 0; i < 10; i++) __asm__ volatile("dc zva, %0" : : "r"(block) : "memory"); return block[5]; }""")
        self.record(program)
        self.assertEqual(self.losses()["skipped_records"], 10)

    def test_threads_run_in_parallel_rings(self):
        body = r"""
            static long sums[4][512];
            static void *run(void *at) { volatile long *s = at; for (int i = 0; i < 5000; i++) s[i % 512] = i; return 0; }
            int main(void) {
              pthread_t t[4];
              for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, sums[i]);
              for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
              printf("sums %p %zu\n", (void *)sums, sizeof sums);
              return 0;
            }"""
        for machine in FOREIGN:
            output, accesses = self.traced(self.program(machine, body, "-O1", "-pthread"))
            begin, size = self.ranges(output)["sums"]
            by_part = collections.defaultdict(lambda: collections.defaultdict(list))
            for thread, kind, address, _ in accesses:
                if begin <= address < begin + size and kind == "W":
                    by_part[(address - begin) // 4096][thread].append((address - begin) % 4096 // 8)
            # One thread for each part, and its accesses in their order.
            self.assertEqual(len({thread for threads in by_part.values() for thread in threads}), 4)
            for part in range(4):
                self.assertEqual(list(by_part[part].values()), [[i % 512 for i in range(5000)]], machine)
            self.assertEqual(len(self.info()["threads"]), 5)
            self.assertIn("blocks", self.fact("thread_order"))

    def test_many_short_threads(self):
        program = self.program("riscv64", r"""
            static void *run(void *at) { (void)at; touch(1); return 0; }
            int main(void) {
              for (int i = 0; i < 50; i++) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); }
              return 0;
            }""", "-O1", "-pthread", "-static")
        self.record(program)
        self.assertEqual(self.touched(), 50_000)
        self.assertEqual(len(self.info()["threads"]), 51)
        self.assertEqual(self.losses()["skipped_records"], 0)

    def test_stacks_are_known(self):
        for machine in FOREIGN:
            program = self.build_for(machine, r"""
                #include <pthread.h>
                static void *run(void *at) { volatile int x[1000]; for (int i = 0; i < 1000; i++) x[i] = i; return at; }
                int main(void) { pthread_t t; run(0); pthread_create(&t, 0, run, 0); return pthread_join(t, 0); }""", "-O1", "-pthread", "-static")
            self.record(program)
            self.assertGreaterEqual(self.accesses_to("stack")[1], 2000, machine)
            self.assertLess(self.accesses_to("(unknown)")[1], 2000, machine)


class Behaviour(Qemu):
    def test_output_input_and_exit_code_are_the_programs(self):
        for machine in EVERY:
            program = self.program(machine, r"""
                int main(int argc, char **argv) {
                  int c;
                  touch(3);
                  while ((c = getchar()) != EOF) putchar(c + 1);
                  fprintf(stderr, "%s %d\n", argv[0], argc);
                  return 42;
                }""")
            done = self.record("./x", "a,b", "-0", options=["--engine", "qemu"], expect=42, input="HAL")
            self.assertEqual(done.stdout, "IBM")
            lines = done.stderr.splitlines()
            self.assertEqual(lines[0], "./x 3")
            self.assertRegex(lines[1], r"^cachescape: out\.cscape: [0-9,]+ accesses by 1 thread")
            self.assertEqual(len(lines), 2)
            self.assertEqual(self.touched(), 3000)
            self.assertEqual(self.info()["command"], "./x a,b -0")
            del program

    def test_the_program_sees_no_more_open_files(self):
        self.program("aarch64", "int main(void) { int n = 0; for (int i = 0; i < 1000; i++) if (dup2(i, i) == i) n++; return n; }", "-O1", "-static")
        plain = self.run_it(["qemu-aarch64", "./x"], expect=None).returncode
        self.record("./x", expect=plain)

    def test_leaving_without_destructors(self):
        for leave in ("_exit(3)", "quick_exit(3)"):
            self.record(self.program("aarch64", "int main(void) { touch(2); %s; }" % leave), expect=3)
            self.assertEqual(self.touched(), 2000, leave)
            self.assertFalse(self.losses()["truncated"])

    def test_leaving_while_threads_run(self):
        program = self.program("aarch64", r"""
            static volatile int ready;
            static void *run(void *at) { touch(2); ready = 1; for (;;) pause(); return at; }
            int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); while (!ready) usleep(1000); return 4; }""", "-O1", "-pthread")
        self.record(program, expect=4)
        self.assertEqual(self.touched(), 2000)

    def test_a_crash_keeps_what_was_observed(self):
        for machine, end, number in (("aarch64", "*(volatile int *)0 = 1", signal.SIGSEGV), ("riscv64", "abort()", signal.SIGABRT),
                                     ("aarch64", "kill(getpid(), SIGTERM)", signal.SIGTERM), ("riscv64", "kill(getpid(), SIGKILL)", signal.SIGKILL)):
            program = self.program(machine, "int main(void) { touch(2); %s; return 0; }" % end, "-O1", "-static")
            done = self.record(program, expect=128 + number)
            self.assertIn(f"ended by signal {number.value} ", done.stderr)
            self.assertEqual(self.touched(), 2000, end)
            self.assertTrue(self.losses()["truncated"], end)
            self.assertEqual(self.losses()["skipped_records"], 0, end)

    def start(self, program, *options):
        return subprocess.Popen([PROGRAM, "record", "-o", "out.cscape", *FAST, *options, "--", program], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_killed_from_outside_in_the_middle(self):
        program = self.program("aarch64", 'int main(void) { touch(100); puts("ready"); fflush(stdout); for (;;) touch(1); }', "-O1", "-static")
        with self.start(program) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
                os.kill(int(file.read()), signal.SIGKILL)
            self.assertEqual(process.wait(timeout=60), 128 + signal.SIGKILL)
        self.assertGreaterEqual(self.touched(), 100_000)
        self.assertTrue(self.losses()["truncated"])

    def test_signal_handlers(self):
        body = r"""
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
            }"""
        self.assertEqual(self.record(self.program("riscv64", body)).stdout, "10\n")
        self.assertEqual(self.touched(), 13_000)
        self.assertEqual(self.losses(), {"lost_accesses": 0, "skipped_records": 0, "truncated": False})

    def test_a_collector_that_dies_does_not_stop_the_program(self):
        program = self.program("aarch64", 'int main(void) { puts("ready"); fflush(stdout); touch(3000); puts("done"); return 0; }', "-O1", "-static")
        with self.start(program) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.kill()
            self.assertEqual(process.stdout.read(), "done\n")
            self.assertIn("the collector has gone", process.stderr.read())

    def test_a_library_that_is_loaded_late(self):
        self.build_for("aarch64", "static long own[100];\nvoid fill(void) { for (int i = 0; i < 100; i++) ((volatile long *)own)[i] = i; }",
                       "-O1", "-fPIC", "-shared", name="late.so")
        program = self.build_for("aarch64", r"""
            #include <dlfcn.h>
            int main(void) { void *l = dlopen("./late.so", RTLD_NOW); ((void (*)(void))dlsym(l, "fill"))(); return dlclose(l); }""")
        self.record(program)
        self.assertGreaterEqual(self.accesses_to("own")[1], 100)  # the dynamic linker zeroes the rest of the page
        functions = {row["name"]: row["writes"] for row in self.places("function", "out.cscape", "--top", "0")["places"]["rows"]}
        self.assertEqual(functions["fill"], 100)

    def test_a_program_without_symbols(self):
        for machine in FOREIGN:
            # In C, compilers for riscv64 do without these tables.
            body = "int main(void) { touch(3); return 0; }"
            at = self.symbols(self.program(machine, body, "-O1", "-fasynchronous-unwind-tables"))
            self.run_it([f"{machine}-linux-gnu-strip", "x"])
            self.record("./x")
            functions = {row["name"]: row["writes"] for row in self.places("function", "out.cscape", "--top", "0")["places"]["rows"]}
            self.assertEqual(functions[f"x+{at['touch']:#x}"], 3000, machine)
            rows = self.places("object", "out.cscape", "--top", "0")["places"]["rows"]
            self.assertGreaterEqual(next(row["writes"] for row in rows if row["name"] == ".bss of x"), 3000, machine)


class Processes(Qemu):
    FORK = r"""
        int main(int argc, char **argv) {
          touch(1);
          if (fork() == 0) {
            touch(5);
            if (argc > 1) execv(argv[1], argv + 1);
            exit(5);
          }
          int status;
          wait(&status);
          touch(1);
          printf("%d\n", WEXITSTATUS(status));
          return 0;
        }"""

    def test_children_are_not_observed(self):
        for machine in EVERY:
            program = self.program(machine, self.FORK)
            self.assertEqual(self.record(program, options=["--engine", "qemu"]).stdout, "5\n")
            self.assertEqual(self.touched(), 2000)
            self.assertEqual(self.profiles(), ["out.cscape"])
            self.assertFalse(self.losses()["truncated"])

    def test_children_that_are_followed_have_profiles(self):
        program = self.program("aarch64", self.FORK)
        self.assertEqual(self.record(program, options=["--follow", "children"]).stdout, "5\n")
        child, parent = wait_for(lambda: len(self.profiles()) == 2 and self.profiles(), "two profiles")[::-1]
        self.assertEqual((parent, self.touched(parent)), ("out.cscape", 2000))
        self.assertRegex(child, r"^x\.\d+\.cscape$")
        self.assertEqual(self.touched(child), 5000)
        # What it has from its parent counts for the parent: it has too few, and so tells none.
        self.assertGreater(self.info(parent)["instructions"], 0)
        self.assertEqual(self.info(child)["instructions"], 0)
        self.assertEqual(self.info(child)["command"], str(program))
        self.assertEqual(self.fact("observer", child), "qemu")

    def test_programs_that_children_become(self):
        """For the same processor they run in QEMU, though the system cannot run them."""
        other = 'int main(int argc, char **argv) { touch(argc); printf("%s %s %d\\n", argv[0], getenv("HELLO"),'
        other += ' getenv("CACHESCAPE_FOLLOW") != 0); fflush(stdout); return 8; }'
        for machine in EVERY:
            self.build_for(machine, KERNEL + other, name="other")
            program = self.program(machine, self.FORK)
            done = self.record(program, "./other", "one,", "two", options=["--engine", "qemu"], env={"HELLO": "world, all"})
            self.assertEqual(done.stdout, "./other world, all 0\n8\n", machine)
            self.assertEqual(self.profiles(), ["out.cscape"])
            done = self.record(program, "./other", "one,", "two", options=["--engine", "qemu", "--follow", "children"])
            self.assertEqual(done.stdout, "./other (null) 0\n8\n", machine)
            names = wait_for(lambda: len(self.profiles()) == 3 and self.profiles(), "three profiles")
            followed = next(name for name in names if name.startswith("other."))
            self.assertEqual(self.touched(followed), 3000)
            self.assertEqual(self.info(followed)["command"], "./other one, two")
            for name in names:
                os.unlink(self.folder / name)

    def test_programs_that_these_become_in_turn(self):
        self.build_for("riscv64", KERNEL + "int main(void) { return 9; }", name="other")
        self.program("riscv64", self.FORK)
        self.assertEqual(self.record("./x", "./x", "./x", "./other").stdout, "9\n0\n0\n")
        self.assertEqual(self.profiles(), ["out.cscape"])

    def test_exec_ends_the_profile(self):
        """Of a program for this processor, too, which then runs as it is."""
        program = self.program("aarch64", 'int main(void) { touch(4); execl("/bin/echo", "echo", "another", (char *)0); return 1; }', "-O1", "-static")
        done = self.record(program)
        self.assertEqual(done.stdout, "another\n")
        self.assertIn("exec", done.stderr)
        self.assertEqual(self.touched(), 4000)
        self.assertTrue(self.losses()["truncated"])

    def test_exec_that_fails(self):
        program = self.program("aarch64", r"""
            #include <errno.h>
            int main(void) {
              char *none[] = {0};
              execv("./nothing", none);
              int first = errno;
              execv((char *)8, none);
              int second = errno;
              execv("./x.c", none);
              printf("%d %d %d\n", first == ENOENT, second == EFAULT, errno == EACCES);
              touch(1);
              return 0;
            }""")
        self.assertEqual(self.record(program).stdout, "1 1 1\n")
        self.assertEqual(self.touched(), 1000)


class Choosing(Qemu):
    def test_by_the_processor_of_the_program(self):
        text = "int main(void) { return 0; }"
        for machine, engine in (("x86_64", "valgrind"), ("aarch64", "qemu"), ("riscv64", "qemu")):
            self.build_for(machine, text)
            self.record("./x")
            self.assertEqual(self.fact("observer"), engine)
        self.build_for("x86_64", text)
        self.record("./x", options=["--engine", "qemu"])
        self.assertEqual(self.fact("observer"), "qemu")

    def test_valgrind_for_another_processor_is_refused(self):
        self.build_for("riscv64", "int main(void) { return 0; }")
        self.assertIn("leave --engine away", self.record("./x", options=["--engine", "valgrind"], expect=5).stderr)

    def test_scripts_are_not_machine_code(self):
        script = self.write("script", "#!/bin/sh\nexit 3\n")
        script.chmod(0o755)
        self.assertIn("give its interpreter", self.record("./script", options=["--engine", "qemu"], expect=5).stderr)
        self.record("./script", expect=3)
        self.assertEqual(self.fact("observer"), "valgrind")

    def test_without_qemu_it_says_so(self):
        self.build_for("aarch64", "int main(void) { return 0; }")
        done = self.run_it([PROGRAM, "record", "--", "./x"], expect=5, env={"PATH": str(self.folder)})
        self.assertIn("qemu-aarch64", done.stderr)
        self.assertIn("install the package qemu-user", done.stderr)

    def test_without_libraries_it_says_so(self):
        self.build_for("aarch64", "int main(void) { return 0; }")
        done = self.record("./x", expect=5, env={"QEMU_LD_PREFIX": "/nowhere"})
        self.assertIn("/lib/ld-linux-aarch64.so.1", done.stderr)
        self.assertIn("below /nowhere", done.stderr)
        self.assertIn("QEMU_LD_PREFIX", done.stderr)
        self.build_for("aarch64", "int main(void) { return 0; }", "-static")
        self.record("./x", env={"QEMU_LD_PREFIX": "/nowhere"})

    def test_what_it_cannot_do_is_refused(self):
        self.build_for("aarch64", "int main(void) { return 0; }")
        for option, message in ((["--counters-only"], "only programs built by cachescape cc"),
                                (["--call-stacks"], "call stacks are told by Valgrind"),
                                (["--from", "missing"], "the program has no function missing"),
                                (["--kernel"], "what the kernel accesses is seen in Valgrind only")):
            self.assertIn(message, self.record("./x", options=option, expect=5).stderr)


class Parts(Qemu):
    """Of programs that are marked by <cachescape/mark.h>."""

    def cells(self, *options):
        self.assertEqual(self.record("./x", options=options).stdout, "done\n")
        self.assertEqual(self.losses(), {"lost_accesses": 0, "skipped_records": 0, "truncated": False})
        return self.accesses_to("cells")[1] if self.info()["accesses"] else 0

    def test_calipers(self):
        engine = ("--engine", "qemu")
        for machine in EVERY:
            for level in ("-O0", "-O2"):
                self.build_for(machine, CALIPERS, level, "-pthread", "-static", f"-I{SOURCE}/include")
                self.assertEqual(self.cells(*engine), 100 * (1 + 2 + 5 + 32 + 64), machine)
                self.assertEqual(self.cells(*engine, "--region", "outer"), 100 * 7, machine)
                self.assertEqual(self.cells(*engine, "--region", "inner"), 100 * (5 + 32), machine)
                self.assertEqual(self.cells(*engine, "--region", "no such"), 0, machine)

    def test_calipers_make_no_accesses_of_their_own(self):
        marked = 'cachescape_begin_region("a"); cells[0] = 1; cachescape_end_region("a");'
        for machine in EVERY:
            program = self.build_for(machine, f"""
                #include <cachescape/mark.h>
                volatile int cells[1];
                int main(void) {{ for (int i = 0; i < 1000; i++) {{ {marked} }} return 0; }}""", "-O2", "-static", f"-I{SOURCE}/include")
            self.record(program, options=["--engine", "qemu", "--region", "a"])
            self.assertEqual((self.info()["writes"], self.accesses_to("cells")[1]), (1000, 1000), machine)

    FROM_UNTIL = r"""
        #include <stdio.h>
        volatile int cells[100];
        __attribute__((noinline)) void write_cells(int times) {
          for (int k = 0; k < times; k++)
            for (int i = 0; i < 100; i++) cells[i] = i;
        }
        __attribute__((noinline)) void begin(void) { cells[0] = 0; }
        __attribute__((noinline)) void finish(void) { cells[0] = 0; }
        int main(void) {
          write_cells(1); begin(); write_cells(2); begin(); finish(); write_cells(4); begin(); write_cells(8); finish();
          write_cells(16);
          puts("done");
          return 0;
        }"""

    def test_from_one_function_until_another(self):
        for machine in FOREIGN:
            for linking in ([], ["-static"]):
                self.build_for(machine, self.FROM_UNTIL, "-O1", *linking)
                self.assertEqual(self.cells("--from", "begin", "--until", "finish"), 100 * (2 + 8) + 3, machine)
                self.assertEqual(self.cells("--from", "begin"), 100 * (2 + 4 + 8 + 16) + 5, machine)
                self.assertEqual(self.cells("--until", "finish"), 100 * (1 + 2) + 2, machine)
                # Its first store and all that comes before its second call are inside.
                self.assertEqual(self.cells("--from", "begin", "--until", "begin"), 100 * (2 + 8 + 16) + 3, machine)

    def test_functions_of_cpp(self):
        self.build(FUNCTIONS, "-O2", language="cpp")
        engine = ("--engine", "qemu")
        self.assertEqual(self.cells(*engine, "--from", "phase::begin(int)", "--until", "phase::End::now() const"), 100 * (2 + 8) + 3)
        self.assertEqual(self.cells(*engine, "--from", "phase::begin"), 100 * (2 + 4 + 8 + 16 + 32 + 64) + 6)

    def test_requests_in_a_library(self):
        """In code that is mapped later, and where the instruction behind the request is jumped to as well."""
        self.write("library.c", """
            #include <cachescape/mark.h>
            volatile int cells[100] = {1};
            __attribute__((noinline)) void work(int marked) {
              if (marked) CACHESCAPE_ASK(3, "a");
              for (int i = 0; i < 100; i++) cells[i] = i;
              if (marked) CACHESCAPE_ASK(4, "a");
            }""")
        self.run_it(["gcc", "-g", "-O2", "-shared", "-fPIC", f"-I{SOURCE}/include", "library.c", "-o", "library.so"])
        self.build(r"""
            #include <dlfcn.h>
            #include <stdio.h>
            int main(void) {
              void (*work)(int) = (void (*)(int))dlsym(dlopen("./library.so", RTLD_NOW), "work");
              for (int i = 0; i < 8; i++) work(i % 4 == 1);
              puts("done");
              return 0;
            }""", "-O2")
        self.assertEqual(self.cells("--engine", "qemu", "--region", "a"), 200)
        self.assertEqual(self.cells("--engine", "qemu"), 800)


class Heap(Qemu):
    """What is allocated, by the line that does it."""

    FILL = r"""
        #include <malloc.h>
        #include <pthread.h>
        #include <setjmp.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/wait.h>
        #include <unistd.h>
        __attribute__((noinline)) static void fill(volatile char *p, int n) { for (int i = 0; i < n; i++) p[i] = 1; }
        """

    def heap(self, profile="out.cscape"):
        """Line of x.c or x.cpp → (allocations, bytes of all of them, reads, writes)."""
        import sqlite3
        rows = self.places("object", profile, "--top", "0")["places"]["rows"]
        accesses = collections.defaultdict(lambda: [0, 0])
        for row in rows:
            if row.get("kind") == "heap" and re.search(r"(^|/)x\.c(pp)?$", row.get("file") or ""):
                accesses[row["line"]][0] += row["reads"]
                accesses[row["line"]][1] += row["writes"]
        with sqlite3.connect(f"file:{self.folder / profile}?mode=ro", uri=True) as file:
            found = file.execute("select line, sum(allocations), sum(bytes) from object join location on object.location = location.id"
                                 " where kind = 'heap' and (file like '%x.c' or file like '%x.cpp') group by line")
            return {line: (allocations, bytes, *accesses[line]) for line, allocations, bytes in found}

    def marked(self, text, profile="out.cscape"):
        """The same by what the line says behind "// "."""
        lines = text.splitlines()
        return {lines[line - 1].rpartition("// ")[2]: row for line, row in self.heap(profile).items()}

    def heaps_of(self, text, *options):
        """Of the program for each machine, with libraries or without."""
        text = self.FILL + text
        for machine, linking in (("aarch64", []), ("riscv64", ["-static"]), ("x86_64", [])):
            program = self.build_for(machine, text, *(options or ["-O1"]), "-pthread", *linking)
            self.record(program, options=["--engine", "qemu"])
            yield machine, self.marked(text)

    def assert_heap(self, heap, expected, what=""):
        """(allocations, bytes, writes); the allocator itself also writes into what it hands out or will get back."""
        self.assertEqual({mark: row[:2] for mark, row in heap.items()}, {mark: row[:2] for mark, row in expected.items()}, what)
        for mark, (allocations, _, writes) in expected.items():
            self.assertIn(heap[mark][3], range(writes, writes + 60 * allocations + 1), f"{what} {mark}")

    def test_by_hand(self):
        lines = HEAP.splitlines()
        for machine in FOREIGN:
            for linking in ([], ["-static"]):
                self.record(self.build_for(machine, HEAP, "-O1", "-fno-optimize-sibling-calls", *linking))
                found = {lines[line - 1].strip(): row for line, row in self.heap().items()}
                what = f"{machine} {linking}"
                grown = found.pop("for (int n = 1; n <= 64; n *= 2) grown = realloc(grown, n * 400);")
                # What it has moved is written twice.
                self.assertEqual(grown[:2], (7, 400 * (1 + 2 + 4 + 8 + 16 + 32 + 64)), what)
                self.assertGreaterEqual(grown[3], 6400, what)
                self.assertEqual(found, {
                    "return malloc(bytes);": (1, 4000, 0, 1000),
                    "int *zeroed = calloc(500, 4);": (1, 2000, 0, 500),
                    "int *aligned = aligned_alloc(64, 1024);": (1, 1024, 0, 256),
                    "if (posix_memalign(&placed, 128, 800) != 0) return 1;": (1, 800, 0, 200),
                    "int *over = reallocarray(0, 300, 4);": (1, 1200, 0, 300),
                    "int *old = memalign(32, 640);": (1, 640, 0, 160),
                    "int *again = malloc(4000); /* mostly where plain was */": (1, 4000, 0, 7),
                }, what)

    def test_many_of_one_place(self):
        for what, heap in self.heaps_of(r"""
            static char *rows[100];
            __attribute__((noinline)) static int depth(int n) {
              char *p = malloc(n); // in a recursion
              fill(p, n);
              int below = n > 1 ? depth(n - 1) : 0;
              free(p);
              return below + 1;
            }
            __attribute__((noinline)) static char *jumps(int n) { return malloc(n + 1); }
            int main(void) {
              for (int k = 0; k < 3; k++) {
                for (int i = 0; i < 100; i++) rows[i] = malloc(16 + i); // rows
                for (int i = 0; i < 100; i++) { fill(rows[i], 16 + i); free(rows[i]); }
              }
              fill(jumps(99), 100); // a tail call
              return depth(20) != 20;
            }""", "-O2"):
            self.assert_heap(heap, {"rows": (300, 3 * (1600 + 4950), 3 * (1600 + 4950)), "a tail call": (1, 100, 100),
                                    "in a recursion": (20, 210, 210)}, what)

    def test_what_fails_is_nothing(self):
        for what, heap in self.heaps_of(r"""
            int main(void) {
              void *volatile none = 0, *kept = (void *)8;
              volatile size_t most = PTRDIFF_MAX, wraps = SIZE_MAX / 2;
              int failed = 0;
              char *p = malloc(100); // first
              failed += malloc(most) == 0; // too much
              failed += calloc(wraps, 4) == 0; // too many
              failed += realloc(p, most) == 0; // and p stays
              failed += reallocarray(p, wraps, 4) == 0; // and p stays
              failed += posix_memalign((void **)&kept, 3, 100) != 0; // no power of two
              fill(p, 100);
              free(none);
              p = realloc(p, 5000); // moved
              fill(p, 5000);
              p = realloc(p, 0); // released
              char *q = calloc(10, 10); // last
              fill(q, 100);
              free(q);
              return failed != 5 || p != 0;
            }""", "-O0"):
            self.assert_heap(heap, {"first": (1, 100, 100), "moved": (1, 5000, 5000), "last": (1, 100, 100)}, what)

    def test_calls_that_never_return(self):
        """An allocator of the program's own that is left by longjmp: what comes next belongs to whom it is for."""
        text = r"""
            static char pool[1 << 20] __attribute__((aligned(64)));
            static size_t used;
            static jmp_buf out;
            static volatile int trouble;
            __attribute__((noinline)) static void give_up(void) { longjmp(out, 1); }
            __attribute__((noinline)) void *malloc(size_t n) {
              if (trouble) give_up();
              void *p = pool + used;
              used += (n + 15) & ~15ul;
              return p;
            }
            __attribute__((noinline)) void *calloc(size_t n, size_t each) { void *p = malloc(n * each); return memset(p, 0, n * each); }
            __attribute__((noinline)) void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
            __attribute__((noinline)) void free(void *p) { __asm__ volatile("" : : "r"(p)); }
            __attribute__((noinline)) static char *deeper(int n) {
              volatile char frame[64] = {0};
              char *p = malloc(n + frame[3]); // deeper
              return p;
            }
            __attribute__((noinline)) static void attempt(int n) {
              trouble = 1;
              if (setjmp(out) == 0) fill(malloc(n), n); // never
              trouble = 0;
              fill(deeper(n), n);
            }
            int main(void) {
              for (int i = 0; i < 5; i++) attempt(100);
              fill(calloc(7, 10), 70); // one
              return 0;
            }"""
        expected = {"deeper": (5, 500, 500), "one": (1, 70, 70)}
        for what, heap in self.heaps_of(text, "-O1", "-fno-builtin"):
            self.assert_heap(heap, expected, what)
        # Where they return to lies on the stack with a signature.
        self.record(self.build_for("aarch64", self.FILL + text, "-O1", "-fno-builtin", "-mbranch-protection=standard", "-static"))
        self.assert_heap(self.marked(self.FILL + text), expected)

    def test_a_return_to_code_that_has_run_before(self):
        for what, heap in self.heaps_of(r"""
            static char own[100];
            static void *lend(size_t n) { (void)n; return own; }
            int main(void) {
              static void *(*volatile get[])(size_t) = {lend, lend, malloc, malloc, lend, malloc};
              for (int i = 0; i < 6; i++) fill(get[i](100), 100); // whoever
              return 0;
            }"""):
            self.assert_heap(heap, {"whoever": (3, 300, 300)}, what)
            self.assertEqual(self.accesses_to("own"), (0, 300, 0), what)

    def test_code_is_translated_anew_while_threads_run(self):
        """Each of 20 places has called another function before, and threads are everywhere: the first calls may be missed, no later ones."""
        places = "".join(f"fill(call(i + {n})(50), 50); // place {n}\n" for n in range(20))
        for what, heap in self.heaps_of(r"""
            static char own[100];
            static void *lend(size_t n) { (void)n; return own; }
            __attribute__((noinline)) static void *(*call(int i))(size_t) {
              static void *(*volatile get[])(size_t) = {lend, malloc};
              return get[i % 40 >= 20];
            }
            static void *run(void *at) {
              for (int i = 0; i < 200; i++) {
                """ + places + r"""
              }
              return at;
            }
            int main(void) {
              pthread_t t[4];
              for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);
              for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
              run(0);
              return 0;
            }"""):
            self.assertEqual(set(heap), {f"place {n}" for n in range(20)}, what)
            for mark, (allocations, bytes, _, _) in heap.items():
                self.assertIn(allocations, range(101, 501), f"{what} {mark}")
                self.assertEqual(bytes, 50 * allocations, f"{what} {mark}")

    def test_threads(self):
        for what, heap in self.heaps_of(r"""
            static pthread_barrier_t all;
            static void *run(void *at) {
              fill(malloc(10), 10); // part of its own
              pthread_barrier_wait(&all);
              for (int i = 0; i < 50; i++) {
                char *p = malloc(200); // in threads
                fill(p, 200);
                p = realloc(p, 300); // and again
                fill(p, 300);
                free(p);
              }
              pthread_barrier_wait(&all);
              return at;
            }
            int main(void) {
              pthread_t t[4];
              pthread_barrier_init(&all, 0, 4);
              for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);
              for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
              return 0;
            }"""):
            # Each has its own part of the heap, so what others release in the meantime changes nothing.
            self.assert_heap(heap, {"part of its own": (4, 40, 40), "in threads": (200, 40000, 40000), "and again": (200, 60000, 60000)}, what)

    def test_what_was_allocated_outside_of_the_part(self):
        self.record(self.build_for("aarch64", self.FILL + r"""
            __attribute__((noinline)) void begin(void) { __asm__ volatile(""); }
            int main(void) {
              char *p = malloc(100); // before
              fill(p, 100);
              begin();
              fill(p, 100);
              return 0;
            }"""), options=["--from", "begin"])
        (row,) = self.heap().values()
        self.assertEqual(row, (1, 100, 0, 100))

    def test_a_followed_child_knows_its_own_sites(self):
        text = self.FILL + r"""
            static void make(int n) {
              char *p = malloc(n); // both
              fill(p, n);
            }
            int main(void) {
              make(100);
              if (fork() == 0) {
                make(200);
                fill(malloc(30), 30); // child
                return 0;
              }
              wait(0);
              return 0;
            }"""
        for machine in EVERY:
            for old in self.folder.glob("*.cscape"):
                old.unlink()
            self.record(self.build_for(machine, text), options=["--engine", "qemu", "--follow", "children"])
            child = next(name for name in self.profiles() if name != "out.cscape")
            self.assert_heap(self.marked(text), {"both": (1, 100, 100)}, machine)
            self.assert_heap(self.marked(text, child), {"both": (1, 200, 200), "child": (1, 30, 30)}, machine)

    def test_an_exception_leaves_an_allocation(self):
        self.record(self.build(r"""
            #include <cstdint>
            #include <new>
            __attribute__((noinline)) static void fill(volatile char* p, int n) { for (int i = 0; i < n; i++) p[i] = 1; }
            __attribute__((noinline)) static char* deeper(int n) {
              char* p = new char[n];
              return p;
            }
            __attribute__((noinline)) static void attempt(std::size_t most) {
              try { fill(new char[most], 1); } catch (const std::bad_alloc&) { fill(deeper(100), 100); }
            }
            int main() {
              volatile std::size_t most = PTRDIFF_MAX / 2;
              for (int i = 0; i < 3; i++) attempt(most);
            }""", "-O1", language="cpp"), options=["--engine", "qemu"])
        self.assert_heap(dict(enumerate(self.heap().values())), {0: (3, 300, 300)})

    def test_it_agrees_with_valgrind(self):
        for text, language, linking in ((HEAP, "c", []), (HEAP, "c", ["-static"]), (CONTAINERS, "cpp", [])):
            program = self.build(text, "-O1", "-fno-optimize-sibling-calls", *linking, language=language)
            heaps = []
            for engine in ("valgrind", "qemu"):
                self.record(program, options=["--engine", engine])
                heaps.append(self.heap())
            self.assertGreaterEqual(len(heaps[0]), 3)
            self.assertEqual(heaps[0], heaps[1])


class AgainstValgrind(Qemu):
    """The same program in both: (instruction, kind, size) → how many, within its own code."""

    def counted(self, program, code, engine):
        self.record(program, options=["--engine", engine, "--trace", "out.cstrace", "--only-trace"])
        rows = self.run_it([PROGRAM, "trace", "cat", "out.cstrace", "--to", "csv"]).stdout.splitlines()[1:]
        counted = collections.Counter()
        for row in rows:
            _, _, kind, _, size, pc = row.split(",")
            if int(pc, 16) in code:
                counted[int(pc, 16), kind, int(size)] += 1
        return counted

    def code_of(self, program):
        """Instruction → its name."""
        lines = self.run_it(["objdump", "-d", "-j", ".text", "--no-show-raw-insn", program]).stdout.splitlines()
        found = (re.match(r"\s+([0-9a-f]+):\s+((?:lock )?\S+)", line) for line in lines)
        return {int(match[1], 16): match[2] for match in found if match}

    def compare(self, text, *options, but=()):
        """`but` are names of instructions that the two tell in different ways. What they tell of these, by name."""
        program = self.build(text, "-no-pie", *options)
        code = self.code_of(program)
        seen = {engine: self.counted(program, code, engine) for engine in ("valgrind", "qemu")}
        same = {engine: {key: n for key, n in counts.items() if code[key[0]] not in but} for engine, counts in seen.items()}
        self.assertEqual(same["qemu"], same["valgrind"])
        self.assertGreater(sum(same["qemu"].values()), 50)
        others = {engine: collections.Counter() for engine in seen}
        for engine, counts in seen.items():
            for (pc, kind, size), n in counts.items():
                if code[pc] in but:
                    others[engine][code[pc], f"{kind}{size}"] += n
        return others

    def test_scalars(self):
        for level in ("-O0", "-O1", "-O3"):
            self.compare(SCALAR, level)

    def test_vectors(self):
        # Masked moves: Valgrind reads the elements that are on, QEMU the whole vector, and writes together what adjoins.
        others = self.compare(VECTORS, "-O1", but=["vmaskmovps"])
        self.assertEqual(others["valgrind"], {("vmaskmovps", "R4"): 80, ("vmaskmovps", "W4"): 80})
        self.assertEqual(others["qemu"], {("vmaskmovps", "R32"): 20, ("vmaskmovps", "W4"): 40, ("vmaskmovps", "W8"): 20})

    def test_string_instructions(self):
        self.compare(STRINGS, "-O1")

    def test_atomics(self):
        # Valgrind reads first and then compares and exchanges; here one instruction is one modification.
        locked = ["lock addq", "xchg", "lock incl", "lock xadd"]
        others = self.compare(ATOMICS, "-O1", but=locked)
        self.assertEqual({what: n for what, n in others["valgrind"].items() if what[1].startswith("M")}, others["qemu"])
        self.assertEqual({name for name, _ in others["qemu"]}, set(locked))

    def test_state_of_the_processor(self):
        others = self.compare(STATE, "-O1", but=["fxsave", "fxrstor"])
        self.assertTrue(others["valgrind"] and others["qemu"])


if __name__ == "__main__":
    main()
