"""What the kernel reads and writes in system calls."""
from common import Emulated, main

TEXT = r"""
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
char from[5000], to[5000], unused[100];
int main(void) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  if (write(ends[1], from, 5000) != 5000) return 2;
  if (read(ends[0], to, 3000) != 3000) return 3;
  struct iovec parts[2] = {{to, 10}, {to + 100, 20}};
  if (readv(ends[0], parts, 2) != 30) return 4;
  if (read(ends[0], to, 5000) != 1970) return 5; /* what is left */
  if (write(ends[1], (void *)16, 100) != -1) return 6;
  if (access("/a/path/that/is/not", R_OK) == 0) return 7;
  printf("from %p %zu\nto %p %zu\n", (void *)from, sizeof from, (void *)to, sizeof to);
  return 0;
}
"""


class Kernel(Emulated):
    def bytes_of(self, accesses, bounds, kind):
        begin, size = bounds
        return [(a - begin, n) for _, k, a, n in accesses if k == kind and begin <= a < begin + size]

    def test_buffers_of_system_calls(self):
        self.build(TEXT, "-O1")
        output = self.record("./x", options=["--kernel", "--trace", "out.cstrace"]).stdout
        accesses, ranges = self.accesses("out.cstrace"), self.ranges(output)
        # Long ones in parts of 4096 bytes.
        self.assertEqual(self.bytes_of(accesses, ranges["from"], "R"), [(0, 4096), (4096, 904)])
        self.assertEqual(self.bytes_of(accesses, ranges["to"], "W"), [(0, 3000), (0, 10), (100, 20), (0, 1970)])
        self.assertEqual([a for a in accesses if a[2] < 4096], [])
        rows = {row["name"]: row for row in self.places("function", "out.cscape", "--top", "0")["places"]["rows"]}
        self.assertGreaterEqual(rows["[kernel]"]["writes"], 4)
        containers = self.places("container", "out.cscape", "--top", "0")["places"]["rows"]
        self.assertNotIn("[kernel]", {row["name"] for row in containers})
        objects = {row["name"].split(" ")[0]: row for row in self.places("object", "out.cscape", "--top", "0")["places"]["rows"]}
        self.assertEqual((objects["from"]["reads"], objects["to"]["writes"]), (2, 4))
        self.assertEqual(self.info()["losses"], {"lost_accesses": 0, "skipped_records": 0, "truncated": False})

    def test_only_where_it_is_asked_for(self):
        self.build(TEXT, "-O1")
        output, accesses = self.traced("./x")
        self.assertEqual(self.bytes_of(accesses, self.ranges(output)["from"], "R"), [])
        self.assertEqual(self.bytes_of(accesses, self.ranges(output)["to"], "W"), [])

    def test_by_the_thread_that_calls(self):
        self.build(r"""
            #include <pthread.h>
            #include <stdio.h>
            #include <unistd.h>
            char to[100];
            int ends[2];
            static void *reader(void *at) { return read(ends[0], to, 100) == 50 ? 0 : at; }
            int main(void) {
              pthread_t t;
              if (pipe(ends) != 0) return 1;
              pthread_create(&t, 0, reader, to);
              for (volatile int i = 0; i < 300000; i++) {} /* while the other waits */
              static char from[50];
              if (write(ends[1], from, 50) != 50) return 2;
              pthread_join(t, 0);
              printf("to %p %zu\n", (void *)to, sizeof to);
              return 0;
            }""", "-O1", "-pthread")
        output = self.record("./x", options=["--kernel", "--trace", "out.cstrace"]).stdout
        accesses = self.accesses("out.cstrace")
        begin, _ = self.ranges(output)["to"]
        self.assertEqual([(t, k, n) for t, k, a, n in accesses if a == begin], [(1, "W", 50)])

    def test_compiled_programs_do_not_see_it(self):
        done = self.record("true", options=["--engine", "compiled", "--kernel"], expect=5)
        self.assertIn("--engine valgrind", done.stderr)


if __name__ == "__main__":
    main()
