/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From what QEMU tells while an instruction runs to records of its accesses.
 *
 * An instruction's accesses are known only when it makes them: the first of each kind and size adds a descriptor, and
 * each is a record of two words. Pieces of one access are put together in the record that was written last. */
#include <pthread.h>
#include <stdlib.h>

#include "observe/emulated/qemu/observer.h"
#include "session/session_atomic.h"

enum { longest_access = 64 }; /* bytes, of the widest vector; more is several accesses */

/* One kind and size of an instruction's accesses. */
struct operation {
  qemu_plugin_meminfo_t info; /* QEMU's word for it; 0 of those that were put together */
  uint32_t descriptor;
  uint16_t bytes;
  uint8_t kind;
  struct operation* next;
};

struct cs_instruction {
  uint64_t address;
  uint32_t mapping; /* number + 1 */
  bool pieces;
  bool conditional_store;
  struct operation* operations; /* atomic; grows at its head */
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
  struct operation* const o = malloc(sizeof *o);
  if (o == NULL) return NULL;
  *o = (struct operation){info, cs_add_descriptor(i->address, i->mapping, kind, bytes), (uint16_t)bytes, (uint8_t)kind,
                          __atomic_load_n(&i->operations, __ATOMIC_ACQUIRE)};
  while (!__atomic_compare_exchange_n(&i->operations, &o->next, o, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
  }
  return o;
}

static const struct operation* operation_of(struct cs_instruction* i, qemu_plugin_meminfo_t info) {
  for (const struct operation* o = __atomic_load_n(&i->operations, __ATOMIC_ACQUIRE); o != NULL; o = o->next)
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
  for (const struct operation* o = __atomic_load_n(&i->operations, __ATOMIC_ACQUIRE); o != NULL; o = o->next)
    if (o->info == 0 && o->kind == kind && o->bytes == bytes) return o;
  return add_operation(i, 0, kind, bytes);
}

/* Whether a piece belongs to the access that was written last, which it then changes. */
static bool joins(struct cs_stream* s, struct cs_instruction* i, const struct operation* piece, uint64_t address) {
  unsigned kind = s->kind;
  unsigned bytes = s->bytes;
  if (piece->kind == CACHESCAPE_WRITE && kind != CACHESCAPE_WRITE && address == s->address + s->written &&
      s->written + piece->bytes <= bytes) {
    s->written += piece->bytes; /* what was read is written again, perhaps piece by piece too */
    kind = CACHESCAPE_MODIFY;
  } else if (i->pieces && piece->kind == kind && address == s->address + bytes &&
             bytes + piece->bytes <= longest_access) {
    bytes += piece->bytes;
  } else {
    return false;
  }
  if (kind == s->kind && bytes == s->bytes) return true;
  const struct operation* const whole = whole_operation(i, kind, bytes);
  if (whole == NULL || whole->descriptor == cs_no_descriptor) return false;
  s->next[-2] = CACHESCAPE_CODE | whole->descriptor;
  s->kind = (uint8_t)kind;
  s->bytes = bytes;
  return true;
}

/* A thread's first write is to its stack: no program can do without, before it has set up anything else. */
static void note_stack(struct cs_stream* s, uint64_t address) {
  struct cs_area* const area = malloc(sizeof *area);
  const uint64_t base = cs_guest_base();
  s->stack_known = true;
  if (area != NULL && cs_area_around(address + base, area) && area->path[0] == '\0')
    cs_mark(CACHESCAPE_STACK, area->begin - base, area->end - base, 2);
  free(area);
}

void cs_block_begins(unsigned vcpu, void* data) {
  (void)vcpu, (void)data;
  cs_stream.instruction = NULL;
}

void cs_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  (void)vcpu;
  struct cs_instruction* const i = data;
  struct cs_stream* const s = &cs_stream;
  if (cs_session() == NULL) return;
  const struct operation* const o = operation_of(i, info);
  if (o == NULL || o->descriptor == cs_no_descriptor || (i->conditional_store && o->kind == CACHESCAPE_READ)) return;
  if (s->instruction == i && joins(s, i, o, address)) return;
  if (__builtin_expect(!s->stack_known, 0) && o->kind != CACHESCAPE_READ) note_stack(s, address);
  if (__builtin_expect(s->next >= s->end, 0) && !cs_refill(s)) return;
  s->next[0] = CACHESCAPE_CODE | o->descriptor;
  s->next[1] = address;
  s->next += 2;
  s->instruction = i;
  s->address = address;
  s->bytes = o->bytes;
  s->kind = o->kind;
  s->written = o->kind == CACHESCAPE_READ ? 0 : o->bytes;
}
