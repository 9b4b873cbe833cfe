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
#include "observe/emulated/valgrind/tool.h"

enum role {
  nothing,
  size_first,
  size_second,
  product,
  reallocation,
  reallocation_of_product,
  through_pointer,
  release
};

static const struct {
  const HChar* name;
  enum role role;
} functions[] = {
    {"malloc", size_first},
    {"__libc_malloc", size_first},
    {"valloc", size_first},
    {"__libc_valloc", size_first},
    {"pvalloc", size_first},
    {"__libc_pvalloc", size_first},
    {"_Znwm", size_first},
    {"_Znam", size_first},
    {"_ZnwmRKSt9nothrow_t", size_first},
    {"_ZnamRKSt9nothrow_t", size_first},
    {"_ZnwmSt11align_val_t", size_first},
    {"_ZnamSt11align_val_t", size_first},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", size_first},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", size_first},
    {"memalign", size_second},
    {"__libc_memalign", size_second},
    {"aligned_alloc", size_second},
    {"calloc", product},
    {"__libc_calloc", product},
    {"realloc", reallocation},
    {"__libc_realloc", reallocation},
    {"reallocarray", reallocation_of_product},
    {"__libc_reallocarray", reallocation_of_product},
    {"posix_memalign", through_pointer},
    {"__posix_memalign", through_pointer},
    {"free", release},
    {"cfree", release},
    {"__libc_free", release},
    {"_ZdlPv", release},
    {"_ZdaPv", release},
    {"_ZdlPvm", release},
    {"_ZdaPvm", release},
};

/* The outermost call that a thread is in. */
struct call {
  enum role role; /* nothing: none */
  Addr stack;     /* pointer, where it began */
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

void cs_forget_calls(ThreadId thread) { call_of(thread)->role = nothing; }

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
  return call->role != nothing && stack < call->stack &&
         VG_(am_is_valid_for_client)(call->stack, sizeof(Addr), VKI_PROT_READ) &&
         *(const Addr*)call->stack == call->returns_to;
}

static ULong times(ULong a, ULong b) {
  ULong result;
  return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

static VG_REGPARM(0) void begins(ULong role, Addr stack, ULong a, ULong b, ULong c) {
  if (!cs_observing()) return;
  if (role == release) {
    if (a != 0) cs_mark(CACHESCAPE_FREED, a, 0, 0, 0, 1);
    return;
  }
  struct call* const call = call_of(VG_(get_running_tid)());
  const Addr returns_to = *(const Addr*)stack;
  if (still_inside(call, stack)) return;
  /* A function that ends by jumping to another one of these. */
  if (call->role != nothing && call->role != role && call->stack == stack && call->returns_to == returns_to) return;
  call->role = role;
  call->stack = stack;
  call->returns_to = returns_to;
  call->old = a;
  switch ((enum role)role) {
    case size_second:
    case reallocation:
      call->bytes = b;
      break;
    case product:
      call->bytes = times(a, b);
      break;
    case reallocation_of_product:
      call->bytes = times(b, c);
      break;
    case through_pointer:
      call->bytes = c;
      break;
    default:
      call->bytes = a;
      break;
  }
  caller_of(returns_to);
}

static VG_REGPARM(0) void returned(Addr here, Addr stack, ULong result) {
  const ThreadId thread = VG_(get_running_tid)();
  struct call* const call = call_of(thread);
  if (call->role == nothing || call->returns_to != here || call->stack + sizeof(Addr) != stack) return;
  const struct call done = *call;
  call->role = nothing;
  if (!cs_observing()) return;
  if (done.role == through_pointer) result = result == 0 ? *(const Addr*)done.old : 0;
  if (result == 0) return;
  if ((done.role == reallocation || done.role == reallocation_of_product) && done.old != 0)
    cs_mark(CACHESCAPE_FREED, done.old, 0, 0, 0, 1);
  const ULong site = cs_site_at(here - 1, 0); /* within the call */
  const ULong led_by = cs_stack_of_allocation(thread);
  if (led_by == 0) {
    cs_mark(CACHESCAPE_ALLOCATED, result, done.bytes, site, 0, 3);
  } else {
    cs_mark(CACHESCAPE_ALLOCATED_BY_STACK, result, done.bytes, site, led_by, 4);
  }
}

static enum role role_of(Addr address) {
  const HChar* name;
  if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name)) return nothing;
  for (UInt i = 0; i < sizeof functions / sizeof *functions; ++i)
    if (VG_(strcmp)(name, functions[i].name) == 0) return functions[i].role;
  return nothing;
}

static IRExpr* guest_register(IRSB* out, Int offset) {
  const IRTemp value = newIRTemp(out->tyenv, Ity_I64);
  addStmtToIRSB(out, IRStmt_WrTmp(value, IRExpr_Get(offset, Ity_I64)));
  return IRExpr_RdTmp(value);
}
#define REGISTER(name) guest_register(out, offsetof(VexGuestAMD64State, guest_##name))

/* `address` is where the superblock begins, so that registers are as the call or the return left them. */
void cs_instrument_allocations(IRSB* out, const VexGuestLayout* layout, Addr address) {
  const enum role role = role_of(address);
  if (role != nothing) {
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
