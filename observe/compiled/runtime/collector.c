/* A program that runs without `cachescape record` starts a collector of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"
#include "session/detach.h"

enum { path_bytes = 4096 };

/* Beside the library that holds this code, as built or as installed; else wherever PATH says. */
static void find_collector(char* path) {
  const char* const named = getenv("CACHESCAPE_COLLECTOR");
  if (named != NULL && strlen(named) < path_bytes) {
    strcpy(path, named);
    return;
  }
#ifdef CACHESCAPE_SHARED_RUNTIME
  static const char* const places[] = {"/../../cachescape", "/../../bin/cachescape"};
  Dl_info about;
  if (dladdr(&cachescape_next, &about) != 0 || dladdr((void*)find_collector, &about) != 0) {
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
      const char* const slash = strrchr(about.dli_fname, '/');
      const size_t folder = slash == NULL ? 0 : (size_t)(slash - about.dli_fname);
      if (folder == 0 || folder + strlen(places[i]) >= path_bytes) continue;
      memcpy(path, about.dli_fname, folder);
      strcpy(path + folder, places[i]);
      if (access(path, X_OK) == 0) return;
    }
  }
#endif
  strcpy(path, "cachescape");
}

/* Standard streams that the program has closed must not be what we open: the program would write into it. */
static int above_standard_streams(int file) {
  if (file < 0 || file > 2) return file;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, 3);
  close(file);
  return moved;
}

/* In the grandchild: becomes the collector. Only what is safe after a fork. It keeps `alive` open as long as it lives.
 */
static void become_collector(const char* path, int session, int alive, char* const* arguments) {
  cachescape_detach(session, alive);
  execvp(path, arguments);
  cachescape_exit_now(127);
}

/* Whether the collector has taken the session over; it may also end before. */
static int wait_until_taken(struct cachescape_session* s, int alive) {
  enum { patience = 10000 }; /* milliseconds */
  for (int waited = 0; waited < patience; waited += 2) {
    if (cachescape_load32(&s->collector_pid) != 0) return 1;
    struct pollfd ended = {alive, POLLIN, 0};
    if (poll(&ended, 1, 2) == 1) break;
  }
  return cachescape_load32(&s->collector_pid) != 0;
}

/* A file that gets larger than the limit allows would end the program by a signal. */
static int may_be_so_large(uint64_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes) return 1;
  errno = EFBIG;
  return 0;
}

struct cachescape_session* cachescape_start_collector(void) {
  static char path[path_bytes];
  static char options[path_bytes];
  find_collector(path);
  const char* const asked = getenv("CACHESCAPE_OPTIONS");
  char* arguments[128] = {path, "collect", "--session", "3"};
  size_t count = 4;
  if (asked != NULL && strlen(asked) < sizeof options) {
    strcpy(options, asked);
    char* rest = NULL;
    for (char* word = strtok_r(options, " ", &rest); word != NULL && count < 126; word = strtok_r(NULL, " ", &rest))
      arguments[count++] = word;
  }
  arguments[count] = NULL;

  const int file = above_standard_streams(memfd_create("cachescape", MFD_CLOEXEC));
  struct cachescape_session header = {0};
  cachescape_lay_out(&header, CACHESCAPE_WANT_ACCESSES);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  header.started_at = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
  header.owner_pid = (uint32_t)getpid();
  void* memory = MAP_FAILED;
  if (file >= 0 && may_be_so_large(header.file_bytes) && ftruncate(file, (off_t)header.file_bytes) == 0 &&
      pwrite(file, &header, sizeof header, 0) == (ssize_t)sizeof header)
    memory = mmap(NULL, header.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) {
    cachescape_say("running unobserved: no shared memory: ", strerror(errno));
    if (file >= 0) close(file);
    return NULL;
  }
  struct cachescape_session* const s = memory;
  int alive[2] = {-1, -1};
  const int piped = pipe2(alive, O_CLOEXEC) == 0;
  alive[0] = above_standard_streams(alive[0]);
  alive[1] = above_standard_streams(alive[1]);
  /* Its own child would show up in the program's wait(): so it becomes an orphan at once. */
  const pid_t child = piped ? _Fork() : -1;
  if (child == 0) {
    if (_Fork() == 0) become_collector(path, file, alive[1], arguments);
    cachescape_exit_now(0);
  }
  if (alive[1] >= 0) close(alive[1]);
  if (child > 0) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  close(file);
  const int taken = child > 0 && wait_until_taken(s, alive[0]);
  if (alive[0] >= 0) close(alive[0]);
  if (taken) return s;
  cachescape_say("running unobserved: cannot start the collector ", path);
  munmap(memory, header.file_bytes);
  return NULL;
}
