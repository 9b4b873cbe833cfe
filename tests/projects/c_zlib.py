"""zlib, from the source that Debian's binutils-source brings along, by its own configure and make, and by CMake."""
import pathlib
import shutil

from project import CC, PROGRAM, Project, main

ARCHIVES = sorted(pathlib.Path("/usr/src/binutils").glob("binutils-*.tar.xz"))


class Zlib(Project):
    def setUp(self):
        super().setUp()
        if not ARCHIVES:
            self.skipTest("Debian's package binutils-source is not installed: script/packages lists it")
        name = ARCHIVES[-1].name.removesuffix(".tar.xz")
        parts = ["zlib", "config", "config.guess", "config.sub", "config-ml.in", "install-sh", "missing", "depcomp", "ltmain.sh"]
        self.run_it(["tar", "xf", ARCHIVES[-1], "--strip-components=1", *(f"{name}/{part}" for part in parts)])
        self.text = "".join(f"line {i} of {i * i % 977}\n" for i in range(4000))
        self.write("text", self.text)

    def check(self, plain, observed):
        """The programs of two builds, in folders: the self-test passes under observation, and a compression is the same."""
        test = self.record(f"{observed}/example", self.folder / "test.gz").stdout
        self.assertEqual(test, self.run_it([f"{plain}/example", self.folder / "test.gz"]).stdout)
        self.assertIn("large_inflate(): OK", test)
        self.run_it(f"{plain}/minigzip < text > plain.gz", shell=True)
        self.run_it(f"{PROGRAM} record -o out.cscape -- {observed}/minigzip < text > observed.gz", shell=True)
        self.assertEqual((self.folder / "observed.gz").read_bytes(), (self.folder / "plain.gz").read_bytes())
        self.assertEqual(self.run_it("gzip -dc observed.gz", shell=True).stdout, self.text)
        rows = self.rows("function")
        for function in ["longest_match", "deflate_slow", "compress_block"]:
            self.assertIn(function, rows)
        busiest = max(self.rows("line").values(), key=lambda row: row["accesses"])
        self.assertTrue(busiest["file"].endswith("deflate.c"), busiest)
        # Every byte of the text is hashed, and every match is looked for in the window.
        self.assertGreater(rows["deflate_slow"]["accesses"], len(self.text))
        self.assertLess(sum(row["accesses"] for row in rows.values()), 1000 * len(self.text))
        self.assertFalse(self.info()["losses"].get("truncated", False))

    def test_by_configure(self):
        (self.folder / "observed").mkdir()
        # The programs that configure runs to learn about the system are not what is to be observed.
        self.run_it("cd observed && ../zlib/configure > /dev/null", shell=True, env={"CC": CC, "CFLAGS": "-O2 -g", "CACHESCAPE": "off"})
        shutil.copytree(self.folder / "observed", self.folder / "plain")
        for folder, compiler in [("observed", CC), ("plain", "clang-19")]:
            self.run_it(f"cd {folder} && make -j2 CC={compiler} > make.log 2>&1", shell=True)
            for program in ["example", "minigzip"]:
                self.run_it([compiler, "-O2", "-g", "-w", f"-I{folder}", "-Izlib", f"zlib/test/{program}.c", f"{folder}/libz.a", "-o", f"{folder}/{program}"])
        self.check("plain", "observed")

    def test_by_cmake(self):
        for folder, compiler in [("observed", CC), ("plain", "clang-19")]:
            shutil.copytree(self.folder / "zlib", self.folder / f"source-{folder}")
            self.run_it(["cmake", "-S", f"source-{folder}", "-B", folder, "-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                         "-DCMAKE_C_FLAGS=-w"], env={"CACHESCAPE": "off"})
            self.run_it(["cmake", "--build", folder, "-j2", "--target", "example", "minigzip"])
        self.check("plain", "observed")


if __name__ == "__main__":
    main()
