/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A Valgrind tool that writes the memory accesses of a program into a cachescape session. What its parts share.
 *
 * The rules for code in another process's address space are in docs/design/emulated-observer.md. */
#ifndef CACHESCAPE_VALGRIND_TOOL_H
#define CACHESCAPE_VALGRIND_TOOL_H

#include <pub_tool_basics.h>
#include <pub_tool_tooliface.h>
#include "session/code.h"
#include "session/record.h"

/* stream.c: the ring of blocks that records go into.
 *
 * Translated code keeps its place in the first words of the running thread's first shadow state, where it is one
 * instruction away; nothing else of Valgrind uses them in this tool. */
struct place {
  ULong next; /* where the next record begins */
  ULong end;  /* a record may begin up to here: then it fits */
};
/* Behind it, where the session lies: counters are at constant distances from there. */
enum { cs_session_in_state = sizeof(struct place) };
/* And then, where call stacks are told, the instructions that the thread has executed since it began to run or to
 * do what it does. */
enum {
  cs_executed_in_state = cs_session_in_state + sizeof(ULong),
  cs_state_bytes = cs_executed_in_state + sizeof(ULong)
};
Bool cs_join(Int file);
void cs_use(struct cachescape_session* session);
Bool cs_observing(void);
struct cachescape_session* cs_session(void);
UInt cs_session_number(void); /* 1, 2, … in this process and the one that it was forked from */
void cs_start_running(ThreadId thread, ULong blocks);
void cs_name_thread(ThreadId thread); /* what is written from now on is its */
void cs_stop_running(ThreadId thread, ULong blocks);
/* An array with an entry for each thread up to this one, the new ones zero; `room` is how many it had and has. */
void* cs_with_room_for(ThreadId thread, void* array, UInt* room, SizeT entry_bytes);
void cs_thread_begins(ThreadId parent, ThreadId thread);
void cs_thread_ends(ThreadId thread);
void cs_refill(struct place* place);
void cs_record(Bool on); /* what translated code does from now on */
void cs_mark(ULong code, ULong a, ULong b, ULong c, ULong d, UInt arguments);
void cs_finish(Bool wait_for_profile);
void cs_leave_session(void);

/* code.c: the tables of translated code. */
Bool cs_begin_code(void);
Bool cs_code_has_room(void);
UInt cs_add_descriptor(const struct cachescape_code_descriptor* descriptor,
                       const struct cachescape_code_access* access);
/* The counter of instructions that are executed together; 0 where there is no room for one. */
ULong cs_new_counter(void);
void cs_add_count(const struct cachescape_code_count* count);
/* A new context in the session; null where there is no room. */
struct cachescape_code_context* cs_add_context(UInt caller, UInt mapping, Addr function);
/* Keeps a copy in the session; its offset, or 0. */
ULong cs_keep_in_session(const void* from, ULong bytes);
/* As markers name an instruction that writes no records; `flags` are those of an access. */
ULong cs_site_at(Addr instruction, UInt flags);
UInt cs_mapping_of(Addr address, Addr* begin, Addr* end);
void cs_note_mapping(Addr address); /* something was mapped there as code */

/* build_id.c: bytes of a file's build-id; 0 where it has none. */
UInt cs_build_id(const HChar* path, UChar* to, UInt room);

/* instrument.c */
IRSB* cs_instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout, const VexGuestExtents* extents,
                    const VexArchInfo* host, IRType guest_word, IRType host_word);
void cs_state_of_place(IRDirty* call, const VexGuestLayout* layout);

/* allocations.c: calls of malloc() and its like, seen where they begin and where they return. */
void cs_instrument_allocations(IRSB* out, const VexGuestLayout* layout, Addr address);
void cs_watch_callers(void);
void cs_forget_calls(ThreadId thread);

/* calls.c: calling contexts, and the stacks of allocations. */
Bool cs_calls_option(const HChar* argument);
Bool cs_wants_stacks(void);
void cs_start_stack(ThreadId thread);
void cs_stop_stack(ThreadId thread);
void cs_mark_context_of(ThreadId thread);
void cs_forget_stack(ThreadId thread);
ULong cs_stack_of_allocation(ThreadId thread); /* as markers name it; 0 where stacks are not wanted */
void cs_instrument_entry(IRSB* out, const VexGuestLayout* layout, Addr address);
void cs_instrument_exit(IRSB* out, const VexGuestLayout* layout);

/* region.c: what of the program is recorded. */
Bool cs_region_option(const HChar* argument);
Bool cs_wants(ThreadId thread);
void cs_forget_calipers(ThreadId thread);
Bool cs_request(ThreadId thread, UWord* arguments, UWord* result);
UInt cs_switch_at(Addr address);
void cs_instrument_switch(IRSB* out, const VexGuestLayout* layout, UInt role);

/* kernel.c: what system calls access. */
Bool cs_kernel_option(const HChar* argument);
void cs_track_kernel(void);

/* collector.c: a session of its own, for a process that is followed; null where that fails. */
Bool cs_collector_option(const HChar* argument);
struct cachescape_session* cs_start_collector(const HChar* collector);

/* system.c */
void cs_translate_anew(Addr begin, ULong bytes); /* during a system call of the program */
ULong cs_nanoseconds(void);                      /* of a clock that only goes forward */
void cs_wake(uint32_t* futex);
void cs_wait(const uint32_t* futex, uint32_t value, UInt milliseconds);
Bool cs_is_dead(UInt process);
Int cs_new_shared_file(ULong bytes);
struct cachescape_session* cs_map(Int file, ULong bytes);
void cs_become(const HChar* program, HChar** arguments, HChar** environment, Int third_file, Int fourth_file);
void cs_close_spare_log(void);
void cs_keep_messages(void);
void cs_say(const HChar* first, const HChar* second);

#endif
