"""The wrappers in the places of compilers: build systems, kinds of calls, ways to link."""
import os
import shutil
import subprocess

from support import BUILD, CC, CXX, FORTRAN, PROGRAM, Scratch, main

TOUCH = r"""
volatile int cells[1000];
void touch(int n) { for (int i = 0; i < n; i++) cells[i] = i; }
"""
MAIN = "void touch(int); int main(void) { touch(1000); return 0; }\n"


class Calls(Scratch):
    """What compilers are asked for, besides compiling."""

    def setUp(self):
        super().setUp()
        self.write("touch.c", TOUCH)
        self.write("main.c", MAIN)

    def writes(self, program="./x", options=()):
        self.record(program, options=options)
        return self.info()["writes"]

    def plain(self, *arguments, expect=0):
        return self.run_it(["clang-19", *arguments], expect=expect)

    def test_questions(self):
        for question in (["--version"], ["-v"], ["-dumpversion"], ["-dumpmachine"], ["-print-search-dirs"],
                         ["-E", "main.c"], ["-M", "touch.c"], ["-MM", "touch.c"], ["-fsyntax-only", "main.c"],
                         ["-E", "-dM", "-x", "c", "/dev/null"]):
            with self.subTest(question=question):
                got, wanted = self.run_it([CC, *question]), self.plain(*question)
                self.assertEqual((got.stdout, got.stderr), (wanted.stdout, wanted.stderr))

    def test_mistakes(self):
        self.write("wrong.c", "int main(void) { return nonsense; }\n")
        got, wanted = self.run_it([CC, "-c", "wrong.c"], expect=1), self.plain("-c", "wrong.c", expect=1)
        self.assertEqual(got.stderr, wanted.stderr)

    def test_compile_then_link(self):
        self.run_it([CC, "-O2", "-Werror", "-MD", "-MF", "touch.d", "-c", "touch.c"])
        self.run_it([CC, "-O2", "-Werror", "-c", "main.c", "-o", "main.o"])
        self.run_it([CC, "-Werror", "touch.o", "main.o", "-o", "x"])
        self.assertEqual(self.writes(), 1000)
        self.assertTrue((self.folder / "touch.d").read_text().startswith("touch.o: touch.c"))

    def test_assembly_and_intermediate_code(self):
        self.run_it([CC, "-O2", "-S", "touch.c"])
        self.assertIn("cachescape_next", (self.folder / "touch.s").read_text())
        self.run_it([CC, "-O2", "touch.s", "main.c", "-o", "x"])
        self.assertEqual(self.writes(), 1000)
        self.run_it([CC, "-O2", "-S", "-emit-llvm", "touch.c"])
        self.run_it([CC, "-O2", "touch.ll", "main.c", "-o", "x"])
        self.assertEqual(self.writes(), 1000)

    def test_standard_input_and_response_files(self):
        self.run_it([CC, "-O2", "-x", "c", "-c", "-", "-o", "touch.o"], input=TOUCH)
        self.write("arguments", "-O2 main.c touch.o -o \"x\"\n")
        self.run_it([CC, "@arguments"])
        self.assertEqual(self.writes(), 1000)

    def test_languages_by_option(self):
        """With or without a blank, for files whose names say something else, and only as far as -x none."""
        self.write("touch.txt", TOUCH)
        for option in ["-xc"], ["-x", "c"]:
            with self.subTest(option=option):
                self.run_it([CC, "-O2", *option, "-c", "touch.txt", "-o", "touch.o"])
                self.run_it([CC, "-O2", *option, "main.c", "-x", "none", "touch.o", "-o", "x"])
                self.assertEqual(self.writes(), 1000)

    def test_precompiled_headers(self):
        self.write("touch.h", TOUCH)
        for call in ["touch.h", "-o", "touch.h.gch"], ["-x", "c-header", "touch.h", "-o", "touch.pch"]:
            with self.subTest(call=call):
                self.run_it([CC, "-O2", "-Werror", *call])
                self.run_it([CC, "-O2", "-Werror", "-include-pch", call[-1], "main.c", "-o", "x"])
                self.assertEqual(self.writes(), 1000)

    def test_calls_that_only_read(self):
        """They know the header of the calipers as well, and nothing is linked."""
        self.write("marked.c", "#include <cachescape/mark.h>\nint main(void) { cachescape_on(); return 0; }\n")
        for call in "-E", "-M", "-MM", "-fsyntax-only", "--analyze", "-c", "-S":
            with self.subTest(call=call):
                self.run_it([CC, "-Werror", call, "marked.c"])

    def test_sources_that_are_preprocessed(self):
        """As distributed compilers get them; no folder is searched for headers then, which clang warns of."""
        self.run_it([CC, "-E", "touch.c", "-o", "touch.i"])
        self.plain("-O1", "-S", "-emit-llvm", "touch.c", "-o", "touch.ll")
        for call in ["touch.i"], ["-x", "cpp-output", "touch.i"], ["touch.ll"], ["-x", "ir", "touch.ll"]:
            with self.subTest(call=call):
                self.run_it([CC, "-O2", "-Werror", "-c", *call, "-o", "touch.o"])
                self.run_it([CC, "-O2", "main.c", "touch.o", "-o", "x"])
                self.assertEqual(self.writes(), 1000)

    def test_one_object_of_several(self):
        self.run_it([CC, "-O2", "-r", "-Werror", "touch.c", "main.c", "-o", "both.o"])
        self.run_it([CC, "-Werror", "both.o", "-o", "x"])
        self.assertEqual(self.writes(), 1000)

    def test_other_targets_stay_plain(self):
        for target in "--target=aarch64-linux-gnu", "--target=riscv64-linux-gnu", "-m32", "-mx32", "--target=bpf":
            with self.subTest(target=target):
                self.run_it([CC, "-O2", "-Werror", target, "-c", "touch.c"])
                self.assertNotIn(b"cachescape", (self.folder / "touch.o").read_bytes())
        if shutil.which("aarch64-linux-gnu-gcc") is None:
            self.skipTest("gcc-aarch64-linux-gnu is not installed")
        self.run_it([CC, "-O2", "--target=aarch64-linux-gnu", "touch.c", "main.c", "-o", "x"])
        self.assertNotIn(b"cachescape", (self.folder / "x").read_bytes())

    def test_mixed_with_plain_objects(self):
        self.run_it([CC, "-O2", "-c", "touch.c"])
        self.run_it(["gcc", "-O2", "-c", "main.c"])
        self.run_it([CC, "touch.o", "main.o", "-o", "x"])
        self.assertEqual(self.writes(), 1000)

    def test_static(self):
        for static in "-static", "-static-pie":
            with self.subTest(static=static):
                self.run_it([CC, "-O2", static, "touch.c", "main.c", "-o", "x"])
                self.assertEqual(self.writes(), 1000)
                self.run_it(["./x"], env={"CACHESCAPE_COLLECTOR": PROGRAM})
                self.assertEqual(self.info("x.cscape")["writes"], 1000)

    def test_link_time_optimisation(self):
        for lto in "-flto", "-flto=thin", "-flto=full":
            for level in "-O0", "-O2":
                with self.subTest(lto=lto, level=level):
                    self.run_it([CC, level, lto, "-c", "touch.c"])
                    self.run_it([CC, level, lto, "-c", "main.c"])
                    self.run_it([CC, level, lto, "touch.o", "main.o", "-o", "x"])
                    self.record("./x", options=["--trace", "t.cstrace"])
                    stores = [a for a in self.accesses("t.cstrace") if a[1] == "W" and a[3] == 4]
                    # Without optimisation i is stored 1001 times, and n and main's result are.
                    self.assertEqual(len(stores), 1000 if level == "-O2" else 2003)

    def test_shared_libraries(self):
        self.run_it([CC, "-O2", "-g", "-fPIC", "-shared", "touch.c", "-o", "libtouch.so"])
        self.run_it([CC, "-O2", "main.c", "-L.", "-ltouch", "-Wl,-rpath,.", "-o", "x"])
        self.assertEqual(self.writes(), 1000)
        self.write("load.c", r"""
            #include <dlfcn.h>
            volatile int mine[10];
            int main(void) {
              for (int k = 0; k < 3; k++) {
                void *library = dlopen("./libtouch.so", RTLD_NOW);
                if (library == 0) return 1;
                ((void (*)(int))dlsym(library, "touch"))(500);
                dlclose(library);
              }
              for (int i = 0; i < 10; i++) mine[i] = i;
              return 0;
            }""")
        self.run_it([CC, "-O2", "load.c", "-o", "x"])
        self.assertEqual(self.writes(), 1510)
        # The program itself may be plain: the library brings the runtime.
        self.run_it(["gcc", "-O2", "load.c", "-o", "x"])
        self.assertEqual(self.writes(options=["--engine", "compiled"]), 1500)

    def test_a_plain_program_is_refused(self):
        self.run_it(["gcc", "-O2", "touch.c", "main.c", "-o", "x"])
        done = self.record("./x", options=["--engine", "compiled"], expect=None)
        self.assertIn("it is not instrumented", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse((self.folder / "out.cscape").exists())
        # What was recorded before is not lost.
        self.run_it([CC, "-O2", "touch.c", "main.c", "-o", "observed"])
        self.record("./observed")
        before = (self.folder / "out.cscape").read_bytes()
        self.record("./x", options=["--engine", "compiled"], expect=None)
        self.assertEqual((self.folder / "out.cscape").read_bytes(), before)


class Selection(Scratch):
    TEXT = r"""
        volatile int a[100], b[100], c[100];
        __attribute__((noinline)) void first(void) { for (int i = 0; i < 100; i++) a[i] = i; }
        __attribute__((noinline)) void second(void) { for (int i = 0; i < 50; i++) b[i] = i; }
        __attribute__((noinline, annotate("cachescape.ignore"))) void third(void) { for (int i = 0; i < 25; i++) c[i] = i; }
        int main(void) { first(); second(); third(); return 0; }"""

    def writes(self, *options, env=None):
        self.record(self.compile(self.TEXT, "-O2", *options, env=env or {}))
        return self.info()["writes"]

    def test_all_but_the_ignored(self):
        self.assertEqual(self.writes(), 150)

    def test_only_and_except(self):
        self.assertEqual(self.writes("--cachescape-only=^first$"), 100)
        self.assertEqual(self.writes("--cachescape-except=^first$"), 50)
        self.assertEqual(self.writes("--cachescape-only-file=x[.]c$"), 150)
        self.assertEqual(self.writes("--cachescape-except-file=y[.]c$"), 150)
        self.assertEqual(self.writes(env={"CACHESCAPE_PASS": "only=second"}), 50)

    def test_parts(self):
        self.assertEqual(self.writes("--cachescape-counters=off"), 150)
        self.assertEqual(self.counters(), {})
        self.assertEqual(self.writes("--cachescape-accesses=off"), 0)
        self.assertEqual(self.counters()["store.i32"], 150)

    def test_nothing_selected(self):
        program = self.compile(self.TEXT, "-O2", "--cachescape-only=nobody")
        self.assertIn("it is not instrumented", self.record(program, expect=None).stderr)
        self.run_it([program])

    def test_mistakes_end_the_compilation(self):
        self.write("x.c", self.TEXT)
        for setting, message in (("only=(", "parentheses not balanced"), ("counters=maybe", "must be on, stack or off, not maybe"),
                                 ("nonsense=1", "nonsense=1"), ("view=sideways", "view=sideways")):
            with self.subTest(setting=setting):
                done = self.run_it([CC, "-c", "x.c"], expect=None, env={"CACHESCAPE_PASS": setting})
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, done.stderr)
                self.assertNotIn("PLEASE submit a bug report", done.stderr)


class BuildSystems(Scratch):
    def test_make(self):
        self.write("touch.c", TOUCH)
        self.write("main.c", MAIN)
        self.write("Makefile", "CFLAGS = -O2 -g\nx: touch.o main.o\n\t$(CC) $(LDFLAGS) $^ -o $@\n")
        self.run_it(["make", "-j2", f"CC={CC}"])
        self.record("./x")
        self.assertEqual(self.info()["writes"], 1000)

    def test_cmake(self):
        self.write("touch.c", TOUCH)
        self.write("main.cpp", 'extern "C" ' + MAIN)
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(p C CXX)\nfind_package(Threads REQUIRED)\n"
                   "include(CheckFunctionExists)\ncheck_function_exists(memcpy HAS_MEMCPY)\n"
                   "if(NOT HAS_MEMCPY)\nmessage(FATAL_ERROR \"no memcpy\")\nendif()\n"
                   "add_library(touch STATIC touch.c)\nadd_executable(x main.cpp)\n"
                   "target_link_libraries(x touch Threads::Threads)\n")
        self.run_it(["cmake", "-S", ".", "-B", "b", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                     f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}"])
        self.run_it(["cmake", "--build", "b"])
        self.record("b/x")
        self.assertEqual(self.info()["writes"], 1000)

    def test_configure(self):
        """What configure scripts do: compile, run, and look at the output and the status of small programs."""
        self.write("conftest.c", "int main(void) { return 0; }\n")
        self.run_it([CC, "-o", "conftest", "-g", "-O2", "conftest.c", "-lm"])
        done = self.run_it(["./conftest"])
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.write("conftest.c", "char no_such_function(); int main(void) { return no_such_function(); }\n")
        self.run_it([CC, "-o", "conftest2", "-g", "-O2", "conftest.c"], expect=1)
        self.run_it(f"{CC} -E conftest.c >/dev/null", shell=True)
        self.run_it(f"echo 'int x;' | {CC} -x c -c - -o conftest.o", shell=True)

    def test_mpi(self):
        self.write("touch.c", TOUCH)
        self.write("main.c", "#include <mpi.h>\n" + MAIN.replace("touch(1000);", "MPI_Init(0, 0); touch(1000); MPI_Finalize();"))
        environment = {"OMPI_CC": CC, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
        self.run_it(["mpicc", "-O2", "-g", "touch.c", "main.c", "-o", "x"], env=environment)
        self.run_it(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "./x"], env=environment)
        for rank in 0, 1:
            self.assertGreaterEqual(self.info(f"x.rank{rank}.cscape")["writes"], 1000)


class Languages(Scratch):
    def test_templates_in_several_files(self):
        self.write("shared.hpp", r"""
            #include <vector>
            inline int seen = 0;
            template <class T> struct Sum {
              std::vector<T> values;
              T total() const { T t{}; for (const T& v : values) t += v; return t; }
            };
            inline long twice(const std::vector<long>& v) { if (v.empty()) throw seen; seen++; return Sum<long>{v}.total() * 2; }
            long one(); long two();""")
        for name in "one", "two":
            self.write(f"{name}.cpp", f'#include "shared.hpp"\nlong {name}() {{ return twice(std::vector<long>(1000, 1)); }}\n')
        self.write("main.cpp", r"""
            #include "shared.hpp"
            #include <cstdio>
            int main() {
              long sum = one() + two();
              try { twice({}); } catch (int n) { sum += n; }
              std::printf("%ld\n", sum);
            }""")
        for options in ["-O0"], ["-O2"], ["-O2", "-flto=thin"]:
            with self.subTest(options=options):
                self.run_it([CXX, "-g", *options, "one.cpp", "two.cpp", "main.cpp", "-o", "x"])
                self.assertEqual(self.record("./x").stdout, "4002\n")
                self.assertGreaterEqual(self.info()["reads"], 2000)
                self.assertEqual(self.info()["losses"]["skipped_records"], 0)

    def test_fortran(self):
        if shutil.which("flang-new-19") is None:
            self.skipTest("flang-new-19 is not installed")
        text = """
program stencil
  implicit none
  integer, parameter :: n = 64
  real(8), save :: a(n, n), b(n, n)
  integer :: i, j
  a = 1.0d0
  do j = 2, n - 1
    do i = 2, n - 1
      b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
    end do
  end do
  print *, int(sum(b))
end program
"""
        program = self.compile(text, "-O2", language="f90")
        self.assertEqual(self.record(program).stdout.split(), [str(62 * 62)])
        info = self.info()
        self.assertGreaterEqual(info["reads"], 4 * 62 * 62)
        self.assertGreaterEqual(info["writes"], 62 * 62)
        lines = {row["name"] for row in self.places("line")["places"]["rows"]}
        self.assertTrue(any(name and name.endswith("x.f90:10") for name in lines), lines)


if __name__ == "__main__":
    main()
