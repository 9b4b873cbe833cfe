"""The kernels that synthesis is measured with: they check themselves, and do the same when they are observed."""
import shutil

from support import CC, SOURCE, Scratch, main

SMALL = {"cg": ["2000", "8"], "is": ["14", "12"], "sp": ["12"], "mg": ["4"], "ft": ["16"], "lu": ["8"]}
WARNINGS = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]


class Kernels(Scratch):
    def test_every_compiler_makes_a_program_that_finds_its_result_right(self):
        compilers = [c for c in ["gcc", "clang-19"] if shutil.which(c)]
        self.assertTrue(compilers, "neither gcc nor clang-19 is there")
        for name, arguments in SMALL.items():
            source = SOURCE / "tests/programs/kernels" / f"{name}.c"
            for compiler in compilers:
                with self.subTest(kernel=name, compiler=compiler):
                    self.run_it([compiler, *WARNINGS, source, "-o", name, "-lm"])
                    self.assertIn("checksum", self.run_it([f"./{name}", *arguments]).stdout)
                    self.assertIn("usage", self.run_it([f"./{name}", "0"], expect=2).stderr)

    def test_observed_they_compute_the_same(self):
        for name, arguments in SMALL.items():
            with self.subTest(kernel=name):
                source = SOURCE / "tests/programs/kernels" / f"{name}.c"
                self.run_it(["clang-19", *WARNINGS, source, "-o", "plain", "-lm"])
                self.run_it([CC, *WARNINGS, "-g", source, "-o", "observed", "-lm"])
                self.assertEqual(self.record("./observed", *arguments).stdout, self.run_it(["./plain", *arguments]).stdout)
                self.assertGreater(self.info()["accesses"], 10_000)


if __name__ == "__main__":
    main()
