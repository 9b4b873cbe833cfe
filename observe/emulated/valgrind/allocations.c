/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls of malloc() and its like, seen where they begin and where they return.
 *
 * The program's own allocator runs and is observed as everything else; replacing or wrapping it would change where data
 * lie. Functions are recognised by their symbols where their code begins. The first call from a place makes the code
 * that it returns to one of the watched: that is mostly not translated yet. If it is, it is translated anew after the
 * program's next system call, and allocations from there are not seen until then. */
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_hashtable.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_vki.h>
#include "observe/emulated/allocator.h"
#include "observe/emulated/valgrind/tool.h"

/* The outermost call that a thread is in. */
struct call {
  enum cs_role role; /* cs_nothing: none */
  Addr stack;        /* pointer, where it began */
  Addr returns_to;
  ULong bytes;
  Addr old; /* what is reallocated, or where the result goes */
};
static struct call* calls;
static UInt calls_room;

static struct call* call_of(ThreadId thread) {
  calls = cs_with_room_for(thread, calls, &calls_room, sizeof *calls);
  return &calls[thread];
}

void cs_forget_calls(ThreadId thread) { call_of(thread)->role = cs_nothing; }

/* A place that calls are made from, by the address that they return to. */
struct caller {
  struct caller* next;
  UWord returns_to;
  Bool watched; /* the code there was translated since it is known */
};
static VgHashTable* callers;
static struct caller* unwatched[256];
static UInt unwatched_count;

static struct caller* caller_of(Addr returns_to) {
  if (callers == NULL) callers = VG_(HT_construct)("cachescape.callers");
  struct caller* caller = VG_(HT_lookup)(callers, returns_to);
  if (caller == NULL) {
    caller = VG_(calloc)("cachescape.caller", 1, sizeof *caller);
    caller->returns_to = returns_to;
    VG_(HT_add_node)(callers, caller);
    if (unwatched_count < sizeof unwatched / sizeof *unwatched) unwatched[unwatched_count++] = caller;
  }
  return caller;
}

/* Code that returned already to where nobody watched: it was translated before the first call. */
void cs_watch_callers(void) {
  for (UInt i = 0; i < unwatched_count; ++i)
    if (!unwatched[i]->watched) cs_translate_anew(unwatched[i]->returns_to, 1);
  unwatched_count = 0;
}

/* Whether the thread is still inside the call: nothing has overwritten where it returns to. */
static Bool still_inside(const struct call* call, Addr stack) {
  return call->role != cs_nothing && stack < call->stack &&
         VG_(am_is_valid_for_client)(call->stack, sizeof(Addr), VKI_PROT_READ) &&
         *(const Addr*)call->stack == call->returns_to;
}

static VG_REGPARM(0) void begins(ULong role, Addr stack, ULong a, ULong b, ULong c) {
  if (!cs_observing()) return;
  if (role == cs_release) {
    if (a != 0) cs_mark(CACHESCAPE_FREED, a, 0, 0, 0, 1);
    return;
  }
  struct call* const call = call_of(VG_(get_running_tid)());
  const Addr returns_to = *(const Addr*)stack;
  if (still_inside(call, stack)) return;
  /* A function that ends by jumping to another one of these. */
  if (call->role != cs_nothing && call->role != role && call->stack == stack && call->returns_to == returns_to) return;
  call->role = role;
  call->stack = stack;
  call->returns_to = returns_to;
  call->old = a;
  call->bytes = cs_bytes_asked((enum cs_role)role, a, b, c);
  caller_of(returns_to);
}

static VG_REGPARM(0) void returned(Addr here, Addr stack, ULong result) {
  const ThreadId thread = VG_(get_running_tid)();
  struct call* const call = call_of(thread);
  if (call->role == cs_nothing || call->returns_to != here || call->stack + sizeof(Addr) != stack) return;
  const struct call done = *call;
  call->role = cs_nothing;
  if (!cs_observing()) return;
  if (done.role == cs_through_pointer) result = result == 0 ? *(const Addr*)done.old : 0;
  if (result == 0) return;
  if (cs_reallocates(done.role) && done.old != 0) cs_mark(CACHESCAPE_FREED, done.old, 0, 0, 0, 1);
  const ULong site = cs_site_at(here - 1, 0); /* within the call */
  const ULong led_by = cs_stack_of_allocation(thread);
  if (led_by == 0) {
    cs_mark(CACHESCAPE_ALLOCATED, result, done.bytes, site, 0, 3);
  } else {
    cs_mark(CACHESCAPE_ALLOCATED_BY_STACK, result, done.bytes, site, led_by, 4);
  }
}

static enum cs_role role_of(Addr address) {
  const HChar* name;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name)) return cs_nothing;
  return cs_role_of(name, VG_(strlen)(name) + 1);
}

static IRExpr* guest_register(IRSB* out, Int offset) {
  const IRTemp value = newIRTemp(out->tyenv, Ity_I64);
  addStmtToIRSB(out, IRStmt_WrTmp(value, IRExpr_Get(offset, Ity_I64)));
  return IRExpr_RdTmp(value);
}
#define REGISTER(name) guest_register(out, offsetof(VexGuestAMD64State, guest_##name))

/* `address` is where the superblock begins, so that registers are as the call or the return left them. */
void cs_instrument_allocations(IRSB* out, const VexGuestLayout* layout, Addr address) {
  const enum cs_role role = role_of(address);
  if (role != cs_nothing) {
    IRDirty* const call = unsafeIRDirty_0_N(
        0, "cachescape_begins", VG_(fnptr_to_fnentry)(begins),
        mkIRExprVec_5(IRExpr_Const(IRConst_U64(role)), REGISTER(RSP), REGISTER(RDI), REGISTER(RSI), REGISTER(RDX)));
    cs_state_of_place(call, layout);
    addStmtToIRSB(out, IRStmt_Dirty(call));
  }
  struct caller* const caller = callers == NULL ? NULL : VG_(HT_lookup)(callers, address);
  if (caller == NULL) return;
  caller->watched = True;
  IRDirty* const call =
      unsafeIRDirty_0_N(0, "cachescape_returned", VG_(fnptr_to_fnentry)(returned),
                        mkIRExprVec_3(IRExpr_Const(IRConst_U64(address)), REGISTER(RSP), REGISTER(RAX)));
  cs_state_of_place(call, layout);
  addStmtToIRSB(out, IRStmt_Dirty(call));
}
