/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What of the program is recorded: from one function's call until another's, and what the calipers of
 * <cachescape/mark.h> say. Each is a condition, and all must hold.
 *
 * Functions switch for the whole process, calipers for the thread that meets them. */
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_vki.h>
#include "observe/emulated/valgrind/tool.h"
#include "session/request.h"

/* Of Valgrind's core; its headers for tools leave it out. */
extern int cplus_demangle_v3_callback(const char* mangled, int options, void (*take)(const char*, SizeT, void*),
                                      void* to);

static const HChar* from = NULL;  /* --from: the function whose call begins what is recorded */
static const HChar* until = NULL; /* --until: the function whose call ends it */
static const HChar* region = NULL;
static Bool outside; /* of from … until */

struct calipers {
  Bool off;
  UInt inside; /* times that the region was begun and not ended */
};
static struct calipers* threads;
static UInt threads_room;

Bool cs_region_option(const HChar* argument) {
  if VG_STR_CLO (argument, "--from", from) {
    outside = True;
  } else if VG_STR_CLO (argument, "--until", until) {
  } else if VG_STR_CLO (argument, "--region", region) {
  } else {
    return False;
  }
  return True;
}

static struct calipers* calipers_of(ThreadId thread) {
  threads = cs_with_room_for(thread, threads, &threads_room, sizeof *threads);
  return &threads[thread];
}

void cs_forget_calipers(ThreadId thread) { VG_(memset)(calipers_of(thread), 0, sizeof *threads); }

Bool cs_wants(ThreadId thread) {
  if (outside) return False;
  const struct calipers* const calipers = calipers_of(thread);
  return !calipers->off && (region == NULL || calipers->inside != 0);
}

/* Whether the program's text is the wanted region's tag. Nobody has checked the address: the calls do nothing in a
 * program that is not observed. */
static Bool is_wanted(Addr text) {
  if (region == NULL) return False;
  for (const HChar* expected = region;; ++expected, ++text) {
    if (!VG_(am_is_valid_for_client)(text, 1, VKI_PROT_READ) || *(const HChar*)text != *expected) return False;
    if (*expected == '\0') return True;
  }
}

static Addr tag_of(ThreadId thread) {
  Addr tag = 0;
  VG_(get_shadow_regs_area)(thread, (UChar*)&tag, 0, offsetof(VexGuestAMD64State, guest_RDX), sizeof tag);
  return tag;
}

Bool cs_request(ThreadId thread, UWord* arguments, UWord* result) {
  struct calipers* const calipers = calipers_of(thread);
  switch (arguments[0]) {
    case CACHESCAPE_REQUEST_ON:
      calipers->off = False;
      break;
    case CACHESCAPE_REQUEST_OFF:
      calipers->off = True;
      break;
    case CACHESCAPE_REQUEST_BEGIN:
      if (is_wanted(tag_of(thread))) ++calipers->inside;
      break;
    case CACHESCAPE_REQUEST_END:
      if (calipers->inside != 0 && is_wanted(tag_of(thread))) --calipers->inside;
      break;
    default:
      return False;
  }
  *result = 0;
  return True;
}

/* One function may be both: then every other call of it ends what is recorded. */
enum { begins = 1, ends = 2 };
static VG_REGPARM(1) void called(ULong role) {
  if (outside ? (role & begins) != 0 : (role & ends) != 0) outside = !outside;
  cs_record(cs_wants(VG_(get_running_tid)()));
}

struct text {
  HChar bytes[4096];
  SizeT length;
};
static void append(const char* part, SizeT length, void* to) {
  struct text* const text = to;
  for (SizeT i = 0; i < length && text->length < sizeof text->bytes - 1; ++i) text->bytes[text->length++] = part[i];
}

static Bool begins_with(const HChar* text, const HChar* beginning) {
  return VG_(strncmp)(text, beginning, VG_(strlen)(beginning)) == 0;
}

/* As reports show it, with or without the types of its arguments; as the linker knows it; or a copy of it that the
 * compiler has made for some of its calls. */
static Bool is_named(const HChar* symbol, const HChar* wanted) {
  const SizeT length = VG_(strlen)(wanted);
  if (begins_with(symbol, wanted)) {
    const HChar* const rest = symbol + length;
    if (*rest == '\0' || *rest == '@' || begins_with(rest, ".constprop.") || begins_with(rest, ".isra.")) return True;
  }
  if (!begins_with(symbol, "_Z")) return False;
  static struct text plain;
  plain.length = 0;
  enum { with_parameters = 1, with_qualifiers = 2 };
  if (cplus_demangle_v3_callback(symbol, with_parameters | with_qualifiers, append, &plain) == 0) return False;
  plain.bytes[plain.length] = '\0';
  if (!begins_with(plain.bytes, wanted)) return False;
  const HChar* const rest = plain.bytes + length;
  return *rest == '\0' || *rest == '(' || begins_with(rest, " [clone .constprop.") ||
         begins_with(rest, " [clone .isra.");
}

/* What calls of the function that begins there do; 0: nothing. */
UInt cs_switch_at(Addr address) {
  const HChar* name;
  if (from == NULL && until == NULL) return 0;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name)) return 0;
  return (from != NULL && is_named(name, from) ? begins : 0) | (until != NULL && is_named(name, until) ? ends : 0);
}

void cs_instrument_switch(IRSB* out, const VexGuestLayout* layout, UInt role) {
  IRDirty* const call = unsafeIRDirty_0_N(1, "cachescape_called", VG_(fnptr_to_fnentry)(called),
                                          mkIRExprVec_1(IRExpr_Const(IRConst_U64(role))));
  cs_state_of_place(call, layout);
  addStmtToIRSB(out, IRStmt_Dirty(call));
}
