"""Which calls have led to what a plain program does: counters by call stack, and heap objects by theirs."""
import sqlite3

from common import Emulated, main, wait_for

TEXT = r"""
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
static volatile long cells[1000];
__attribute__((noinline)) void touch(int n) { for (int i = 0; i < n; i++) cells[i] = i; }
__attribute__((noinline)) void once(void) { touch(100); cells[0] = 1; }
__attribute__((noinline)) void twice(void) { touch(200); touch(300); cells[0] = 1; }
"""


class Stacks(Emulated):
    def record_stacks(self, *arguments, **others):
        return self.record("./x", *arguments, options=["--call-stacks", *others.pop("options", [])], **others)

    def stacks(self, profile="out.cscape"):
        """Of each call stack from main or thread on: what was counted, with calls."""
        rows = self.json("report", profile, "--by", "stack", "--json", "--top", "0")["stacks"]["rows"]
        return {" > ".join(row["stack"]): dict(row["counters"], calls=row["calls"], recursive=row["recursive"]) for row in rows}

    def facts(self, stack, *names, profile="out.cscape"):
        row = self.stacks(profile)[stack]
        return tuple(row.get(name, 0) for name in names)


class Counters(Stacks):
    def test_a_function_is_counted_for_each_caller(self):
        self.build(TEXT + "int main(void) { once(); twice(); return 4; }")
        self.record_stacks(expect=4)
        self.assertEqual(self.facts("main > once > touch", "calls", "stores", "bytes.stored"), (1, 100, 800))
        self.assertEqual(self.facts("main > twice > touch", "calls", "stores", "bytes.stored"), (2, 500, 4000))
        self.assertEqual(self.facts("main > twice", "calls"), (1,))

    def test_all_of_them_are_the_program(self):
        self.build(TEXT + "int main(void) { once(); twice(); return 0; }")
        self.record_stacks()
        info = self.info()
        rows = self.stacks().values()
        total = {name: sum(row.get(name, 0) for row in rows) for name in ("instructions", "loads", "stores", "bytes.loaded", "bytes.stored")}
        self.assertEqual(total["instructions"], info["instructions"])
        self.assertEqual(total["loads"], info["reads"] + info["modifies"])
        self.assertEqual(total["stores"], info["writes"] + info["modifies"])
        self.assertEqual(self.json("report", "out.cscape", "--by", "stack", "--json")["counters"], total)

    def test_recursion_is_folded(self):
        self.build(TEXT + r"""
            __attribute__((noinline)) void again(int n);
            __attribute__((noinline)) void other(int n) { if (n > 0) again(n - 1); cells[1] = 1; }
            __attribute__((noinline)) void again(int n) { other(n); cells[2] = 2; }
            int main(void) { again(9); return 0; }""")
        self.record_stacks()
        found = {stack: row for stack, row in self.stacks().items() if "again" in stack}
        self.assertEqual({stack: (row["calls"], row["recursive"]) for stack, row in found.items()},
                         {"main > again": (10, True), "main > again > other": (10, False)})

    def test_jumps_out_of_calls_leave_them(self):
        self.build(TEXT + r"""
            static jmp_buf back;
            __attribute__((noinline)) void deep(int n) { if (n == 0) longjmp(back, 1); deep(n - 1); cells[1] = 1; }
            int main(void) { if (setjmp(back) == 0) deep(5); once(); return 0; }""")
        self.record_stacks()
        self.assertEqual(self.facts("main > once > touch", "stores"), (100,))

    def test_exceptions(self):
        self.build(r"""
            static volatile long cells[1000];
            __attribute__((noinline)) void touch() { for (int i = 0; i < 1000; i++) cells[i] = i; }
            __attribute__((noinline)) void thrower(int n) { if (n == 0) throw 1; thrower(n - 1); cells[0] = 1; }
            __attribute__((noinline)) void catcher() { try { thrower(5); } catch (int) { touch(); } cells[0] = 2; }
            int main() { catcher(); return 0; }""", language="cpp")
        self.record_stacks()
        self.assertEqual(self.facts("main > catcher() > touch()", "calls", "stores"), (1, 1000))

    def test_threads_have_their_own(self):
        self.build(TEXT + r"""
            void *work(void *of) { for (int i = 0; i < 50; i++) once(); return of; }
            int main(void) {
              pthread_t a, b;
              pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
              for (int i = 0; i < 50; i++) twice();
              pthread_join(a, 0); pthread_join(b, 0);
              return 0;
            }""", "-O1", "-pthread")
        for order in ("blocks", "exact"):
            self.record_stacks(options=["--order", order])
            self.assertEqual(self.facts("main > twice > touch", "calls", "stores"), (100, 25000))
            ours = [row for stack, row in self.stacks().items() if stack.endswith("work > once > touch")]
            self.assertEqual(sum(row["stores"] for row in ours), 10000)
            self.assertEqual(sum(row["instructions"] for row in self.stacks().values()), self.info()["instructions"])

    def test_functions_without_symbols_are_seen_where_calls_lead(self):
        at = self.symbols(self.build(TEXT + "int main(void) { once(); twice(); return 0; }", "-O1"))
        self.run_it(["strip", "x"])
        self.record_stacks()
        main, twice, touch = (f"x+{at[name]:#x}" for name in ("main", "twice", "touch"))
        # main() too has no name, and so stacks begin before it.
        found = [row for stack, row in self.stacks().items() if stack.endswith(f" > {main} > {twice} > {touch}")]
        self.assertEqual([(row["calls"], row["stores"]) for row in found], [(2, 500)])

    def test_signal_handlers_are_called_from_what_they_interrupt(self):
        self.build(TEXT + r"""
            #include <signal.h>
            void handler(int n) { once(); (void)n; }
            int main(void) { signal(SIGUSR1, handler); raise(SIGUSR1); twice(); return 0; }""")
        self.record_stacks()
        found = [stack for stack, row in self.stacks().items() if stack.endswith("handler > once > touch") and row["stores"] == 100]
        self.assertEqual(len(found), 1, found)
        self.assertEqual(self.facts("main > twice > touch", "stores"), (500,))

    def test_children_that_are_followed_have_theirs(self):
        self.build(TEXT + "int main(void) { if (fork() == 0) { twice(); _exit(0); } wait(0); once(); return 0; }")
        self.record_stacks(options=["--follow", "children"])
        profiles = wait_for(lambda: len(list(self.folder.glob("*.cscape"))) == 2 and sorted(p.name for p in self.folder.glob("*.cscape")), "two")
        child = next(name for name in profiles if name != "out.cscape")
        self.assertEqual(self.facts("main > once > touch", "stores"), (100,))
        # Its stacks begin with what is called after the fork.
        self.assertEqual(self.facts("twice > touch", "calls", "stores", profile=child), (2, 500))

    def test_without_being_asked_there_are_none(self):
        self.build(TEXT + "int main(void) { once(); return 0; }")
        self.record("./x")
        self.assertEqual(self.stacks(), {})
        with sqlite3.connect(f"file:{self.folder / 'out.cscape'}?mode=ro", uri=True) as file:
            self.assertEqual(file.execute("select distinct metric from counter").fetchall(), [("instructions",)])


class HeapObjects(Stacks):
    TEXT = r"""
        #include <stdlib.h>
        static volatile long sink;
        __attribute__((noinline)) static long *make(int n) {
          long *made = malloc(n * sizeof *made);
          for (int i = 0; i < n; i++) made[i] = i;
          return made;
        }
        static inline __attribute__((always_inline)) long *wrapped(int n) { return make(n); }
        __attribute__((noinline)) static void left(void) { sink += make(10)[1]; }
        __attribute__((noinline)) static void right(void) { sink += wrapped(20)[1]; sink += wrapped(30)[1]; }
        __attribute__((noinline)) static void deeper(int n) { if (n > 0) deeper(n - 1); else left(); sink++; }
        int main(void) { left(); right(); for (int i = 0; i < 4; i++) deeper(i); return 0; }"""

    def made(self):
        """Writes to what make() has allocated, by the functions that called, innermost first."""
        with sqlite3.connect(f"file:{self.folder / 'out.cscape'}?mode=ro", uri=True) as file:
            places = {row[0]: row[1:] for row in file.execute("select id, function, inlined_at from location")}
            objects = file.execute("select name, location, allocations, bytes from object where kind = 'heap' or kind = 1").fetchall()
        found = {}
        for name, at, allocations, bytes_ in objects:
            if name != "make":
                continue
            calls = []
            while at is not None:
                function, at = places[at]
                calls.append(function)
            found[tuple(calls)] = found.get(tuple(calls), 0) + bytes_
        return found

    def test_are_told_apart_by_their_calls(self):
        self.build(self.TEXT)
        self.record_stacks()
        self.assertEqual(self.made(), {("make", "left", "main"): 80, ("make", "wrapped", "right", "main"): 400,
                                       ("make", "left", "deeper", "main"): 320})

    def test_without_being_asked_they_are_one(self):
        self.build(self.TEXT)
        self.record("./x")
        self.assertEqual(self.made(), {("make",): 800})


class Refusals(Stacks):
    def test_other_observers(self):
        self.build("int main(void) { return 0; }")
        for engine in ("compiled", "qemu"):
            done = self.record_stacks(options=["--engine", engine], expect=5)
            self.assertIn("call stacks are told by Valgrind", done.stderr)


if __name__ == "__main__":
    main()
