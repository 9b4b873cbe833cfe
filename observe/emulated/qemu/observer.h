/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A QEMU plugin that writes the memory accesses of a program into a cachescape session. What its parts share.
 *
 * The rules for code in another process's address space are in docs/design/emulated-observer.md. Guest code never
 * interrupts a plugin: QEMU delivers signals between translated blocks. */
#ifndef CACHESCAPE_QEMU_OBSERVER_H
#define CACHESCAPE_QEMU_OBSERVER_H

#include "observe/emulated/allocator.h"
#include "observe/emulated/qemu/plugin_api.h"
#include "session/code.h"
#include "session/record.h"

/* machine.c: what has to be known of the machine that is emulated. */
enum { cs_on_stack = 255, cs_call_arguments = 6, cs_general_registers = 32 };
struct cs_registers {
  size_t at; /* where the first lies in QEMU's state of the processor; 8 bytes each */
  /* Numbers of some. */
  uint8_t stack;
  uint8_t link; /* where a call returns to; cs_on_stack: that lies where the stack ends */
  uint8_t argument[3], result;
  uint8_t call_number, call_argument[cs_call_arguments]; /* of system calls */
};
struct cs_machine {
  const char* name;     /* QEMU's */
  uint16_t elf_machine; /* EM_… */
  /* Whether one execution may make several accesses side by side, which are pieces of one. */
  bool (*comes_in_pieces)(const uint8_t* code, size_t bytes);
  /* Whether it stores only if nobody else did in between. QEMU reads to find out, which the instruction does not. */
  bool (*stores_conditionally)(const uint8_t* code, size_t bytes);
  /* Whether it accesses memory of which QEMU tells nothing. */
  bool (*is_not_told)(const uint8_t* code, size_t bytes);
  /* Changes code that was mapped so that more can be told; null where that has no need. */
  void (*prepare_code)(uint64_t host_begin, uint64_t host_end);
  /* The constant of an instruction that writes it nowhere, as calipers do (session/request.h); −1 of all others. */
  int (*constant_for_nobody)(const uint8_t* code, size_t bytes);
  int64_t mmap, munmap, execve; /* numbers of system calls */
  struct cs_registers registers;
};
const struct cs_machine* cs_machine_of(const char* name); /* null where it is not known */
/* Whether registers may have these values where a system call is made. */
bool cs_agree(const struct cs_registers* of, const uint64_t* values, uint64_t number, const uint64_t* arguments);

/* feature.c: programs do without instructions of which QEMU tells nothing. */
void cs_hide_features(uint64_t host_begin, uint64_t host_end);

/* request.c: what programs for x86-64 ask begins a block. */
void cs_split_requests(uint64_t host_begin, uint64_t host_end);
bool cs_is_request(const uint8_t* code, size_t bytes, uint64_t host_address);

/* registers.c: known where a translated block begins. */
struct cs_watch {
  void (*reached)(const void* state, const struct cs_watch* watch);
};
void cs_begin_registers(const struct cs_registers* of, struct qemu_plugin_tb* first_block);
void cs_watch_block(struct qemu_plugin_tb* block, const struct cs_watch* watch); /* calls it each time that it begins */
void cs_check_registers(uint64_t number, const uint64_t* arguments);             /* before a system call */
bool cs_registers_are_known(void);
uint64_t cs_register(const void* state, unsigned number);

/* stream.c: the ring of blocks that a thread writes into. */
struct cs_instruction;
struct cs_shape {
  uint16_t bytes;
  uint16_t written; /* of them; what was read may be written again */
  uint8_t kind;
};
struct cs_stream {
  uint64_t* next; /* where the next record begins */
  uint64_t* end;  /* a record may begin below: then it fits */
  /* The access that was written last, as long as more of it may come. */
  const struct cs_instruction* instruction;
  uint64_t address;
  struct cs_shape shape;
  bool stack_known;
  struct cachescape_ring* ring; /* null: none yet, or what is written goes to the scratch block */
  struct cachescape_block* block;
  uint32_t ring_number;
  uint64_t* scratch;
};
extern __thread struct cs_stream cs_stream __attribute__((tls_model("initial-exec")));
enum { cs_longest_record = 4 }; /* words */
bool cs_join(int file);
void cs_use(struct cachescape_session* session);
struct cachescape_session* cs_session(void);
bool cs_refill(struct cs_stream* stream); /* whether there is somewhere to write to */
void cs_mark(uint64_t code, uint64_t a, uint64_t b, uint64_t c, unsigned arguments);
void cs_count_lost(unsigned vcpu, void* data);
void cs_finish(bool wait_for_profile);
void cs_leave_session(void);

/* code.c: the tables of translated code. */
void cs_code_is_for(const struct cs_machine* machine);
bool cs_begin_code(void);
void cs_mark_mappings(void); /* those that are known from the session before */
uint32_t cs_add_descriptor(uint64_t address, uint32_t mapping, unsigned kind, unsigned bytes);
enum { cs_no_descriptor = 0x7fffffff };
uint64_t cs_add_site(uint64_t address); /* of an instruction that makes no accesses, as markers name it */
/* A counter of instructions that are executed together, and where it is; null where they are not counted. */
uint64_t* cs_new_counter(uint64_t* at);
void cs_add_count(const struct cachescape_code_count* count);
uint32_t cs_mapping_of(uint64_t guest_address); /* number + 1; 0 where no file is mapped there */
uint64_t cs_tag(const char* text);              /* its place in the session, 0 where there is no room */
/* The offset in the program's own file of what lies at an address; −1 where it is not from there. */
int64_t cs_offset_in_program(uint64_t guest_address);
/* What the function does that begins there, in the mapping of that number + 1. */
enum cs_role cs_allocator_at(uint32_t mapping, uint64_t guest_address);
void cs_mapping_changed(uint64_t guest_address, uint64_t bytes);
void cs_before_fork(void);
void cs_after_fork(void);
void cs_guest_begins_at(uint64_t host_address); /* the guest's address 0 */
uint64_t cs_guest_base(void);

/* access.c */
struct cs_instruction* cs_new_instruction(uint64_t address, uint32_t mapping, bool pieces, bool conditional_store);
void cs_forget_descriptors(void);
void cs_block_begins(unsigned vcpu, void* data);
void cs_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* data);

/* function.c: calls of functions of the program that begin and end what is recorded, for the whole process. */
extern bool cs_outside; /* atomic: nothing is recorded now */
void cs_function_option(const char* option);
void cs_instrument_function(struct qemu_plugin_insn* instruction);

/* caliper.c: what <cachescape/mark.h> asks. Whether the instruction is part of that, and what it accesses nobody's. */
bool cs_instrument_caliper(const struct cs_machine* machine, struct qemu_plugin_insn* instruction);
void cs_instrument_request(struct qemu_plugin_tb* block); /* of programs for x86-64 */

/* symbols.c */
struct cs_allocator {
  uint64_t file_offset;
  enum cs_role role;
};
size_t cs_find_allocators(const uint8_t* file, size_t bytes, struct cs_allocator* found, size_t room); /* how many */

/* allocations.c: calls of malloc() and its like. `address` is where the block begins. */
void cs_allocations_by(const struct cs_registers* with);
void cs_instrument_allocations(struct qemu_plugin_tb* block, uint64_t address, uint32_t mapping);

/* callers.c: places that allocators return to. */
struct cs_caller {
  struct cs_watch watch;
  uint64_t returns_to;
  uint64_t site; /* atomic; 0: the session does not know it */
};
bool cs_returns_are_seen(uint64_t address);       /* false where the code there was translated before anybody knew */
struct cs_caller* cs_caller_at(uint64_t address); /* of a block that is translated; null where none is known */
void cs_forget_blocks(void);                      /* that were translated */
void cs_forget_sites(void);                       /* in a forked child */
void cs_callers_before_fork(void);
void cs_callers_after_fork(void);

/* plugin.c */
void cs_translate_anew(void); /* all code, before the thread begins another block */

/* memory.c: bytes that could be read. */
size_t cs_read_memory(uint64_t host_address, void* to, size_t bytes);

/* maps.c: what lies where in this process. */
struct cs_area {
  uint64_t begin, end, file_offset;
  char path[4096]; /* empty where no file is mapped */
};
bool cs_area_around(uint64_t host_address, struct cs_area* area);

/* exec.c: becomes another program, at the guest's request. Returns where that is for QEMU or the system to do. */
void cs_become(const struct cs_machine* machine, uint64_t path, uint64_t arguments, uint64_t environment,
               const char* collector);

/* collector.c: a session of its own, for a process that is followed; null where that fails. */
struct cachescape_session* cs_start_collector(const char* collector);

/* system.c */
void cs_wake(uint32_t* futex);
void cs_wait(uint32_t* futex, uint32_t value, unsigned milliseconds);
bool cs_is_dead(uint32_t process);
uint64_t cs_clock(void);
uint64_t cs_nanoseconds(void); /* of a clock that only goes forward */
void cs_say(const char* first, const char* second);

#endif
