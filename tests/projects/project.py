"""What the tests of whole projects share: each is built plainly and by the wrappers, and must do the same."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "compiled"))
from support import CC, CXX, FORTRAN, PROGRAM, SOURCE, Scratch, main  # noqa: E402,F401


class Project(Scratch):
    def build_both(self, files, plain, observed, options):
        """Compiles files (name → text), in their order, into the programs `plain` and `observed`."""
        for name, text in files.items():
            self.write(name, text)
        for compiler, program in [(plain, "plain"), (observed, "observed")]:
            for name in files:
                if not name.endswith((".h", ".hpp")):
                    self.run_it([compiler, *options, "-c", name, "-o", f"{name}.{program}.o"])
            objects = [f"{name}.{program}.o" for name in files if not name.endswith((".h", ".hpp"))]
            self.run_it([compiler, *options, *objects, "-o", program])

    def same_output(self, *arguments, expect=0, **more):
        """Runs both, the observed one under `record`; what they print."""
        plain = self.run_it(["./plain", *arguments], expect=expect, **more)
        observed = self.record("./observed", *arguments, expect=expect, **more)
        self.assertEqual(observed.stdout, plain.stdout)
        return plain.stdout

    def rows(self, by, profile="out.cscape"):
        return {row["name"]: row for row in self.places(by, profile, "--top", "0")["places"]["rows"]}
