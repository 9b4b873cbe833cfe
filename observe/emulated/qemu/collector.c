/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A process that is followed has a session and a collector of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"
#include "session/detach.h"
#include "session/session_atomic.h"
#include "session/session_layout.h"

extern char** environ;

enum { most_words = 128, command_bytes = 4096 };

/* What the collector is called with. Made before the fork, after which nothing may be allocated. */
struct collectors_command {
  char* words[most_words];
  char program[command_bytes];
  char command[command_bytes];
  char options[command_bytes];
};

/* The program and its arguments, without QEMU and what it was asked: "-0 NAME PATH ARGUMENTS", as exec.c and whoever
 * starts QEMU put it. QEMU itself does not know yet when it loads plugins. */
static void read_command(struct collectors_command* c) {
  char raw[command_bytes];
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? 0 : read(file, raw, sizeof raw - 1);
  if (file >= 0) close(file);
  const char* const end = raw + (bytes > 0 ? bytes : 0);
  raw[end - raw] = '\0';
  const char* word = raw;
  while (word < end && strcmp(word, "-0") != 0) word += strlen(word) + 1;
  int number = -1;
  for (; word < end; word += strlen(word) + 1, ++number) {
    if (number == 1) strncpy(c->program, word, sizeof c->program - 1);
    if (number < 0 || number == 1) continue;
    if (c->command[0] != '\0') strncat(c->command, " ", sizeof c->command - strlen(c->command) - 1);
    strncat(c->command, word, sizeof c->command - strlen(c->command) - 1);
  }
}

static void prepare(struct collectors_command* c, const char* collector) {
  read_command(c);
  unsigned count = 0;
  const char* const fixed[] = {collector, "collect",   "--session", "3",         "--observer",
                               "qemu",    "--program", c->program,  "--command", c->command};
  for (; count < sizeof fixed / sizeof *fixed; ++count) c->words[count] = (char*)fixed[count];
  const char* const options = getenv("CACHESCAPE_OPTIONS");
  if (options != NULL && strlen(options) < sizeof c->options) {
    char* rest = NULL;
    strcpy(c->options, options);
    for (char* word = strtok_r(c->options, " ", &rest); word != NULL && count < most_words - 1;
         word = strtok_r(NULL, " ", &rest))
      c->words[count++] = word;
  }
  c->words[count] = NULL;
  setenv("CACHESCAPE_FOLLOW", "children", 1); /* QEMU's environment, no longer the program's */
}

/* In the grandchild. It keeps `alive` open as long as it lives. */
static void become_collector(const struct collectors_command* c, int session, int alive) {
  cachescape_detach(session, alive);
  execve(c->words[0], c->words, environ);
  _exit(127);
}

/* Whether the collector has taken the session over; it may also end before. */
static bool wait_until_taken(struct cachescape_session* s, int alive) {
  enum { patience = 10000, step = 2 }; /* milliseconds */
  for (int waited = 0; waited < patience && cachescape_load32(&s->collector_pid) == 0; waited += step) {
    struct pollfd ended = {alive, POLLIN, 0};
    if (poll(&ended, 1, step) == 1) break;
  }
  return cachescape_load32(&s->collector_pid) != 0;
}

/* Standard streams that the program has closed must not be what we open: the program would write into it. */
static int above_standard_streams(int file) {
  if (file < 0 || file > 2) return file;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, 3);
  close(file);
  return moved;
}

static struct cachescape_session* new_session(int file) {
  struct cachescape_session header = {0};
  cachescape_lay_out(&header, CACHESCAPE_WANT_ACCESSES);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  header.started_at = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
  header.owner_pid = (uint32_t)getpid();
  if (file < 0 || ftruncate(file, (off_t)header.file_bytes) != 0 ||
      pwrite(file, &header, sizeof header, 0) != (ssize_t)sizeof header)
    return NULL;
  void* const memory = mmap(NULL, header.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

struct cachescape_session* cs_start_collector(const char* collector) {
  static struct collectors_command command;
  command = (struct collectors_command){0};
  prepare(&command, collector);
  const int file = above_standard_streams(memfd_create("cachescape", MFD_CLOEXEC));
  struct cachescape_session* const s = new_session(file);
  if (s == NULL) {
    cs_say("running unobserved: no shared memory for a session: ", strerror(errno));
    if (file >= 0) close(file);
    return NULL;
  }
  int alive[2] = {-1, -1};
  const bool piped = pipe2(alive, O_CLOEXEC) == 0;
  alive[0] = above_standard_streams(alive[0]);
  alive[1] = above_standard_streams(alive[1]);
  /* Its own child would show up in the program's wait(): so it becomes an orphan at once. */
  const pid_t child = piped ? _Fork() : -1;
  if (child == 0) {
    if (_Fork() == 0) become_collector(&command, file, alive[1]);
    _exit(0);
  }
  if (alive[1] >= 0) close(alive[1]);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  close(file);
  const bool taken = child > 0 && wait_until_taken(s, alive[0]);
  if (alive[0] >= 0) close(alive[0]);
  if (taken) return s;
  cs_say("running unobserved: cannot start the collector ", collector);
  munmap(s, s->file_bytes);
  return NULL;
}
