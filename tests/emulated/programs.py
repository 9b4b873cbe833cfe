"""Real programs: what they do is unchanged, and all of it is observed."""
import gzip
import os
import sys

from common import Emulated, main

THREADS = r"""
#include <atomic>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>
int main() {
  std::vector<std::thread> threads;
  std::mutex lock;
  std::atomic<long> ready = 0;
  long sum = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<long> own(2000);
      std::iota(own.begin(), own.end(), t);
      ++ready;
      std::lock_guard held(lock);
      sum += std::accumulate(own.begin(), own.end(), 0L);
    });
  for (auto& t : threads) t.join();
  std::printf("%ld %ld\n", sum, ready.load());
}"""


class Programs(Emulated):
    def same(self, *command, at_least=100_000, **more):
        """Runs a program with and without us, to the same output; its profile."""
        alone = self.run_it(command, **more)
        observed = self.record(*command, **more)
        self.assertEqual(observed.stdout, alone.stdout)
        info = self.info()
        self.assertGreater(info["accesses"], at_least)
        self.assertEqual(info["losses"], {"lost_accesses": 0, "skipped_records": 0, "truncated": False})
        return info

    def test_gzip(self):
        text = "".join(f"{i * i} {i}\n" for i in range(20000))
        self.write("text", text)
        self.record("gzip", "-k", "text")
        with gzip.open(self.folder / "text.gz", "rt") as file:
            self.assertEqual(file.read(), text)
        self.assertGreater(self.info()["accesses"], 5_000_000)

    def test_sqlite(self):
        self.same("sqlite3", ":memory:", "with recursive n(i) as (select 1 union all select i+1 from n where i<2000)"
                                         " select sum(i*i), count(*) from n;", at_least=1_000_000)

    def test_python(self):
        python = os.path.realpath("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable)
        self.same(python, "-c", "import json; print(json.dumps(sorted({str(i): i for i in range(1000)}.items())[:5]))",
                  at_least=5_000_000)

    def test_bash_with_children(self):
        script = "for i in 1 2 3; do echo $i | tr 123 abc; done; (exit 4); echo $?"
        self.same("bash", "-c", script)
        done = self.record("bash", "-c", script, options=["--follow", "children"])
        self.assertEqual(done.stdout, "a\nb\nc\n4\n")
        names = [p.name.split(".")[0] for p in self.folder.glob("*.cscape")]
        self.assertEqual(names.count("tr"), 3, names)
        self.assertEqual(names.count("out"), 1)

    def test_a_compiler_with_its_parts(self):
        # The driver runs the compiler proper and the assembler, in which hundreds of thousands of instructions access memory.
        self.write("small.c", "int square(int x) { return x * x; }\n")
        command = ["gcc", "-O0", "-c", "small.c"]
        self.run_it(command)
        alone = (self.folder / "small.o").read_bytes()
        self.record(*command, options=["--follow", "children"])
        self.assertEqual((self.folder / "small.o").read_bytes(), alone)
        profiles = {p.name.split(".")[0]: p.name for p in self.folder.glob("*.cscape")}
        compiler = self.info(profiles["cc1"])
        self.assertEqual(compiler["losses"], {"lost_accesses": 0, "skipped_records": 0, "truncated": False})
        self.assertGreater(compiler["accesses"], 1_000_000)
        self.assertIn("cc1", compiler["command"])
        self.assertTrue(any(name.endswith("as") for name in profiles), profiles)

    def test_a_script(self):
        path = self.write("hello.sh", "#!/bin/sh\necho hello\n")
        path.chmod(0o755)
        self.same("./hello.sh", at_least=10_000)

    def test_a_threaded_program(self):
        self.build(THREADS, "-O2", "-pthread", language="cpp")
        info = self.same("./x")
        self.assertEqual(len(info["threads"]), 5)

    def test_a_static_threaded_program(self):
        self.build(THREADS, "-O2", "-pthread", "-static", language="cpp")
        info = self.same("./x", at_least=20_000)
        self.assertEqual(len(info["threads"]), 5)

    def test_openmp(self):
        self.build(r"""
            #include <stdio.h>
            static double a[4000];
            int main(void) {
              double sum = 0;
              #pragma omp parallel for reduction(+ : sum) num_threads(2)
              for (int i = 0; i < 4000; i++) sum += a[i] = i;
              printf("%g\n", sum);
              return 0;
            }""", "-O1", "-fopenmp")
        info = self.same("./x", at_least=8_000)
        self.assertEqual(len(info["threads"]), 2)


if __name__ == "__main__":
    main()
