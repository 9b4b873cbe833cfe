/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds to translated code what writes its records.
 *
 * A superblock writes one record, behind one check for room. The place is moved on at once by the whole record, so that
 * neither side exits nor faults have to do it: blocks are zero before they are written, and words that were not
 * reached stay zero. Accesses at small distances from one value share a slot, throughout the superblock; where code may
 * have been left in between, the first slot that is written after the exit is the witness that it was not.
 *
 * Instructions are counted beside that, by a counter for each part of a superblock that is executed as a whole. */
#include <libvex_guest_offsets.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include "observe/emulated/valgrind/tool.h"

/* A value of zero in a slot means "not reached". With distances below this, a value of zero would be accesses to the
 * first page of memory or beyond its end, which no program may make. */
enum { farthest = 65535 };

enum { no_slot = 0xffff };

/* What an address is computed from: a temporary, or nothing, and a constant. */
struct origin {
  IRTemp base; /* IRTemp_INVALID: the constant is all */
  Long offset;
};

struct slot {
  IRTemp base;
  ULong constant; /* where it holds one */
  Bool guarded;   /* not to be shared */
};

static struct {
  IRSB* out;
  const VexGuestLayout* layout;
  struct origin* origins; /* by temporary */
  UInt origins_room;

  Bool open;
  IRConst *header, *next_word; /* known when the record is complete */
  IRTemp record;               /* its address */
  struct cachescape_code_descriptor descriptor;
  Addr mapping_begin, mapping_end;
  UInt mapping;
  struct slot slots[CACHESCAPE_CODE_MOST_SLOTS];
  struct cachescape_code_access accesses[CACHESCAPE_CODE_MOST_ACCESSES];
  UInt witness;
  Addr instruction;
  Bool last_may_become_modify;

  Bool records;                       /* whether accesses are of interest */
  IRTemp session;                     /* where it lies, once a counter has asked */
  ULong counter_at;                   /* of what is executed until the next exit; 0: nothing yet */
  IRConst* executed;                  /* instructions until the next exit, where call stacks are told */
  struct cachescape_code_count count; /* of instructions in a row; 0: none yet */
  Addr next_address;                  /* of the instruction that would be the next in the row */
} w;

static UInt shadow_offset; /* of the place, from the thread's state */

static void add(IRStmt* statement) { addStmtToIRSB(w.out, statement); }
static IRExpr* word(ULong value) { return IRExpr_Const(IRConst_U64(value)); }

static IRTemp computed(IRType type, IRExpr* expression) {
  const IRTemp temporary = newIRTemp(w.out->tyenv, type);
  add(IRStmt_WrTmp(temporary, expression));
  return temporary;
}

static VG_REGPARM(1) void refill(void* guest_state) { cs_refill((struct place*)((char*)guest_state + shadow_offset)); }

/* Says that a call changes the place. */
void cs_state_of_place(IRDirty* call, const VexGuestLayout* layout) {
  call->nFxState = 1;
  VG_(memset)(&call->fxState, 0, sizeof call->fxState);
  call->fxState[0].fx = Ifx_Modify;
  call->fxState[0].offset = (UShort)layout->total_sizeB;
  call->fxState[0].size = cs_state_bytes;
}

static void begin_record(void) {
  const Int next = (Int)(shadow_offset + offsetof(struct place, next));
  const Int end = (Int)(shadow_offset + offsetof(struct place, end));
  const IRTemp before = computed(Ity_I64, IRExpr_Get(next, Ity_I64));
  const IRTemp limit = computed(Ity_I64, IRExpr_Get(end, Ity_I64));
  const IRTemp is_full = computed(Ity_I1, IRExpr_Binop(Iop_CmpLT64U, IRExpr_RdTmp(limit), IRExpr_RdTmp(before)));
  IRDirty* const call =
      unsafeIRDirty_0_N(1, "cachescape_refill", VG_(fnptr_to_fnentry)(refill), mkIRExprVec_1(IRExpr_GSPTR()));
  call->guard = IRExpr_RdTmp(is_full);
  cs_state_of_place(call, w.layout);
  add(IRStmt_Dirty(call));
  w.record = computed(Ity_I64, IRExpr_Get(next, Ity_I64));
  w.next_word = IRConst_U64(0);
  add(IRStmt_Put(next, IRExpr_RdTmp(computed(
                           Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(w.record), IRExpr_Const(w.next_word))))));
  w.header = IRConst_U64(0);
  add(IRStmt_Store(Iend_LE, IRExpr_RdTmp(w.record), IRExpr_Const(w.header)));
  w.open = True;
  w.witness = no_slot;
  w.last_may_become_modify = False;
  w.descriptor.slots = 0;
  w.descriptor.accesses = 0;
  w.descriptor.address = w.instruction;
  w.descriptor.mapping = w.mapping;
}

static void end_record(void) {
  if (!w.open) return;
  w.open = False;
  w.next_word->Ico.U64 = 8 * (1 + (ULong)w.descriptor.slots);
  w.header->Ico.U64 = CACHESCAPE_CODE | cs_add_descriptor(&w.descriptor, w.accesses);
}

/* Writes a word into a new slot of the record. */
static UInt write_slot(IRExpr* value, struct slot about) {
  const UInt number = w.descriptor.slots++;
  w.slots[number] = about;
  const IRTemp at = computed(Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(w.record), word(8 * (1 + (ULong)number))));
  add(IRStmt_Store(Iend_LE, IRExpr_RdTmp(at), value));
  return number;
}

static Bool is_near(Long distance) { return distance >= -farthest && distance <= farthest; }

static struct origin origin_of(const IRExpr* atom) {
  if (atom->tag == Iex_Const) return (struct origin){IRTemp_INVALID, (Long)atom->Iex.Const.con->Ico.U64};
  tl_assert(atom->tag == Iex_RdTmp);
  return w.origins[atom->Iex.RdTmp.tmp];
}

/* Follows additions of constants back to the value that they start from. */
static void note_origin(IRTemp temporary, const IRExpr* value) {
  struct origin* const to = &w.origins[temporary];
  *to = (struct origin){temporary, 0};
  if (value->tag == Iex_RdTmp) {
    *to = w.origins[value->Iex.RdTmp.tmp];
    return;
  }
  if (value->tag != Iex_Binop) return;
  const IRExpr* const from = value->Iex.Binop.arg1;
  const IRExpr* const by = value->Iex.Binop.arg2;
  if (from->tag != Iex_RdTmp || by->tag != Iex_Const || by->Iex.Const.con->tag != Ico_U64) return;
  if (value->Iex.Binop.op != Iop_Add64 && value->Iex.Binop.op != Iop_Sub64) return;
  const Long constant = (Long)by->Iex.Const.con->Ico.U64;
  if (!is_near(constant)) return;
  const struct origin origin = w.origins[from->Iex.RdTmp.tmp];
  const Long offset = origin.offset + (value->Iex.Binop.op == Iop_Add64 ? constant : -constant);
  if (is_near(offset)) *to = (struct origin){origin.base, offset};
}

/* The slot that holds where the address comes from, or none. */
static UInt shared_slot(struct origin origin) {
  for (UInt i = 0; i < w.descriptor.slots; ++i) {
    const struct slot* const slot = &w.slots[i];
    if (slot->guarded || slot->base != origin.base) continue;
    if (origin.base != IRTemp_INVALID || is_near(origin.offset - (Long)slot->constant)) return i;
  }
  return no_slot;
}

static UInt slot_for(struct origin origin) {
  const UInt shared = shared_slot(origin);
  if (shared != no_slot && w.witness != no_slot) return shared;
  const Bool is_constant = origin.base == IRTemp_INVALID;
  const UInt written = write_slot(is_constant ? word((ULong)origin.offset) : IRExpr_RdTmp(origin.base),
                                  (struct slot){origin.base, is_constant ? (ULong)origin.offset : 0, False});
  if (w.witness == no_slot) w.witness = written;
  return shared != no_slot ? shared : written;
}

static void make_room(void) {
  if (w.open && w.descriptor.slots < CACHESCAPE_CODE_MOST_SLOTS &&
      w.descriptor.accesses < CACHESCAPE_CODE_MOST_ACCESSES &&
      (Long)(w.instruction - w.descriptor.address) == (Int)(w.instruction - w.descriptor.address))
    return;
  end_record();
  begin_record();
}

static void add_access(UInt kind, UInt slot, UInt witness, Int size, Long offset) {
  struct cachescape_code_access* const a = &w.accesses[w.descriptor.accesses++];
  a->slot = (uint16_t)slot;
  a->witness = (uint16_t)witness;
  a->size = (uint16_t)size;
  a->flags = (uint8_t)kind;
  a->reserved = 0;
  a->offset = (int32_t)offset;
  a->code = (int32_t)(Long)(w.instruction - w.descriptor.address);
}

/* A store to where the same instruction has just loaded from makes both a modification. */
static Bool made_modify(UInt slot, Int size, Long offset) {
  if (!w.last_may_become_modify) return False;
  struct cachescape_code_access* const last = &w.accesses[w.descriptor.accesses - 1];
  if (last->slot != slot || last->size != size || last->offset != offset) return False;
  last->flags = CACHESCAPE_MODIFY;
  w.last_may_become_modify = False;
  return True;
}

static void access(UInt kind, IRExpr* address, Int size) {
  make_room();
  const struct origin origin = origin_of(address);
  const UInt slot = slot_for(origin);
  const Long offset = origin.base == IRTemp_INVALID ? origin.offset - (Long)w.slots[slot].constant : origin.offset;
  if (kind == CACHESCAPE_WRITE && made_modify(slot, size, offset)) return;
  add_access(kind, slot, w.witness, size, offset);
  w.last_may_become_modify = kind == CACHESCAPE_READ;
}

static void guarded_access(UInt kind, IRExpr* address, Int size, IRExpr* guard) {
  make_room();
  const IRTemp made = computed(Ity_I64, IRExpr_ITE(guard, address, word(0)));
  const UInt slot = write_slot(IRExpr_RdTmp(made), (struct slot){IRTemp_INVALID, 0, True});
  add_access(kind, slot, slot, size, 0);
  w.last_may_become_modify = False;
}

static Bool is_always(const IRExpr* guard) {
  return guard->tag == Iex_Const && guard->Iex.Const.con->tag == Ico_U1 && guard->Iex.Const.con->Ico.U1;
}

static Int size_of(const IRSB* in, const IRExpr* value) { return sizeofIRType(typeOfIRExpr(in->tyenv, value)); }

static void call_accesses(const IRDirty* call) {
  static const UInt kinds[] = {[Ifx_Read - Ifx_None] = CACHESCAPE_READ,
                               [Ifx_Write - Ifx_None] = CACHESCAPE_WRITE,
                               [Ifx_Modify - Ifx_None] = CACHESCAPE_MODIFY};
  if (call->mFx == Ifx_None) return;
  const UInt kind = kinds[call->mFx - Ifx_None];
  if (is_always(call->guard)) {
    access(kind, call->mAddr, call->mSize);
  } else {
    guarded_access(kind, call->mAddr, call->mSize, call->guard);
  }
}

static void end_row(void) {
  if (w.count.instructions != 0) cs_add_count(&w.count);
  w.count.instructions = 0;
}

/* What comes next is executed as often as a new counter says. */
static void begin_counting(void) {
  w.counter_at = cs_new_counter();
  if (w.counter_at == 0) return;
  if (w.session == IRTemp_INVALID)
    w.session = computed(Ity_I64, IRExpr_Get((Int)shadow_offset + cs_session_in_state, Ity_I64));
  const IRTemp at = computed(Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(w.session), word(w.counter_at)));
  const IRTemp before = computed(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, IRExpr_RdTmp(at)));
  const IRTemp after = computed(Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before), word(1)));
  add(IRStmt_Store(Iend_LE, IRExpr_RdTmp(at), IRExpr_RdTmp(after)));
  if (!cs_wants_stacks()) return;
  const Int executed_at = (Int)shadow_offset + cs_executed_in_state;
  const IRTemp executed = computed(Ity_I64, IRExpr_Get(executed_at, Ity_I64));
  w.executed = IRConst_U64(0);
  add(IRStmt_Put(executed_at, IRExpr_RdTmp(computed(Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(executed),
                                                                          IRExpr_Const(w.executed))))));
}

static void count_instruction(Addr address, UInt bytes) {
  if (w.counter_at == 0) begin_counting();
  if (address != w.next_address || w.mapping != w.count.mapping) end_row();
  if (w.count.instructions == 0) w.count = (struct cachescape_code_count){address, w.mapping, 0, w.counter_at};
  ++w.count.instructions;
  if (w.executed != NULL) ++w.executed->Ico.U64;
  w.next_address = address + bytes;
}

static void next_instruction(Addr address, UInt bytes) {
  w.instruction = address;
  w.last_may_become_modify = False;
  if (address < w.mapping_begin || address >= w.mapping_end) {
    const UInt mapping = cs_mapping_of(address, &w.mapping_begin, &w.mapping_end);
    if (mapping != w.mapping) end_record();
    w.mapping = mapping;
  }
  count_instruction(address, bytes);
}

/* Functions that the superblock goes on in without a jump begin a record of their own where they switch recording. */
static void switch_within(const VexGuestExtents* extents, Addr address) {
  for (UInt i = 1; i < extents->n_used; ++i) {
    if (extents->base[i] != address) continue;
    const UInt role = cs_switch_at(address);
    if (role == 0) return;
    end_record();
    cs_instrument_switch(w.out, w.layout, role);
    return;
  }
}

static void instrument_statement(const IRSB* in, IRStmt* s) {
  switch (s->tag) {
    case Ist_NoOp:
      return;
    case Ist_IMark:
      next_instruction(s->Ist.IMark.addr + s->Ist.IMark.delta, s->Ist.IMark.len);
      break;
    case Ist_WrTmp:
      note_origin(s->Ist.WrTmp.tmp, s->Ist.WrTmp.data);
      break;
    case Ist_Exit:
      w.witness = no_slot;
      w.last_may_become_modify = False;
      end_row();
      w.counter_at = 0;
      w.executed = NULL;
      break;
    default:
      break;
  }
  add(s);
  if (!w.records) return;
  switch (s->tag) {
    case Ist_WrTmp: {
      const IRExpr* const value = s->Ist.WrTmp.data;
      if (value->tag == Iex_Load) access(CACHESCAPE_READ, value->Iex.Load.addr, sizeofIRType(value->Iex.Load.ty));
      break;
    }
    case Ist_Store:
      access(CACHESCAPE_WRITE, s->Ist.Store.addr, size_of(in, s->Ist.Store.data));
      break;
    case Ist_LoadG: {
      const IRLoadG* const load = s->Ist.LoadG.details;
      IRType result, loaded;
      typeOfIRLoadGOp(load->cvt, &result, &loaded);
      w.origins[load->dst] = (struct origin){load->dst, 0};
      guarded_access(CACHESCAPE_READ, load->addr, sizeofIRType(loaded), load->guard);
      break;
    }
    case Ist_StoreG: {
      const IRStoreG* const store = s->Ist.StoreG.details;
      guarded_access(CACHESCAPE_WRITE, store->addr, size_of(in, store->data), store->guard);
      break;
    }
    case Ist_CAS: {
      const IRCAS* const cas = s->Ist.CAS.details;
      const Int halves = cas->dataHi != NULL ? 2 : 1;
      w.origins[cas->oldLo] = (struct origin){cas->oldLo, 0};
      if (cas->oldHi != IRTemp_INVALID) w.origins[cas->oldHi] = (struct origin){cas->oldHi, 0};
      access(CACHESCAPE_MODIFY, cas->addr, halves * size_of(in, cas->dataLo));
      break;
    }
    case Ist_LLSC: {
      const IRTemp result = s->Ist.LLSC.result;
      w.origins[result] = (struct origin){result, 0};
      if (s->Ist.LLSC.storedata == NULL) {
        access(CACHESCAPE_READ, s->Ist.LLSC.addr, sizeofIRType(typeOfIRTemp(in->tyenv, result)));
      } else {
        access(CACHESCAPE_WRITE, s->Ist.LLSC.addr, size_of(in, s->Ist.LLSC.storedata));
      }
      break;
    }
    case Ist_Dirty: {
      const IRDirty* const call = s->Ist.Dirty.details;
      if (call->tmp != IRTemp_INVALID) w.origins[call->tmp] = (struct origin){call->tmp, 0};
      call_accesses(call);
      break;
    }
    default:
      break;
  }
}

static Bool has_accesses(const IRSB* in, Int first) {
  for (Int i = first; i < in->stmts_used; ++i) {
    const IRStmt* const s = in->stmts[i];
    switch (s->tag) {
      case Ist_WrTmp:
        if (s->Ist.WrTmp.data->tag == Iex_Load) return True;
        break;
      case Ist_Dirty:
        if (s->Ist.Dirty.details->mFx != Ifx_None) return True;
        break;
      case Ist_Store:
      case Ist_LoadG:
      case Ist_StoreG:
      case Ist_CAS:
      case Ist_LLSC:
        return True;
      default:
        break;
    }
  }
  return False;
}

IRSB* cs_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                    const VexArchInfo* host, IRType guest_word, IRType host_word) {
  (void)closure, (void)host;
  tl_assert(guest_word == host_word);
  if (cs_session() == NULL || !cs_code_has_room()) return in;
  shadow_offset = (UInt)layout->total_sizeB;
  w.out = deepCopyIRSBExceptStmts(in);
  w.layout = layout;
  w.open = False;
  w.records = cs_observing();
  w.session = IRTemp_INVALID;
  w.counter_at = 0;
  w.executed = NULL;
  w.count.instructions = 0;
  if (w.origins_room < (UInt)in->tyenv->types_used) {
    w.origins_room = 2 * (UInt)in->tyenv->types_used;
    w.origins = VG_(realloc)("cachescape.origins", w.origins, w.origins_room * sizeof *w.origins);
  }
  Int i = 0;
  for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; ++i) {
    if (in->stmts[i]->tag == Ist_WrTmp) note_origin(in->stmts[i]->Ist.WrTmp.tmp, in->stmts[i]->Ist.WrTmp.data);
    add(in->stmts[i]);
  }
  if (w.records) {
    cs_instrument_entry(w.out, layout, extents->base[0]);
    cs_instrument_allocations(w.out, layout, extents->base[0]);
    const UInt role = cs_switch_at(extents->base[0]);
    if (role != 0) cs_instrument_switch(w.out, layout, role);
  }
  w.instruction = extents->base[0];
  w.mapping_begin = w.mapping_end = 0;
  w.mapping = cs_mapping_of(w.instruction, &w.mapping_begin, &w.mapping_end);
  /* Here no value of the program is in a register yet, which the call in case of a full block would have to save. */
  if (w.records && has_accesses(in, i)) begin_record();
  for (Bool first = True; i < in->stmts_used; ++i) {
    instrument_statement(in, in->stmts[i]);
    if (in->stmts[i]->tag != Ist_IMark) continue;
    if (!first && w.records) switch_within(extents, in->stmts[i]->Ist.IMark.addr);
    first = False;
  }
  end_row();
  end_record();
  if (w.records) cs_instrument_exit(w.out, layout);
  return w.out;
}
