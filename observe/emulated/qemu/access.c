/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From what QEMU tells while an instruction runs to records of its accesses.
 *
 * An instruction's accesses are known only when it makes them: the first of each kind and size adds a descriptor, and
 * each is a record of two words. Pieces of one access are put together in the record that was written last. */
#include <stdlib.h>

#include "observe/emulated/qemu/observer.h"

enum { longest_access = 64 }; /* bytes, of the widest vector; more is several accesses */

/* One kind and size of an instruction's accesses. */
struct operation {
  qemu_plugin_meminfo_t info; /* QEMU's word for it; 0 of those that were put together */
  uint32_t descriptor;
  struct cs_shape shape;
  bool is_left_out;
  struct operation* next; /* atomic */
};

struct cs_instruction {
  uint64_t address;
  uint32_t mapping; /* number + 1 */
  bool pieces;
  bool conditional_store;
  struct operation* operations; /* atomic; grows at its end, so that what it begins with stays first */
  struct cs_instruction* next;  /* of all */
};

static struct cs_instruction* instructions; /* atomic */

struct cs_instruction* cs_new_instruction(uint64_t address, uint32_t mapping, bool pieces, bool conditional_store) {
  struct cs_instruction* const i = calloc(1, sizeof *i);
  if (i == NULL) return NULL;
  i->address = address;
  i->mapping = mapping;
  i->pieces = pieces;
  i->conditional_store = conditional_store;
  i->next = __atomic_load_n(&instructions, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&instructions, &i->next, i, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
  return i;
}

/* In a forked child, whose only thread this is: translated code stays, and the next session knows nothing of it. */
void cs_forget_descriptors(void) {
  for (struct cs_instruction* i = instructions; i != NULL; i = i->next) {
    for (struct operation* o = i->operations; o != NULL;) {
      struct operation* const next = o->next;
      free(o);
      o = next;
    }
    i->operations = NULL;
  }
}

static const struct operation* add_operation(struct cs_instruction* i, qemu_plugin_meminfo_t info, unsigned kind,
                                             unsigned bytes) {
  struct operation* const o = calloc(1, sizeof *o);
  if (o == NULL) return NULL;
  o->info = info;
  o->descriptor = cs_add_descriptor(i->address, i->mapping, kind, bytes);
  o->shape.bytes = (uint16_t)bytes;
  o->shape.written = (uint16_t)(kind == CACHESCAPE_READ ? 0 : bytes);
  o->shape.kind = (uint8_t)kind;
  o->is_left_out = o->descriptor == cs_no_descriptor || (i->conditional_store && kind == CACHESCAPE_READ);
  struct operation** at = &i->operations;
  for (struct operation* end = NULL; !__atomic_compare_exchange_n(at, &end, o, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
       end = NULL)
    at = &end->next;
  return o;
}

static const struct operation* next_of(struct operation* const* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }

static const struct operation* operation_of(struct cs_instruction* i, qemu_plugin_meminfo_t info) {
  for (const struct operation* o = next_of(&i->operations); o != NULL; o = next_of(&o->next))
    if (o->info == info) return o;
  /* The interface tells writing from reading and writing only in the bits of this word. */
  const unsigned reads_and_writes = info >> 16 & QEMU_PLUGIN_MEM_RW;
  unsigned kind = reads_and_writes == QEMU_PLUGIN_MEM_RW  ? CACHESCAPE_MODIFY
                  : reads_and_writes == QEMU_PLUGIN_MEM_W ? CACHESCAPE_WRITE
                                                          : CACHESCAPE_READ;
  if (i->conditional_store && kind == CACHESCAPE_MODIFY) kind = CACHESCAPE_WRITE;
  return add_operation(i, info, kind, 1U << qemu_plugin_mem_size_shift(info));
}

static const struct operation* whole_operation(struct cs_instruction* i, unsigned kind, unsigned bytes) {
  for (const struct operation* o = next_of(&i->operations); o != NULL; o = next_of(&o->next))
    if (o->info == 0 && o->shape.kind == kind && o->shape.bytes == bytes) return o;
  return add_operation(i, 0, kind, bytes);
}

/* Whether a piece belongs to the access that was written last, which it then changes. */
static bool joins(struct cs_stream* s, struct cs_instruction* i, struct cs_shape piece, uint64_t address) {
  struct cs_shape whole = s->shape;
  if (piece.kind == CACHESCAPE_WRITE && whole.kind != CACHESCAPE_WRITE && address == s->address + whole.written &&
      whole.written + piece.bytes <= whole.bytes) {
    /* What was read is written again, perhaps piece by piece too. */
    whole.written = (uint16_t)(whole.written + piece.bytes);
    whole.kind = CACHESCAPE_MODIFY;
  } else if (i->pieces && piece.kind == whole.kind && address == s->address + whole.bytes &&
             whole.bytes + piece.bytes <= longest_access) {
    whole.bytes = (uint16_t)(whole.bytes + piece.bytes);
    whole.written = (uint16_t)(whole.written + piece.written);
  } else {
    return false;
  }
  if (whole.kind != s->shape.kind || whole.bytes != s->shape.bytes) {
    const struct operation* const o = whole_operation(i, whole.kind, whole.bytes);
    if (o == NULL || o->is_left_out) return false;
    s->next[-2] = CACHESCAPE_CODE | o->descriptor;
  }
  s->shape = whole;
  return true;
}

/* A thread's first write is to its stack: no program can do without, before it has set up anything else. */
static void note_stack(struct cs_stream* s, uint64_t address) {
  struct cs_area* const area = malloc(sizeof *area);
  const uint64_t base = cs_guest_base();
  s->stack_known = true;
  if (area != NULL && cs_area_around(address + base, area) && area->path[0] == '\0')
    cs_mark(CACHESCAPE_STACK, area->begin - base, area->end - base, 0, 2);
  free(area);
}

void cs_block_begins(unsigned vcpu, void* data) {
  (void)vcpu, (void)data;
  cs_stream.instruction = NULL;
}

static void write_record(struct cs_stream* s, const struct cs_instruction* i, const struct operation* o,
                         uint64_t address) {
  s->next[0] = CACHESCAPE_CODE | o->descriptor;
  s->next[1] = address;
  s->next += 2;
  s->instruction = i;
  s->address = address;
  s->shape = o->shape;
}

/* An operation that is not the instruction's first, what may belong to the access before, and everything that happens
 * once in a while. */
static __attribute__((noinline)) void any_access(struct cs_instruction* i, qemu_plugin_meminfo_t info,
                                                 uint64_t address) {
  struct cs_stream* const s = &cs_stream;
  if (cs_session() == NULL) return;
  if (!s->stack_known && (info >> 16 & QEMU_PLUGIN_MEM_W) != 0) note_stack(s, address);
  if (__atomic_load_n(&cs_outside, __ATOMIC_RELAXED)) return;
  const struct operation* const o = operation_of(i, info);
  if (o == NULL || o->is_left_out) return;
  if (s->instruction == i && joins(s, i, o->shape, address)) return;
  if (s->next >= s->end && !cs_refill(s)) return;
  write_record(s, i, o, address);
}

void cs_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  (void)vcpu;
  struct cs_instruction* const i = data;
  struct cs_stream* const s = &cs_stream;
  const struct operation* const first = next_of(&i->operations);
  if (__builtin_expect(first != NULL && first->info == info && !first->is_left_out && s->instruction != i &&
                           s->next < s->end && s->stack_known && !__atomic_load_n(&cs_outside, __ATOMIC_RELAXED),
                       1))
    write_record(s, i, first, address);
  else
    any_access(i, info, address);
}
