/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the kernel reads and writes for the program in its system calls, as accesses of the instructions that call.
 *
 * Valgrind tells what a call may read before it is made, and what it has written after it. */
#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>
#include "observe/emulated/valgrind/tool.h"

static Bool wanted = False; /* --kernel */

Bool cs_kernel_option(const HChar* argument) {
  if VG_BOOL_CLO (argument, "--kernel", wanted) {
    return True;
  }
  return False;
}

static void tell(CorePart part, ThreadId thread, ULong kind, Addr address, SizeT bytes) {
  if (!wanted || part != Vg_CoreSysCall || bytes == 0 || !cs_observing() || !cs_wants(thread)) return;
  /* What the program may not access, the kernel does not either: the call fails. */
  if (!VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ)) return;
  const Addr within_call = VG_(get_IP)(thread) - 1;
  cs_name_thread(thread); /* others may have run during the call */
  cs_mark(CACHESCAPE_KERNEL, cs_site_at(within_call, CACHESCAPE_CODE_KERNEL), address, bytes, kind, 4);
}

static void reads(CorePart part, ThreadId thread, const HChar* what, Addr address, SizeT bytes) {
  (void)what;
  tell(part, thread, CACHESCAPE_READ, address, bytes);
}

static void reads_text(CorePart part, ThreadId thread, const HChar* what, Addr address) {
  (void)what;
  if (!wanted) return;
  SizeT bytes = 0;
  do {
    if (!VG_(am_is_valid_for_client)(address + bytes, 1, VKI_PROT_READ)) return;
  } while (((const HChar*)address)[bytes++] != '\0');
  tell(part, thread, CACHESCAPE_READ, address, bytes);
}

static void has_written(CorePart part, ThreadId thread, Addr address, SizeT bytes) {
  tell(part, thread, CACHESCAPE_WRITE, address, bytes);
}

void cs_track_kernel(void) {
  VG_(track_pre_mem_read)(reads);
  VG_(track_pre_mem_read_asciiz)(reads_text);
  VG_(track_post_mem_write)(has_written);
}
