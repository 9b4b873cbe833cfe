/* Runs a command that inherits a session which nobody collects: what is observed is written and thrown away.
 *
 *   discarding_session DESCRIPTOR COMMAND …        the session's descriptor is DESCRIPTOR */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/session_layout.h"

int main(int argc, char** argv) {
  struct cachescape_session header = {0};
  cachescape_lay_out(&header, CACHESCAPE_WANT_ACCESSES | CACHESCAPE_DROP_WHEN_FULL);
  const int file = memfd_create("discarded", 0);
  if (argc < 3 || file < 0 || ftruncate(file, (off_t)header.file_bytes) != 0 ||
      pwrite(file, &header, sizeof header, 0) != (ssize_t)sizeof header || dup2(file, atoi(argv[1])) < 0) {
    perror("discarding_session");
    return 127;
  }
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
