/* Functions of the C library that the shared runtime stands in front of: thread creation, exits that skip destructors,
 * and signal handlers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"

struct beginning {
  void* (*function)(void*);
  void* argument;
  uint32_t taken;
};

static struct beginning beginnings[256];

static void* begin_thread(void* at) {
  struct beginning* const slot = at;
  void* (*const function)(void*) = slot->function;
  void* const argument = slot->argument;
  cachescape_store32(&slot->taken, 0);
  /* Before any instrumented code, which keeps the address of its counters in a register. */
  cachescape_note_stack();
  cachescape_thread_begins();
  cachescape_begin_writing();
  /* Not in tail position: stacks of calls end here, the same for all threads. */
  void* const result = function(argument);
  __asm__ volatile("");
  return result;
}

typedef int create_function(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

CACHESCAPE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                                     void* argument) {
  static create_function* real;
  if (real == NULL) real = (create_function*)dlsym(RTLD_NEXT, "pthread_create");
  if (cachescape_session != NULL) {
    cachescape_order_threads();
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i) {
      struct beginning* const slot = &beginnings[i];
      if (cachescape_load32(&slot->taken) != 0 || !cachescape_swap32(&slot->taken, 0, 1)) continue;
      slot->function = function;
      slot->argument = argument;
      const int result = real(thread, attributes, begin_thread, slot);
      if (result != 0) cachescape_store32(&slot->taken, 0);
      return result;
    }
  }
  return real(thread, attributes, function, argument);
}

CACHESCAPE_EXPORT void _exit(int status) {
  cachescape_finish();
  cachescape_exit_now(status);
}
CACHESCAPE_EXPORT void _Exit(int status) { _exit(status); }

/* A handler may run instrumented code in the middle of instrumented code. */
typedef void handler_function(int, siginfo_t*, void*);
static handler_function* handlers[_NSIG];
static int wants_information[_NSIG];

static void on_signal(int number, siginfo_t* information, void* context) {
  const stack_t* const other = &((const ucontext_t*)context)->uc_stack;
  const char* const frame = __builtin_frame_address(0);
  const char* const low = other->ss_sp;
  const int on_other_stack = low != NULL && frame >= low && frame < low + other->ss_size;
  struct cachescape_place interrupted;
  const unsigned entered = cachescape_enter_signal(frame, on_other_stack ? low : NULL, &interrupted);
  handler_function* const handler = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
  if (handler != NULL) handler(number, information, context);
  if (entered != 0) cachescape_leave_signal(entered, &interrupted);
}

typedef int sigaction_function(int, const struct sigaction*, struct sigaction*);

static int real_sigaction(int number, const struct sigaction* now, struct sigaction* before) {
  static sigaction_function* real;
  if (real == NULL) real = (sigaction_function*)dlsym(RTLD_NEXT, "sigaction");
  return real(number, now, before);
}

CACHESCAPE_EXPORT int sigaction(int number, const struct sigaction* now, struct sigaction* before) {
  if (number <= 0 || number >= _NSIG) return real_sigaction(number, now, before);
  handler_function* const old = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
  const int old_wants = wants_information[number];
  struct sigaction ours;
  const struct sigaction* install = now;
  if (now != NULL && now->sa_handler != SIG_DFL && now->sa_handler != SIG_IGN) {
    ours = *now;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = on_signal;
    install = &ours;
    wants_information[number] = (now->sa_flags & SA_SIGINFO) != 0;
    __atomic_store_n(&handlers[number], now->sa_sigaction, __ATOMIC_RELEASE);
  }
  const int result = real_sigaction(number, install, before);
  if (result != 0 && install == &ours) {
    wants_information[number] = old_wants;
    __atomic_store_n(&handlers[number], old, __ATOMIC_RELEASE);
  }
  if (result == 0 && before != NULL && (before->sa_flags & SA_SIGINFO) != 0 && before->sa_sigaction == on_signal) {
    before->sa_sigaction = old;
    if (!old_wants) before->sa_flags &= ~SA_SIGINFO;
  }
  return result;
}

CACHESCAPE_EXPORT sighandler_t signal(int number, sighandler_t handler) {
  struct sigaction now = {0}, before;
  now.sa_handler = handler;
  now.sa_flags = SA_RESTART;
  sigemptyset(&now.sa_mask);
  return sigaction(number, &now, &before) == 0 ? before.sa_handler : SIG_ERR;
}
