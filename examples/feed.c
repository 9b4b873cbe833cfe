/* Feeds the engine from C: two sweeps over 64 KiB, then the misses of caches of 32 and 128 KiB, and a profile.
 * The second sweep misses everything in the smaller one and nothing in the larger. */
#include <inttypes.h>
#include <stdio.h>

#include "cachescape/c/cachescape.h"

int main(int argc, char** argv) {
  cachescape_analyzer* analyzer = cachescape_analyzer_new(NULL, 0);
  if (!analyzer) return 1;

  for (int sweep = 0; sweep < 2; sweep++)
    for (uint64_t offset = 0; offset < 65536; offset += 8) {
      struct cachescape_access access = {.address = 0x10000000 + offset, .size = 8, .kind = CACHESCAPE_READ};
      if (cachescape_analyzer_feed(analyzer, &access, 1) != 0) return 1;
    }
  printf("32 KiB: %" PRIu64 " misses\n", cachescape_analyzer_misses(analyzer, 64, 32768 / 64));
  printf("128 KiB: %" PRIu64 " misses\n", cachescape_analyzer_misses(analyzer, 64, 131072 / 64));

  if (argc > 1 && cachescape_analyzer_save(analyzer, argv[1]) != 0) {
    fprintf(stderr, "%s\n", cachescape_error(analyzer));
    return 1;
  }
  cachescape_analyzer_free(analyzer);
  return 0;
}
