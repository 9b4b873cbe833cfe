/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls of functions that begin and end what is recorded. Whoever starts QEMU tells where in the program's file they
 * begin; the interface would tell names of the program only, and not where a function begins. */
#include <stdlib.h>
#include <string.h>

#include "observe/emulated/qemu/observer.h"

bool cs_outside;

enum { most_offsets = 64, begins = 1, ends = 2 };
static struct {
  int64_t offset;
  unsigned role;
} functions[most_offsets];
static unsigned count;

/* OFFSET:OFFSET…, in decimal. */
static void add_all(const char* text, unsigned role) {
  for (char* end; *text != '\0' && count < most_offsets; text = *end == ':' ? end + 1 : end) {
    const long long offset = strtoll(text, &end, 10);
    if (end == text) return;
    functions[count].offset = offset;
    functions[count++].role = role;
  }
}

void cs_function_option(const char* option) {
  if (strncmp(option, "from=", 5) == 0) {
    cs_outside = true;
    add_all(option + 5, begins);
  }
  if (strncmp(option, "until=", 6) == 0) add_all(option + 6, ends);
}

/* One function may be both: then every other call of it ends what is recorded. */
static void called(unsigned vcpu, void* data) {
  (void)vcpu;
  const uintptr_t role = (uintptr_t)data;
  const bool outside = __atomic_load_n(&cs_outside, __ATOMIC_RELAXED);
  if ((outside ? role & begins : role & ends) != 0) __atomic_store_n(&cs_outside, !outside, __ATOMIC_RELAXED);
}

void cs_instrument_function(struct qemu_plugin_insn* instruction) {
  if (count == 0) return;
  const int64_t offset = cs_offset_in_program(qemu_plugin_insn_vaddr(instruction));
  unsigned role = 0;
  for (unsigned i = 0; i < count && offset >= 0; ++i)
    if (functions[i].offset == offset) role |= functions[i].role;
  if (role != 0)
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, called, QEMU_PLUGIN_CB_NO_REGS, (void*)(uintptr_t)role);
}
