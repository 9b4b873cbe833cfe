/* What the parts of the runtime share. The rules for code in another process's address space are in
 * docs/design/compiled-observer.md: no allocation, no standard streams, no locks where accesses are recorded; errno is
 * preserved; whatever fails switches observation off and never the program. */
#ifndef CACHESCAPE_RUNTIME_H
#define CACHESCAPE_RUNTIME_H

#include "session/module.h"
#include "session/order.h"
#include "session/record.h"
#include "session/session_atomic.h"
#include "session/session_layout.h"
#include "session/stack.h"

#define CACHESCAPE_TLS __thread __attribute__((tls_model("initial-exec")))
#define CACHESCAPE_EXPORT __attribute__((visibility("default")))

/* Where instrumented code writes its next word, and where the block ends. Both null: no block yet. */
extern CACHESCAPE_EXPORT CACHESCAPE_TLS char* cachescape_next;
extern CACHESCAPE_EXPORT CACHESCAPE_TLS char* cachescape_end;
/* Of a block in pieces (session/order.h): no piece begins from here on. Null in a plain block: code asks this to choose
 * between one record of a whole loop and a record of each trip. */
extern CACHESCAPE_EXPORT CACHESCAPE_TLS char* cachescape_limit;
/* For slow_path_x86_64.S: the piece that is being written, and the session's counter of tickets. */
extern CACHESCAPE_TLS struct cachescape_piece* cachescape_piece;
extern CACHESCAPE_TLS uint64_t* cachescape_tickets;
extern CACHESCAPE_TLS uint64_t cachescape_piece_bytes;
/* All four of them, while signal handlers write elsewhere. */
struct cachescape_place {
  char *next, *end, *limit;
  struct cachescape_piece* piece;
};
/* Where a record goes that does not fit before cachescape_end: in a new piece or a new block. */
char* cachescape_refill(char* next);

/* session.c: null while nothing is observed. */
extern struct cachescape_session* cachescape_session;
void cachescape_start(void);
void cachescape_finish(void);
void cachescape_give_session_up(void);
int cachescape_collector_is_dead(const struct cachescape_session* s);
void* cachescape_arena(uint64_t bytes, uint64_t* at);
void cachescape_counters_for_thread(void);
void cachescape_release_counters(void);
int64_t cachescape_module_number(const struct cachescape_module_start* m); /* its entry in the session, -1 = none */

/* thread.c */
char* cachescape_refill_block(char* next);
void cachescape_begin_writing(void); /* so that the thread's first record finds a block */
void cachescape_order_threads(void); /* before a thread begins beside the calling one */
void cachescape_note_stack(void);
void cachescape_thread_begins(void);
void cachescape_thread_ends(void);
void cachescape_forget_threads(void);
unsigned cachescape_enter_signal(const void* frame, const void* low,
                                 struct cachescape_place* interrupted); /* 0: not entered */
void cachescape_leave_signal(unsigned entered, const struct cachescape_place* interrupted);
void cachescape_marker(uint64_t code, uint64_t a, uint64_t b, uint64_t c, uint64_t d, unsigned arguments);
extern CACHESCAPE_TLS uint64_t cachescape_stack_low, cachescape_stack_high; /* of this thread; 0 where unknown */

/* context.c */
void cachescape_release_contexts(void); /* this thread's, to others */
void cachescape_forget_contexts(void);  /* in a child, whose session is another */

/* stack.c: calls by frame pointers. */
void cachescape_note_files(void);
void cachescape_tell_files_again(void);            /* in a child, whose session is another */
uint64_t cachescape_stack_from(const void* frame); /* offset of the stack of the frame's callers, 0 = none */

/* system.c: system calls and messages without the C library's state. */
void cachescape_wake(uint32_t* futex);
void cachescape_wait(uint32_t* futex, uint32_t value, unsigned milliseconds);
uint64_t cachescape_hold_signals(void); /* the mask until then, for cachescape_let_signals() */
void cachescape_let_signals(uint64_t mask);
_Noreturn void cachescape_exit_now(int status);
uint64_t cachescape_clock(void);
void cachescape_say(const char* first, const char* second);

/* collector.c: starts a collector for a session of its own; null where that fails. */
struct cachescape_session* cachescape_start_collector(void);

#endif
