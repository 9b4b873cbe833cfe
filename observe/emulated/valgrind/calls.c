/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which calls have led to what a thread does: a tree of calling contexts, and the stacks of allocations.
 *
 * A function begins where a symbol says so, or where a call leads that is no jump to elsewhere. Where it begins, the
 * stack pointer is at its return address: whatever the thread has called before and left, by returning, by an exception
 * or by longjmp, has had its own at or below that. So there is nothing to do where calls are made. */
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_hashtable.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_stacktrace.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_vki.h>
#include "observe/emulated/valgrind/tool.h"
#include "session/context.h"
#include "session/session_atomic.h"
#include "session/stack.h"

static Bool wanted = False; /* --call-stacks */

Bool cs_calls_option(const HChar* argument) {
  if VG_BOOL_CLO (argument, "--call-stacks", wanted) {
    return True;
  }
  return False;
}

Bool cs_wants_stacks(void) { return wanted; }

/* Contexts by number; 0 is that of threads in which no function has begun. */
static struct context {
  Addr function;
  UInt caller;
  Addr called_last; /* function */
  UInt led_to;
  Bool was_recursive;
  struct cachescape_code_context* row;
}* contexts;
static UInt contexts_count, contexts_room;
static UInt others;     /* the context that stands for those that are not told apart; 0: none yet */
static UInt of_session; /* that knows them */

/* A call that was seen before. */
struct edge {
  struct edge* next;
  UWord key;
  UInt from, to;
  Addr function;
};
static VgHashTable* edges;

static Word compare_edges(const void* a, const void* b) {
  const struct edge* const x = a;
  const struct edge* const y = b;
  return x->from != y->from || x->function != y->function;
}

static UWord key_of(UInt from, Addr function) { return function ^ (UWord)from << 40 ^ (UWord)from >> 8; }

/* 0 where there is no room. */
static UInt new_context(UInt caller, Addr function) {
  Addr begin, end;
  const UInt mapping = function == 0 ? 0 : cs_mapping_of(function, &begin, &end);
  struct cachescape_code_context* const row = cs_add_context(caller, mapping, function);
  if (row == NULL && contexts_count > 0) return 0;
  if (contexts_count == contexts_room) {
    contexts_room = 2 * contexts_room + 1024;
    contexts = VG_(realloc)("cachescape.contexts", contexts, contexts_room * sizeof *contexts);
  }
  contexts[contexts_count] = (struct context){function, caller, 0, 0, False, row};
  return contexts_count++;
}

/* The context that has the function among the callers of another one, or that itself; 0: none. */
static UInt among_callers(UInt context, Addr function) {
  for (; context != 0; context = contexts[context].caller)
    if (contexts[context].function == function) return context;
  return 0;
}

static UInt find_context(UInt from, Addr function) {
  struct edge wanted_edge;
  VG_(memset)(&wanted_edge, 0, sizeof wanted_edge);
  wanted_edge.key = key_of(from, function);
  wanted_edge.from = from;
  wanted_edge.function = function;
  const struct edge* const known = VG_(HT_gen_lookup)(edges, &wanted_edge, compare_edges);
  if (known != NULL) return known->to;
  UInt to = among_callers(from, function);
  if (to == 0 && contexts_count > CACHESCAPE_MAX_CONTEXTS && from != others) {
    if (others == 0) others = new_context(0, 0);
    to = find_context(others, function);
  } else if (to == 0) {
    to = new_context(from, function);
  }
  struct edge* const edge = VG_(malloc)("cachescape.edge", sizeof *edge);
  *edge = wanted_edge;
  edge->to = to;
  VG_(HT_add_node)(edges, edge);
  return to;
}

/* A new session knows of no contexts. */
static void begin_contexts(void) {
  if (of_session == cs_session_number()) return;
  of_session = cs_session_number();
  contexts_count = others = 0;
  if (edges != NULL) VG_(HT_destruct)(edges, VG_(free));
  edges = VG_(HT_construct)("cachescape.edges");
  new_context(0, 0);
}

/* Calls that a thread is in. */
struct frame {
  Addr returns_at; /* where the return address lies */
  UInt context;
};
struct stack {
  struct frame* frames;
  UInt depth, room;
  UInt session; /* that its contexts are of */
};
static struct stack* stacks;
static UInt stacks_room;

static struct stack* stack_of(ThreadId thread) {
  stacks = cs_with_room_for(thread, stacks, &stacks_room, sizeof *stacks);
  struct stack* const stack = &stacks[thread];
  if (stack->session != of_session) stack->depth = 0;
  stack->session = of_session;
  return stack;
}

static UInt context_of(const struct stack* stack) {
  return stack->depth == 0 ? 0 : stack->frames[stack->depth - 1].context;
}

static void set_executed(ThreadId thread, ULong instructions) {
  VG_(set_shadow_regs_area)(thread, 1, cs_executed_in_state, sizeof instructions, (const UChar*)&instructions);
}

/* What was executed since the last time belongs to the context that the thread is still in. */
static void count_instructions(ThreadId thread, const struct stack* stack) {
  ULong executed;
  VG_(get_shadow_regs_area)(thread, (UChar*)&executed, 1, cs_executed_in_state, sizeof executed);
  struct cachescape_code_context* const row = contexts[context_of(stack)].row;
  if (row != NULL) cachescape_store64(&row->instructions, row->instructions + executed);
  set_executed(thread, 0);
}

static void mark_context(const struct stack* stack, UInt how) {
  cs_mark(CACHESCAPE_CONTEXT, context_of(stack), how, 0, 0, 2);
}

/* Each time that it begins to run: signals bring the state back that they have interrupted. */
void cs_start_stack(ThreadId thread) {
  if (!wanted || cs_session() == NULL) return;
  begin_contexts();
  set_executed(thread, 0);
}

void cs_stop_stack(ThreadId thread) {
  if (wanted && cs_session() != NULL && of_session == cs_session_number()) count_instructions(thread, stack_of(thread));
}

void cs_mark_context_of(ThreadId thread) {
  if (!wanted) return;
  begin_contexts();
  mark_context(stack_of(thread), CACHESCAPE_CONTEXT_GOES_ON);
}

void cs_forget_stack(ThreadId thread) {
  if (wanted) stack_of(thread)->depth = 0;
}

static VG_REGPARM(2) void entered(Addr function, Addr returns_at) {
  if (!cs_observing()) return;
  const ThreadId thread = VG_(get_running_tid)();
  struct stack* const stack = stack_of(thread);
  count_instructions(thread, stack);
  UInt depth = stack->depth;
  while (depth > 0 && stack->frames[depth - 1].returns_at < returns_at) --depth;
  if (depth > 0 && stack->frames[depth - 1].returns_at == returns_at) {
    /* A jump back to where it begins, or one to another function in the place of a call. */
    if (contexts[stack->frames[depth - 1].context].function == function) return;
    --depth;
  }
  stack->depth = depth;
  struct context* const from = &contexts[context_of(stack)];
  if (from->called_last != function) {
    const UInt number = context_of(stack);
    const UInt led_to = find_context(number, function); /* contexts may have moved */
    contexts[number].called_last = function;
    contexts[number].led_to = led_to;
    contexts[number].was_recursive = led_to != 0 && among_callers(number, function) == led_to;
  }
  const struct context* const at = &contexts[context_of(stack)];
  const UInt how = at->was_recursive ? CACHESCAPE_CONTEXT_RECURS : CACHESCAPE_CONTEXT_CALLED;
  if (stack->depth == stack->room) {
    stack->room = 2 * stack->room + 256;
    stack->frames = VG_(realloc)("cachescape.frames", stack->frames, stack->room * sizeof *stack->frames);
  }
  stack->frames[stack->depth++] = (struct frame){returns_at, at->led_to};
  mark_context(stack, how);
}

static VG_REGPARM(1) void left(Addr stack_pointer) {
  if (!cs_observing()) return;
  const ThreadId thread = VG_(get_running_tid)();
  struct stack* const stack = stack_of(thread);
  UInt depth = stack->depth;
  while (depth > 0 && stack->frames[depth - 1].returns_at < stack_pointer) --depth;
  if (depth == stack->depth) return;
  count_instructions(thread, stack);
  stack->depth = depth;
  mark_context(stack, CACHESCAPE_CONTEXT_GOES_ON);
}

/* Functions without a symbol that calls lead to. */
struct beginning {
  struct beginning* next;
  UWord address;
};
static VgHashTable* beginnings;

/* Jumps to where a table says, as a call of a library's function does. */
static Bool is_stub(Addr address) {
  static const UChar mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
  enum { looked_at = 16 };
  if (!VG_(am_is_valid_for_client)(address, looked_at, VKI_PROT_READ)) return True;
  const UChar* code = (const UChar*)address;
  if (VG_(memcmp)(code, mark, sizeof mark) == 0) code += sizeof mark;
  if (*code == 0xf2) ++code; /* bnd */
  return code[0] == 0xff && code[1] == 0x25;
}

static void note_call(Addr target) {
  if (beginnings == NULL) beginnings = VG_(HT_construct)("cachescape.beginnings");
  if (VG_(HT_lookup)(beginnings, target) != NULL || is_stub(target)) return;
  struct beginning* const begins = VG_(calloc)("cachescape.beginning", 1, sizeof *begins);
  begins->address = target;
  VG_(HT_add_node)(beginnings, begins);
}

static VG_REGPARM(1) void calls_through_pointer(Addr target) { note_call(target); }

static Bool function_begins_at(Addr address) {
  const HChar* name;
  if (beginnings != NULL && VG_(HT_lookup)(beginnings, address) != NULL) return True;
  return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name) && !is_stub(address);
}

static IRExpr* stack_pointer(IRSB* out) {
  const IRTemp value = newIRTemp(out->tyenv, Ity_I64);
  addStmtToIRSB(out, IRStmt_WrTmp(value, IRExpr_Get(offsetof(VexGuestAMD64State, guest_RSP), Ity_I64)));
  return IRExpr_RdTmp(value);
}

static void add_call(IRSB* out, const VexGuestLayout* layout, IRDirty* call) {
  cs_state_of_place(call, layout);
  addStmtToIRSB(out, IRStmt_Dirty(call));
}

void cs_instrument_entry(IRSB* out, const VexGuestLayout* layout, Addr address) {
  if (!wanted || !function_begins_at(address)) return;
  add_call(out, layout,
           unsafeIRDirty_0_N(2, "cachescape_entered", VG_(fnptr_to_fnentry)(entered),
                             mkIRExprVec_2(IRExpr_Const(IRConst_U64(address)), stack_pointer(out))));
}

void cs_instrument_exit(IRSB* out, const VexGuestLayout* layout) {
  if (!wanted) return;
  if (out->jumpkind == Ijk_Call && out->next->tag == Iex_Const) {
    note_call(out->next->Iex.Const.con->Ico.U64);
  } else if (out->jumpkind == Ijk_Call) {
    addStmtToIRSB(
        out, IRStmt_Dirty(unsafeIRDirty_0_N(1, "cachescape_calls_through_pointer",
                                            VG_(fnptr_to_fnentry)(calls_through_pointer), mkIRExprVec_1(out->next))));
  }
  if (out->jumpkind != Ijk_Ret) return;
  add_call(out, layout,
           unsafeIRDirty_0_N(1, "cachescape_left", VG_(fnptr_to_fnentry)(left), mkIRExprVec_1(stack_pointer(out))));
}

/* Stacks that the session has. */
struct known_stack {
  struct known_stack* next;
  UWord hash;
  struct cachescape_stack stack;
  ULong at;
};
static VgHashTable* known_stacks;
static UInt known_in_session;

static Word compare_stacks(const void* a, const void* b) {
  const struct known_stack* const x = a;
  const struct known_stack* const y = b;
  return VG_(memcmp)(&x->stack, &y->stack, sizeof x->stack);
}

static void add_frame(struct cachescape_stack* stack, Addr returns_to) {
  for (UInt i = 0; i < stack->frames; ++i)
    if (stack->frame[i] == returns_to) return;
  if (stack->frames < CACHESCAPE_STACK_FRAMES) stack->frame[stack->frames++] = returns_to;
}

/* The thread has returned from the call of an allocator to where its instruction pointer is. */
ULong cs_stack_of_allocation(ThreadId thread) {
  if (!wanted) return 0;
  if (known_in_session != cs_session_number()) {
    if (known_stacks != NULL) VG_(HT_destruct)(known_stacks, VG_(free));
    known_stacks = VG_(HT_construct)("cachescape.stacks");
    known_in_session = cs_session_number();
  }
  enum { deepest = 64 };
  Addr frames[deepest];
  const UInt count = VG_(get_StackTrace)(thread, frames, deepest, NULL, NULL, 0);
  struct known_stack found;
  VG_(memset)(&found, 0, sizeof found);
  /* Of all but the first, Valgrind tells the byte before the return address. */
  for (UInt i = 0; i < count; ++i) add_frame(&found.stack, frames[i] + (i > 0 ? 1 : 0));
  for (UInt i = 0; i < found.stack.frames; ++i) found.hash = found.hash * 31 + found.stack.frame[i];
  const struct known_stack* const known = VG_(HT_gen_lookup)(known_stacks, &found, compare_stacks);
  if (known != NULL) return known->at;
  struct cachescape_session* const s = cs_session();
  if (cachescape_load32(&s->stacks_used) >= CACHESCAPE_MAX_STACKS) return CACHESCAPE_OTHER_STACK;
  found.at = cs_keep_in_session(&found.stack, sizeof found.stack);
  if (found.at == 0) return CACHESCAPE_OTHER_STACK;
  cachescape_add32(&s->stacks_used, 1);
  struct known_stack* const kept = VG_(malloc)("cachescape.stack", sizeof *kept);
  *kept = found;
  VG_(HT_add_node)(known_stacks, kept);
  return found.at;
}
