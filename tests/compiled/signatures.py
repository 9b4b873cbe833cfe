"""Signatures of recorded programs: the counts that the trace of the same run comes to by definition, and closed formulas."""
import collections
import sqlite3

from support import PROGRAM, Scratch, main

LINES = ["--set-lines", "none", "--write-backs", "none"]
FIRST_TOUCH = 18

TWO_THREADS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { n = 3000 };
static double a[n], b[n];
static int count[64];
static void *work(void *seed) {
  unsigned long at = (unsigned long)seed;
  for (int i = 0; i < n; ++i) b[i] = a[i] + b[n - 1 - i];
  for (int i = 0; i < 2000; ++i) {
    at = at * 6364136223846793005ul + 1442695040888963407ul;
    a[(at >> 33) % n] += 1;
    __atomic_fetch_add(&count[(at >> 50) % 64], 1, __ATOMIC_RELAXED);
  }
  return 0;
}
int main(void) {
  pthread_t threads[2];
  for (long t = 0; t < 2; ++t) pthread_create(&threads[t], 0, work, (void *)(t + 1));
  for (int t = 0; t < 2; ++t) pthread_join(threads[t], 0);
  printf("%g\\n", a[7] + b[9] + count[3]);
}
"""

SWEEP = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  enum { n = 64 * 500 };
  double *a = aligned_alloc(512, n * sizeof *a);
  double sum = 0;
  for (int i = 0; i < n; ++i) a[i] = i;
  for (int i = 0; i < n; ++i) sum += a[i];
  printf("%g\\n", sum);
}
"""

# A word of one of 64 blocks, at random, and always the one that counts.
JUMPS = """
#include <stdio.h>
static volatile int words[64 * 128] __attribute__((aligned(512)));
static volatile long count __attribute__((aligned(512)));
int main(void) {
  unsigned long at = 1;
  for (int i = 0; i < 200000; ++i) {
    at = at * 6364136223846793005ul + 1442695040888963407ul;
    if (at >> 63) words[(at >> 40) % (64 * 128)] += 1;
    count += 1;
  }
  printf("%ld\\n", count + words[7]);
}
"""


def by_definition(accesses, thread, word, every_word):
    """(bin, kind) → references, bin → references after others, (bin, half) → [same, again], step → count."""
    stack, halves, touchers, newest = [], {}, {}, {}
    references, others = collections.Counter(), collections.Counter()
    steps, parts = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    for who, kind, address, size in accesses:
        last = address + max(size, 1) - 1 if every_word else address
        for at in range(address // word * word, last + 1, word):
            block = at // 512
            foreign = touchers.get(block, who) != who
            touchers[block] = who
            if thread is not None and who != thread:
                continue
            if block in stack:
                distance = len(stack) - 1 - stack.index(block)
                stack.remove(block)
                bin = min(distance.bit_length(), 17)
            else:
                bin = FIRST_TOUCH
                if who in newest:
                    steps[(block - newest[who]) % 4096] += 1
                newest[who] = block
            stack.append(block)
            references[bin, "RWM".index(kind)] += 1
            others[bin] += foreign
            half = 256
            while half >= word:
                part, taken = (half, at // half // 2), at // half % 2
                if part in halves:
                    parts[bin, half][0] += halves[part] == taken
                    parts[bin, half][1] += 1
                halves[part] = taken
                half //= 2
    return references, +others, dict(parts), steps


class Signatures(Scratch):
    def rows(self, sql):
        with sqlite3.connect(self.folder / "out.cscape") as database:
            return database.execute(sql).fetchall()

    def recorded(self, id, site="site = 0"):
        references, others, parts = collections.Counter(), collections.Counter(), {}
        for bin, *kinds, after in self.rows("SELECT bin, sum(reads), sum(writes), sum(modifies), sum(after_others) FROM "
                                            f"signature_bin WHERE signature = {id} AND {site} GROUP BY bin"):
            others[bin] += after
            for kind, count in enumerate(kinds):
                references[bin, kind] += count
        for bin, half, same, again in self.rows("SELECT bin, half, sum(same), sum(again) FROM signature_half WHERE "
                                                f"signature = {id} AND {site} GROUP BY bin, half"):
            parts[bin, half] = [same, again]
        steps = collections.Counter(dict(self.rows(f"SELECT step, count FROM signature_step WHERE signature = {id}")))
        return +references, +others, parts, steps

    def test_they_are_what_the_trace_comes_to(self):
        program = self.compile(TWO_THREADS, "-O2", "-pthread")
        for word, every_word in ((4, False), (8, True)):
            options = ["--signature", "--word", word, *(["--every-word"] if every_word else [])]
            _, accesses = self.traced(program, options=[*LINES, *options], fast=False)
            self.assertGreater(len(accesses), 10000)
            scopes = self.rows("SELECT id, thread FROM signature WHERE word = %d AND every_word = %d" % (word, every_word))
            self.assertEqual([thread for _, thread in scopes], [None, *sorted({a[0] for a in accesses})])
            for id, thread in scopes:
                self.assertEqual(self.recorded(id), by_definition(accesses, thread, word, every_word), (word, thread))
            # Every access has its place in the source, and all places together make all references.
            self.assertEqual(self.recorded(1, "site > 0")[:3], self.recorded(1)[:3])
            self.run_it([PROGRAM, "validate", "out.cscape"])

    def test_a_sweep_of_eight_byte_words(self):
        program = self.compile(SWEEP, "-O1")
        expected = {}
        for half in 8, 16, 32, 64, 128, 256:
            words, parts = half // 4, 500 * 256 // half
            # Two sweeps: each touch of a part but its first; three times it goes on to the other half.
            expected[half] = (parts * (2 * words - 4), parts * (2 * words - 1))
        self.record(program, options=[*LINES, "--signature", "--word", "8"], fast=False)
        found = {half: (same, again) for half, same, again in self.rows(
            "SELECT half, sum(same), sum(again) FROM signature_half JOIN site s ON s.id = site WHERE s.variable = 'a[]' "
            "GROUP BY half")}
        self.assertEqual(found, expected)
        lines = [line for line, in self.rows("SELECT line FROM stack WHERE scope = 'everything' ORDER BY line")]
        self.assertEqual(lines, [32, 64, 128, 256, 512])

    def signatures(self, *options):
        return self.json("signature", "out.cscape", *options, "--json")["signatures"]

    def test_parts_of_a_program_make_the_whole(self):
        program = self.compile(TWO_THREADS, "-O2", "-pthread")
        self.record(program, options=["--signature"], fast=False)
        whole, = self.signatures()
        self.assertEqual(whole["name"], "out")
        self.assertEqual(len(whole["detail"]["threads"]), 3)
        self.assertGreater(whole["detail"]["parallelism"], 0)
        for by, names in ("thread", ["thread 0", "thread 1", "thread 2"]), ("function", ["work", "main"]):
            parts = self.signatures("--by", by)
            self.assertEqual([part["name"] for part in parts], names)
            self.assertEqual(sum(part["references"] for part in parts), whole["references"], by)
        blocks = self.signatures("--by", "block")
        self.assertGreater(len(blocks), 2)
        self.assertEqual(sum(block["references"] for block in blocks), whole["references"])
        self.assertEqual(self.signatures("--by", "block", "--top", "1"), blocks[:1])
        # What functions do in the bins of distances adds up as well.
        found = sum(part["hit_rates"][3] * part["references"] for part in self.signatures("--by", "function"))
        self.assertAlmostEqual(found / whole["references"], whole["hit_rates"][3], places=9)

    def test_a_sampled_signature_is_near_the_whole_one(self):
        program = self.compile(JUMPS, "-O1")
        self.record(program, options=["--signature"], fast=False)
        whole, = self.signatures()
        for sampling in ["--interval", "2000,2000"], ["--block-cap", "2000"]:
            self.record(program, options=[*sampling, "--signature"], fast=False)
            info = self.info()
            self.assertLess(info["sampling"]["analysed"], info["accesses"] * 3 / 4, sampling)
            sampled, = self.signatures()
            for depth in 0, 4:
                self.assertAlmostEqual(sampled["hit_rates"][depth], whole["hit_rates"][depth], delta=0.02, msg=sampling)
            self.assertAlmostEqual(sampled["halves"][-1]["average"]["share"], whole["halves"][-1]["average"]["share"], delta=0.02)

    def test_sampled_lines_are_refused(self):
        program = self.compile(SWEEP, "-O1")
        done = self.run_it([PROGRAM, "record", "--signature", "--sample", "0.5", "--", program], expect=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a signature needs all lines", done.stderr)


if __name__ == "__main__":
    main()
