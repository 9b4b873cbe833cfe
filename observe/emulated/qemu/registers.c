/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Registers of the emulated processor, of which the interface tells nothing.
 *
 * Where a translated block begins, all of them lie in QEMU's state of the processor, and translated code keeps the
 * address of that in rbp while it calls a plugin. Where in the state they are has not changed for many years, but is
 * nobody's promise: the program's first system calls, whose numbers and arguments the interface does tell, must agree.
 * Until they do, and where they do not, there are no registers. */
#include "observe/emulated/qemu/observer.h"

enum { calls_that_agree = 2 };

static const struct cs_registers* layout;
static int agreed; /* atomic; −1 where a system call did not */
static __thread const void* own_state __attribute__((tls_model("initial-exec")));

/* Hands the state on in the place of the number of the processor. */
__attribute__((naked)) static void reached(unsigned vcpu __attribute__((unused)), void* watch __attribute__((unused))) {
  __asm__("movq %rbp, %rdi\n\tjmpq *(%rsi)");
}

void cs_watch_block(struct qemu_plugin_tb* block, const struct cs_watch* watch) {
  qemu_plugin_register_vcpu_tb_exec_cb(block, reached, QEMU_PLUGIN_CB_R_REGS, (void*)(uintptr_t)watch);
}

static void note_state(const void* state, const struct cs_watch* watch) {
  (void)watch;
  own_state = state;
}

void cs_begin_registers(const struct cs_registers* of, struct qemu_plugin_tb* first_block) {
  static const struct cs_watch noting = {note_state};
  layout = of;
  cs_watch_block(first_block, &noting);
}

void cs_check_registers(uint64_t number, const uint64_t* arguments) {
  const int before = __atomic_load_n(&agreed, __ATOMIC_RELAXED);
  if (own_state == NULL || before < 0 || before >= calls_that_agree) return;
  uint64_t values[cs_general_registers];
  const uint64_t at = (uint64_t)(uintptr_t)own_state + layout->at;
  const bool same =
      cs_read_memory(at, values, sizeof values) == sizeof values && cs_agree(layout, values, number, arguments);
  __atomic_store_n(&agreed, same ? before + 1 : -1, __ATOMIC_RELAXED);
  if (!same) cs_say("this QEMU keeps registers in another place: heap objects and regions are not seen", "");
}

bool cs_registers_are_known(void) { return __atomic_load_n(&agreed, __ATOMIC_RELAXED) >= calls_that_agree; }

uint64_t cs_register(const void* state, unsigned number) {
  return ((const uint64_t*)((const char*)state + layout->at))[number];
}
