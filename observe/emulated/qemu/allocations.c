/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls of malloc() and its like, seen where they begin and where they return.
 *
 * The program's own allocator runs and is observed as everything else. Functions are recognised by their symbols where
 * their code begins (symbols.c). The first call from a place makes the code that it returns to one of the watched:
 * that is mostly not translated yet, and otherwise all code is translated anew, before the call returns. */
#include <string.h>

#include "observe/emulated/qemu/observer.h"

/* The outermost call that a thread is in. */
struct call {
  enum cs_role role; /* cs_nothing: none */
  uint64_t stack;    /* pointer, where it began */
  uint64_t returns_to;
  uint64_t bytes;
  uint64_t old; /* what is reallocated, or where the result goes */
};
static __thread struct call call __attribute__((tls_model("initial-exec")));

static const struct cs_registers* registers;

/* Pointers that are signed (aarch64) have the signature above these bits. */
static uint64_t plain(uint64_t pointer) { return pointer & ((UINT64_C(1) << 48) - 1); }

/* What lies on the stack. The page that the thread uses now is there, whatever has become of others. */
static bool read_stack(uint64_t used_now, uint64_t begin, void* to, size_t bytes) {
  enum { page = 4096 };
  if (begin / page == used_now / page && (begin + bytes - 1) / page == used_now / page) {
    memcpy(to, (const void*)(uintptr_t)(begin + cs_guest_base()), bytes);
    return true;
  }
  return cs_read_memory(begin + cs_guest_base(), to, bytes) == bytes;
}

/* Whether the thread is still inside the call: where it returns to is still on the stack, in the place that the call
 * has put it or among the first that the function has put there. */
static bool still_inside(uint64_t stack) {
  enum { looked_at = 128 };
  if (call.role == cs_nothing || stack >= call.stack) return false;
  uint64_t words[looked_at];
  if (registers->link == cs_on_stack)
    return read_stack(stack, call.stack, words, sizeof *words) && words[0] == call.returns_to;
  uint64_t count = (call.stack - stack) / sizeof *words;
  if (count > looked_at) count = looked_at;
  if (!read_stack(stack, call.stack - count * sizeof *words, words, count * sizeof *words)) return false;
  while (count > 0 && plain(words[count - 1]) != plain(call.returns_to)) --count;
  return count > 0;
}

static uint64_t return_address(const void* state, uint64_t stack) {
  uint64_t word;
  if (registers->link != cs_on_stack) return cs_register(state, registers->link);
  memcpy(&word, (const void*)(uintptr_t)(stack + cs_guest_base()), sizeof word); /* the call has just written it */
  return word;
}

struct beginning {
  struct cs_watch watch;
  enum cs_role role;
};

static void begins(const void* state, const struct cs_watch* watch) {
  const enum cs_role role = ((const struct beginning*)watch)->role;
  if (cs_session() == NULL || !cs_registers_are_known()) return;
  const uint64_t a = cs_register(state, registers->argument[0]);
  if (role == cs_release) {
    if (a != 0) cs_mark(CACHESCAPE_FREED, a, 0, 0, 1);
    return;
  }
  const uint64_t stack = cs_register(state, registers->stack);
  if (still_inside(stack)) return;
  const uint64_t returns_to = return_address(state, stack);
  /* A function that ends by jumping to another one of these. */
  if (call.role != cs_nothing && call.role != role && call.stack == stack && call.returns_to == returns_to) return;
  const uint64_t b = cs_register(state, registers->argument[1]);
  const uint64_t c = cs_register(state, registers->argument[2]);
  call = (struct call){role, stack, returns_to, cs_bytes_asked(role, a, b, c), a};
  if (!cs_returns_are_seen(returns_to)) cs_translate_anew();
}

static void mark_allocated(uint64_t address, uint64_t bytes, struct cs_caller* caller) {
  uint64_t site = __atomic_load_n(&caller->site, __ATOMIC_RELAXED);
  if (site == 0) {
    site = cs_add_site(caller->returns_to - 1); /* within the call */
    __atomic_store_n(&caller->site, site, __ATOMIC_RELAXED);
  }
  cs_mark(CACHESCAPE_ALLOCATED, address, bytes, site, 3);
}

static void returned(const void* state, const struct cs_watch* watch) {
  struct cs_caller* const caller = (struct cs_caller*)(uintptr_t)watch;
  const uint64_t taken = registers->link == cs_on_stack ? sizeof(uint64_t) : 0; /* off the stack by the return */
  if (call.role == cs_nothing || call.returns_to != caller->returns_to ||
      call.stack + taken != cs_register(state, registers->stack))
    return;
  const struct call done = call;
  call.role = cs_nothing;
  if (cs_session() == NULL) return;
  uint64_t result = cs_register(state, registers->result);
  if (done.role == cs_through_pointer) {
    if (result != 0) return;
    memcpy(&result, (const void*)(uintptr_t)(done.old + cs_guest_base()), sizeof result); /* the call has written it */
  }
  if (result == 0) return;
  if (cs_reallocates(done.role) && done.old != 0) cs_mark(CACHESCAPE_FREED, done.old, 0, 0, 1);
  mark_allocated(result, done.bytes, caller);
}

void cs_allocations_by(const struct cs_registers* with) { registers = with; }

void cs_instrument_allocations(struct qemu_plugin_tb* block, uint64_t address, uint32_t mapping) {
  static const struct beginning beginnings[] = {
#define BEGINNING(role) [role] = {{begins}, role}
      BEGINNING(cs_size_first),
      BEGINNING(cs_size_second),
      BEGINNING(cs_product),
      BEGINNING(cs_reallocation),
      BEGINNING(cs_reallocation_of_product),
      BEGINNING(cs_through_pointer),
      BEGINNING(cs_release),
#undef BEGINNING
  };
  const enum cs_role role = cs_allocator_at(mapping, address);
  if (role != cs_nothing) cs_watch_block(block, &beginnings[role].watch);
  struct cs_caller* const caller = cs_caller_at(address);
  if (caller == NULL) return;
  caller->watch.reached = returned;
  cs_watch_block(block, &caller->watch);
}
