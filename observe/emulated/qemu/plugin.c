/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The plugin as QEMU sees it: its options, and what it does when code is translated, when the program calls the system,
 * forks and ends. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"

#define EXPORT __attribute__((visibility("default")))

extern EXPORT int qemu_plugin_version;
int qemu_plugin_version = CACHESCAPE_QEMU_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** options);

static const struct cs_machine* machine;
static qemu_plugin_id_t own_id;
static char* collector; /* the program that collects for processes that are followed */
static bool own_collector;

static bool discarding;          /* atomic: translated code, as soon as all threads have ended their blocks */
static unsigned times_left = 32; /* that it may be; changed by who has set `discarding` */

/* Of a system call that has not returned. */
struct call {
  uint64_t address, bytes;
  uint64_t protection;
};
static __thread struct call call __attribute__((tls_model("initial-exec")));

static void follow(void) {
  struct cachescape_session* const own = collector == NULL ? NULL : cs_start_collector(collector);
  own_collector = own != NULL;
  cs_use(own);
}

/* Before anything else is translated. */
static void translate_first(struct qemu_plugin_tb* block) {
  static bool known; /* translation has a lock */
  if (known) return;
  known = true;
  const struct qemu_plugin_insn* const first = qemu_plugin_tb_get_insn(block, 0);
  cs_begin_registers(&machine->registers, block);
  cs_guest_begins_at((uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first) - qemu_plugin_insn_vaddr(first));
  /* The program's data are written to before its code runs. */
  cs_mapping_of(qemu_plugin_start_code());
}

/* Adds the instructions of a block to what is counted, in rows that lie in one file side by side. */
static void count_instructions(struct qemu_plugin_tb* block) {
  struct cachescape_code_count row = {0};
  uint64_t* const counter = cs_new_counter(&row.counter_at);
  if (counter == NULL) return;
  uint64_t next = 0;
  for (size_t n = 0; n < qemu_plugin_tb_n_insns(block); ++n) {
    const struct qemu_plugin_insn* const i = qemu_plugin_tb_get_insn(block, n);
    const uint64_t address = qemu_plugin_insn_vaddr(i);
    if (address != next || row.instructions == 0) {
      if (row.instructions != 0) cs_add_count(&row);
      row.address = address;
      row.mapping = cs_mapping_of(address);
      row.instructions = 0;
    }
    ++row.instructions;
    next = address + qemu_plugin_insn_size(i);
  }
  if (row.instructions != 0) cs_add_count(&row);
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, counter, 1);
}

/* Every instruction is told of, even those that access nothing: QEMU 7.2 otherwise reports what its functions access in
 * their name as that of the instruction before. Its choice of reads or writes alone does not work either. */
static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  enum { page = 4096 };
  (void)id;
  const size_t count = qemu_plugin_tb_n_insns(block);
  if (count == 0) return;
  translate_first(block);
  if (cs_session() == NULL) return;
  count_instructions(block);
  const uint64_t begin = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
  cs_instrument_allocations(block, begin, cs_mapping_of(begin));
  cs_instrument_request(block);
  bool pieces = false;
  uint32_t mapping = 0;
  uint64_t mapping_page = 1; /* of no address */
  for (size_t n = 0; n < count; ++n) {
    struct qemu_plugin_insn* const from = qemu_plugin_tb_get_insn(block, n);
    const uint64_t address = qemu_plugin_insn_vaddr(from);
    const uint8_t* const code = qemu_plugin_insn_data(from);
    const size_t bytes = qemu_plugin_insn_size(from);
    if (address - address % page != mapping_page) {
      mapping_page = address - address % page;
      mapping = cs_mapping_of(address);
    }
    if (machine->is_not_told(code, bytes))
      qemu_plugin_register_vcpu_insn_exec_cb(from, cs_count_lost, QEMU_PLUGIN_CB_NO_REGS, NULL);
    cs_instrument_function(from);
    if (cs_instrument_caliper(machine, from)) continue;
    const bool in_pieces = machine->comes_in_pieces(code, bytes);
    struct cs_instruction* const to =
        cs_new_instruction(address, mapping, in_pieces, machine->stores_conditionally(code, bytes));
    if (to == NULL) continue;
    pieces = pieces || in_pieces;
    qemu_plugin_register_vcpu_mem_cb(from, cs_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, to);
  }
  /* An instruction runs once in a block, so what comes next from the same one is another execution. */
  if (pieces) qemu_plugin_register_vcpu_tb_exec_cb(block, cs_block_begins, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void before_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                               uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)vcpu, (void)a7, (void)a8;
  const uint64_t arguments[cs_call_arguments] = {a1, a2, a3, a4, a5, a6};
  cs_check_registers((uint64_t)number, arguments);
  call = (struct call){a1, a2, a3};
  if (number == machine->execve) cs_become(machine, a1, a2, a3, collector);
}

static void after_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result) {
  enum { executable = 4 };
  (void)id, (void)vcpu;
  if (cs_session() == NULL) return;
  if (number == machine->munmap && result == 0) cs_mapping_changed(call.address, call.bytes);
  if (number != machine->mmap || (result < 0 && result > -4096)) return;
  cs_mapping_changed((uint64_t)result, call.bytes);
  /* Variables of a library are written to before its code runs. */
  if ((call.protection & executable) != 0) cs_mapping_of((uint64_t)result);
}

static void before_fork(void) {
  cs_before_fork();
  cs_callers_before_fork();
}

static void after_fork(void) {
  cs_callers_after_fork();
  cs_after_fork();
}

static void after_fork_in_child(void) {
  after_fork();
  if (discarding) times_left = 0; /* by a thread that the child has not */
  discarding = false;
  if (cs_session() == NULL) return;
  cs_leave_session();
  own_collector = false;
  cs_forget_descriptors();
  cs_forget_sites();
  if (collector != NULL) follow();
}

static void end(qemu_plugin_id_t id, void* data) {
  (void)id, (void)data;
  cs_finish(own_collector);
}

static void flushed(qemu_plugin_id_t id) {
  (void)id;
  cs_forget_blocks();
}

static void register_all(qemu_plugin_id_t id) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_vcpu_syscall_cb(id, before_system_call);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, after_system_call);
  qemu_plugin_register_flush_cb(id, flushed);
  qemu_plugin_register_atexit_cb(id, end, NULL);
}

static void discarded(qemu_plugin_id_t id) {
  register_all(id);
  __atomic_store_n(&discarding, false, __ATOMIC_RELEASE);
}

/* Another thread is about to have it done, and may not have come to stop this one. It waits for us then. */
static void wait_to_be_stopped(void) {
  enum { most = 20, microseconds = 500 };
  for (unsigned i = 0; i < most && __atomic_load_n(&discarding, __ATOMIC_ACQUIRE); ++i) usleep(microseconds);
}

/* Translating a large program takes as long as a tenth of a second, so not without end. */
void cs_translate_anew(void) {
  if (__atomic_exchange_n(&discarding, true, __ATOMIC_ACQUIRE)) {
    wait_to_be_stopped();
    return;
  }
  if (times_left > 0) {
    --times_left;
    qemu_plugin_reset(own_id, discarded);
  } else {
    __atomic_store_n(&discarding, false, __ATOMIC_RELEASE);
  }
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** options) {
  int session_file = -1;
  own_id = id;
  for (int i = 0; i < count; ++i) {
    if (strncmp(options[i], "session=", 8) == 0) session_file = atoi(options[i] + 8);
    cs_function_option(options[i]);
    if (strncmp(options[i], "collector=", 10) == 0) collector = strdup(options[i] + 10);
  }
  machine = cs_machine_of(info->target_name);
  if (machine == NULL || info->system_emulation) {
    cs_say("running unobserved: QEMU emulates a machine that is not known here: ", info->target_name);
    return 0;
  }
  cs_code_is_for(machine);
  cs_allocations_by(&machine->registers);
  if (session_file < 0 || !cs_join(session_file)) follow();
  /* The program's own files get the numbers that they would have without us. */
  if (session_file >= 0) close(session_file);
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
  register_all(id);
  return 0;
}
