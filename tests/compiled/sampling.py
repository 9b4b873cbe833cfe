"""Sampled recordings: all accesses are counted, and what is estimated comes near the truth."""
from support import CC, PROGRAM, SOURCE, Scratch, main

ONE_LINE = ["--lines", "64", "--set-lines", "none", "--write-backs", "none"]


class Sampling(Scratch):
    def predicted(self, size):
        outcome = self.json("predict", "out.cscape", "--machine", f"L1:{size},full,64", "--json")
        level = outcome["levels"][0]
        return level["misses"]["total"] if isinstance(level["misses"], dict) else level["misses"]

    def profile(self, name, *arguments, options=()):
        """Accesses, and misses of caches of two sizes."""
        program = self.folder / name
        if not program.exists():
            self.run_it([CC, "-O2", "-g", SOURCE / "tests/programs" / f"{name}.c", "-o", name])
        self.record(program, *arguments, options=[*ONE_LINE, *options], fast=False)
        info = self.info()
        return info, [self.predicted(size) for size in ("16K", "256K")]

    def check(self, name, arguments, options, tolerance):
        exact_info, exact = self.profile(name, *arguments)
        info, misses = self.profile(name, *arguments, options=options)
        for field in "reads", "writes", "modifies", "bytes":
            self.assertEqual(info[field], exact_info[field], field)
        self.assertLess(info["sampling"]["analysed"], exact_info["accesses"] / 2)
        for estimate, truth in zip(misses, exact):
            self.assertLess(abs(estimate - truth) / truth, tolerance, (name, options, misses, exact))

    def test_intervals(self):
        self.check("stencil", ["300", "20"], ["--interval", "20000,80000"], 0.1)
        self.check("sort_and_hash", ["100000"], ["--interval", "20000,80000"], 0.15)

    def test_blocks(self):
        self.check("stencil", ["300", "20"], ["--block-cap", "20000"], 0.1)
        self.check("sort_and_hash", ["100000"], ["--block-cap", "20000"], 0.25)

    def test_a_trace_has_everything_beside_a_sampled_profile(self):
        self.profile("stencil", "50", "4", options=["--interval", "1000,9000", "--trace", "x.cstrace"])
        self.assertEqual(len(self.accesses("x.cstrace")), self.info()["accesses"])

    def test_mistakes(self):
        self.profile("stencil", "50", "4")
        for options, message in ((["--interval", "10,10"], "choose one of"), (["--trace", "x.cstrace"], "record twice")):
            done = self.run_it([PROGRAM, "record", "--block-cap", "10", *options, "--", "./stencil", "50", "4"], expect=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    main()
