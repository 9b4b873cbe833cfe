/* A program that runs without `cachescape record` starts a collector of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"

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

/* In the grandchild: becomes the collector. Only what is safe after a fork. */
static void become_collector(const char* path, int session, char* const* arguments) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int n = 1; n < 32; ++n) signal(n, SIG_DFL);
  /* The program's own output must end when the program ends. */
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0);
  dup2(nothing, 1);
  dup2(session, 3);
  fcntl(3, F_SETFD, 0);
  close_range(4, ~0U, 0);
  execvp(path, arguments);
  _exit(127);
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

  const int file = memfd_create("cachescape", MFD_CLOEXEC);
  struct cachescape_session header = {0};
  cachescape_lay_out(&header, CACHESCAPE_WANT_ACCESSES);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  header.started_at = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
  header.owner_pid = (uint32_t)getpid();
  void* memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, (off_t)header.file_bytes) == 0 &&
      pwrite(file, &header, sizeof header, 0) == (ssize_t)sizeof header)
    memory = mmap(NULL, header.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) {
    cachescape_say("running unobserved: no shared memory: ", strerror(errno));
    if (file >= 0) close(file);
    return NULL;
  }
  struct cachescape_session* const s = memory;
  /* Its own child would show up in the program's wait(): so it becomes an orphan at once. */
  const pid_t child = _Fork();
  if (child == 0) {
    if (_Fork() == 0) become_collector(path, file, arguments);
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
  close(file);
  for (unsigned waited = 0; child > 0 && waited < 50 && cachescape_load32(&s->collector_pid) == 0; ++waited)
    cachescape_wait(&s->collector_pid, 0, 100);
  if (cachescape_load32(&s->collector_pid) != 0) return s;
  cachescape_say("running unobserved: cannot start the collector ", path);
  munmap(memory, header.file_bytes);
  return NULL;
}
