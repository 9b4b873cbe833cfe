/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A process that is followed has a session and a collector of its own. */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>
#include "observe/emulated/valgrind/tool.h"
#include "session/session_atomic.h"
#include "session/session_layout.h"

enum { most_words = 128, command_bytes = 4096 };

static const HChar* given[most_words]; /* --collect: options of the collector, word by word */
static UInt given_count;

Bool cs_collector_option(const HChar* argument) {
  const HChar* word;
  if VG_STR_CLO (argument, "--collect", word) {
    if (given_count < most_words) given[given_count++] = word;
    return True;
  }
  return False;
}

/* The program's environment without what Valgrind has put into it, and with the wish to name the profile after the
 * process. */
static HChar** collectors_environment(void) {
  UInt count = 0;
  while (VG_(client_envp)[count] != NULL) ++count;
  HChar** const environment = VG_(malloc)("cachescape.environment", (count + 2) * sizeof *environment);
  UInt kept = 0;
  for (UInt i = 0; i < count; ++i)
    if (VG_(strncmp)(VG_(client_envp)[i], "LD_PRELOAD=", 11) != 0) environment[kept++] = VG_(client_envp)[i];
  environment[kept++] = VG_(strdup)("cachescape.environment", "CACHESCAPE_FOLLOW=children");
  environment[kept] = NULL;
  return environment;
}

/* It keeps `alive` open as long as it lives. */
static void become_collector(const HChar* collector, Int file, Int alive) {
  HChar program[command_bytes];
  HChar command[command_bytes];
  VG_(client_fname)(program, sizeof program, True);
  VG_(client_cmd_and_args)(command, sizeof command);
  HChar* arguments[most_words] = {(HChar*)collector,   (HChar*)"collect", (HChar*)"--session", (HChar*)"3",
                                  (HChar*)"--program", program,           (HChar*)"--command", command};
  UInt count = 8;
  for (UInt i = 0; i < given_count && count < most_words - 1; ++i) arguments[count++] = (HChar*)given[i];
  const HChar* const options = given_count > 0 ? NULL : VG_(getenv)("CACHESCAPE_OPTIONS");
  if (options != NULL) {
    HChar* rest;
    HChar* const copy = VG_(strdup)("cachescape.options", options);
    for (HChar* one = VG_(strtok_r)(copy, " ", &rest); one != NULL && count < most_words - 1;
         one = VG_(strtok_r)(NULL, " ", &rest))
      arguments[count++] = one;
  }
  arguments[count] = NULL;
  cs_become(collector, arguments, collectors_environment(), file, alive);
}

/* Whether the collector has taken the session over; it may also end before. */
static Bool wait_until_taken(struct cachescape_session* s, Int alive) {
  enum { patience = 10000, step = 2, readable = 1, hung_up = 16 }; /* milliseconds; events of poll() */
  for (UInt waited = 0; waited < patience && cachescape_load32(&s->collector_pid) == 0; waited += step) {
    struct vki_pollfd ended = {alive, readable, 0};
    const SysRes polled = VG_(poll)(&ended, 1, step);
    if (!sr_isError(polled) && (ended.revents & (readable | hung_up)) != 0) break;
  }
  return cachescape_load32(&s->collector_pid) != 0;
}

struct cachescape_session* cs_start_collector(const HChar* collector) {
  struct cachescape_session layout;
  VG_(memset)(&layout, 0, sizeof layout);
  const ULong bytes = cachescape_lay_out(&layout, CACHESCAPE_WANT_ACCESSES);
  const Int file = cs_new_shared_file(bytes);
  struct cachescape_session* const s = file < 0 ? NULL : cs_map(file, bytes);
  if (s == NULL) {
    cs_say("running unobserved: no shared memory for a session", "");
    if (file >= 0) VG_(close)(file);
    return NULL;
  }
  struct vki_timespec now;
  VG_(clock_gettime)(&now, 0 /* real time */);
  layout.started_at = (ULong)now.tv_sec * 1000000000ULL + (ULong)now.tv_nsec;
  layout.owner_pid = (uint32_t)VG_(getpid)();
  *s = layout;
  /* Its own child would show up in the program's wait(): so it becomes an orphan at once. */
  Int alive[2] = {-1, -1};
  const Int child = VG_(pipe)(alive) == 0 ? VG_(fork)() : -1;
  if (child == 0) {
    if (VG_(fork)() == 0) become_collector(collector, file, alive[1]);
    VG_(exit)(0);
  }
  VG_(close)(alive[1]);
  if (child > 0) VG_(waitpid)(child, NULL, 0);
  VG_(close)(file);
  const Bool taken = child > 0 && wait_until_taken(s, alive[0]);
  VG_(close)(alive[0]);
  if (taken) return s;
  cs_say("running unobserved: cannot start the collector ", collector);
  VG_(am_munmap_valgrind)((Addr)s, bytes);
  return NULL;
}
