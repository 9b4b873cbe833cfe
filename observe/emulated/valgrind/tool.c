/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tool as Valgrind sees it: its options, and what it does when the program begins, forks and ends. */
#include "observe/emulated/valgrind/tool.h"
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>

static Int session_file = -1;         /* --session: the descriptor of the session to join */
static const HChar* collector = NULL; /* --collector: the program that collects for processes that are followed */
static Bool own_collector;

static Bool option(const HChar* argument) {
  if VG_INT_CLO (argument, "--session", session_file) {
  } else if VG_STR_CLO (argument, "--collector", collector) {
  } else {
    return cs_region_option(argument) || cs_kernel_option(argument) || cs_calls_option(argument) ||
           cs_collector_option(argument);
  }
  return True;
}
static void usage(void) {}

void* cs_with_room_for(ThreadId thread, void* array, UInt* room, SizeT entry_bytes) {
  if (thread < *room) return array;
  const UInt more = thread + 64;
  char* const larger = VG_(realloc)("cachescape.threads", array, more * entry_bytes);
  VG_(memset)(larger + *room * entry_bytes, 0, (more - *room) * entry_bytes);
  *room = more;
  return larger;
}

static void follow(void) {
  struct cachescape_session* const own = collector == NULL ? NULL : cs_start_collector(collector);
  own_collector = own != NULL;
  cs_use(own);
}

static void begin(void) {
  cs_close_spare_log();
  cs_keep_messages();
  const Bool joined = session_file >= 0 && cs_join(session_file);
  if (joined) {
    /* The program's own files get the numbers that they would have without us. */
    VG_(close)(session_file);
  } else {
    follow();
  }
}

static void after_fork_in_child(ThreadId thread) {
  (void)thread;
  if (cs_session() == NULL) return;
  cs_leave_session();
  own_collector = False;
  /* Code that goes on unobserved should be as fast as it can be; code that is followed needs the new session's
   * descriptors. */
  cs_translate_anew(0, ~0ULL);
  if (collector != NULL) follow();
}

static void new_mapping(Addr address, SizeT bytes, Bool readable, Bool writable, Bool executable, ULong handle) {
  (void)bytes, (void)readable, (void)writable, (void)handle;
  if (executable && cs_observing()) cs_note_mapping(address);
}

static void before_system_call(ThreadId thread, UInt number, UWord* arguments, UInt count) {
  (void)thread, (void)number, (void)arguments, (void)count;
  cs_watch_callers();
}
static void after_system_call(ThreadId thread, UInt number, UWord* arguments, UInt count, SysRes result) {
  (void)thread, (void)number, (void)arguments, (void)count, (void)result;
}

static void end(Int status) {
  (void)status;
  cs_finish(own_collector);
}

static void prepare(void) {
  VG_(details_name)("cachescape");
  VG_(details_version)(NULL);
  VG_(details_description)("writes memory accesses into a session");
  VG_(details_copyright_author)("GNU General Public License, version 2 or later");
  VG_(details_bug_reports_to)("the authors of cachescape");
  VG_(details_avg_translation_sizeB)(400);
  /* Where a call leads, a superblock has to begin: functions are seen there. And nothing is executed ahead of a
   * condition, which would count as executed. */
  VG_(clo_vex_control).guest_chase = False;
  VG_(basic_tool_funcs)(begin, cs_instrument, end);
  VG_(needs_command_line_options)(option, usage, usage);
  VG_(needs_client_requests)(cs_request);
  VG_(needs_syscall_wrapper)(before_system_call, after_system_call);
  VG_(track_start_client_code)(cs_start_running);
  VG_(track_stop_client_code)(cs_stop_running);
  VG_(track_pre_thread_ll_create)(cs_thread_begins);
  VG_(track_pre_thread_ll_exit)(cs_thread_ends);
  VG_(track_new_mem_startup)(new_mapping);
  VG_(track_new_mem_mmap)(new_mapping);
  cs_track_kernel();
  VG_(atfork)(NULL, NULL, after_fork_in_child);
}

VG_DETERMINE_INTERFACE_VERSION(prepare)
