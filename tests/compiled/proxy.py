"""The benchmark that `bench` writes as a program makes the references of its seed, and `bench` itself keeps its indices in registers."""
import platform
import re
import shutil
import subprocess
import unittest

from support import BUILD, CC, PROGRAM, Scratch, main

# Blocks are found again at many distances, and their halves at several.
HIT_RATES = [0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9] + [1] * 10
SIGNATURE = "\n".join([
    "Instructions Seen : 0", "Instructions Simulated : 0", "Simulation limit : 4294967285", "Sample rate : 1", "Line Length (bytes) : 512",
    "Size of Word (bytes) : {word}", "Using access sizes : no", "", "Bin: 0", "", "TEMPORAL LOCALITY (Reuse Distance CDF):",
    *(f"HitRate(2^{k}) = {rate}" for k, rate in enumerate(HIT_RATES)), "", "SPATIAL LOCALITY (Probability of Set Reuse):", "",
    *(f"P(2^{h}):\n" + "\n".join(f"Reuse(2^{k}) = 0.6" for k in range(17)) + "\nAvg = 0.6\n" for h in range(2, 9)), ""])


class Proxy(Scratch):
    def seed(self, word=4):
        self.write("x.sig", SIGNATURE.format(word=word))
        self.run_it([PROGRAM, "synth", "x.sig", "--unique", "--length", "20000", "-o", "x.seed"])

    def surface(self, trace, name):
        self.run_it([PROGRAM, "import", trace, "-o", f"{name}.cscape", "--lines", "4,8,16,32,64,128,256,512", "--set-lines", "64"])
        return self.json("surface", f"{name}.cscape", "--json")["hit_rate"]

    def addresses(self, trace):
        lines = self.run_it([PROGRAM, "trace", "cat", trace, "--to", "csv"]).stdout.splitlines()[1:]
        return [int(line.split(",")[3], 16) for line in lines]

    def check(self, word, chains):
        self.seed(word)
        self.run_it([PROGRAM, "bench", "x.seed", "--ilp", chains, "--emit", "proxy.c"])
        self.run_it([CC, "-O2", "-g", "proxy.c", "-o", "proxy"])
        told = self.record("./proxy", "--ops", "30000", "--repeat", "2", options=["--trace", "all.cstrace"]).stdout
        size, address = re.search(r"array of (\d+) bytes at (0x[0-9a-f]+)", told).groups()
        begin, size = int(address, 16), int(size)
        self.assertEqual(begin % 512, 0)
        operations, warm_up = re.search(r"2 x (\d+) operations after a warm-up of (\d+)", told).groups()
        length = 2 * int(operations) + int(warm_up)
        self.assertGreater(length, 60000)  # all around its loop before it counts
        # The array is written while it is laid out and only read afterwards: reads of it are all of the benchmark's references.
        self.run_it([PROGRAM, "trace", "filter", "all.cstrace", "--kinds", "read", "--addresses", f"{begin}..{begin + size - 1}", "-o", "array.cstrace"])
        self.run_it([PROGRAM, "expand", "x.seed", "--length", length, "-o", "expected.cstrace"])
        made, expected = self.addresses("array.cstrace"), self.addresses("expected.cstrace")
        self.assertEqual(len(made), length)
        self.assertEqual([a - made[0] for a in made], [a - expected[0] for a in expected])
        self.assertEqual((made[0] - expected[0]) % 512, 0, "blocks begin where blocks begin")

    def test_the_program_makes_the_seeds_references(self):
        self.check(word=4, chains=1)
        # Hit rates of every width and depth are those of the seed's own words, as another reader of traces sees them.
        words = self.addresses("expected.cstrace")
        self.write("words.din", "".join(f"0 {a:x}\n" for a in words))
        self.assertEqual(self.surface("array.cstrace", "array"), self.surface("words.din", "words"))

    def test_chains_change_nothing(self):
        self.check(word=4, chains=7)

    def test_words_of_eight_bytes(self):
        self.check(word=8, chains=20)


class Registers(unittest.TestCase):
    """The number of chains that fit into registers is one that the compiler agrees with."""

    def loop(self, element, chains):
        """The instructions of the loop with so many chains."""
        last = re.escape(f"{chains - 1}ul>")
        body = re.search(rf"<void cachescape::proxy::\(anonymous namespace\)::chase_chains<{element},[^>]* {last}.*?>:\n(.*?)\n\n", self.code, re.S)
        self.assertIsNotNone(body, f"no loop of {chains} chains")
        lines = re.findall(r"^ *([0-9a-f]+):\s+(.*)$", body.group(1), re.M)
        # The loop is what the jump back leads over.
        for at, text in lines:
            jump = re.match(r"j\w+ +([0-9a-f]+)", text)
            if jump and int(jump.group(1), 16) < int(at, 16):
                return [t for a, t in lines if int(jump.group(1), 16) <= int(a, 16) <= int(at, 16)]
        self.fail(f"no jump back among {chains} chains")

    def test_indices_stay_in_registers(self):
        if platform.machine() != "x86_64":
            self.skipTest(f"knows x86-64 only, this is {platform.machine()}")
        if shutil.which("objdump") is None:
            self.skipTest("objdump (binutils) is not installed")
        self.code = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", BUILD / "cachescape"], capture_output=True, text=True, check=True).stdout
        for element in ("unsigned int", "unsigned long"):
            for chains in (2, 12, 13):
                loop = self.loop(element, chains)
                self.assertEqual(len(loop), chains + 2, loop)
                self.assertEqual([t for t in loop if "%rsp" in t or "%rbp)" in t], [])
            self.assertNotEqual([t for t in self.loop(element, 14) if "%rsp" in t], [], "14 fit as well: say so in chase.hpp")


if __name__ == "__main__":
    main()
