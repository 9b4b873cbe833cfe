/* Calipers for programs that cachescape observes: what is looked at, and what it is called.
 *
 * Calls do nothing where the program is not observed, and need nothing at link time: the functions are weak. A program
 * that is observed as it is, in Valgrind or QEMU, tells it by instructions that otherwise have no effect. C and C++;
 * for Fortran there is the module cachescape_mark in mark.f90. */
#ifndef CACHESCAPE_MARK_H
#define CACHESCAPE_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__x86_64__) && defined(__LP64__)
/* Valgrind's way to be asked something: the number of the request is the first of six words at rax. */
static inline void cachescape_ask(const unsigned long* request, const char* tag) {
  unsigned long ignored;
  __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                   : "=d"(ignored)
                   : "a"(request), "0"(tag)
                   : "cc", "memory");
}
#define CACHESCAPE_ASK(number, tag)                                           \
  do {                                                                        \
    static const unsigned long cachescape_request[6] = {0x43530000 + number}; \
    cachescape_ask(cachescape_request, tag);                                  \
  } while (0)
#elif defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
/* QEMU tells instructions, and where they store to: two that write to no register, and a store of the tag's address. */
#ifdef __aarch64__
#define CACHESCAPE_SAY(number) "movz xzr, #0x435; movz xzr, #" #number "; str %1, %0"
#else
#define CACHESCAPE_SAY(number) "slti zero, zero, 0x435; slti zero, zero, " #number "; sd %1, %0"
#endif
#define CACHESCAPE_ASK(number, tag)                                                                       \
  do {                                                                                                    \
    const char* cachescape_tag;                                                                           \
    __asm__ volatile(CACHESCAPE_SAY(number) : "=m"(cachescape_tag) : "r"((const char*)(tag)) : "memory"); \
  } while (0)
#else
#define CACHESCAPE_ASK(number, tag) ((void)(tag))
#endif

__attribute__((weak)) void cachescape_mark_on(void);
__attribute__((weak)) void cachescape_mark_off(void);

/* The calling thread's accesses are observed from here on (as they are at the start), or no longer. */
static inline void cachescape_on(void) {
  CACHESCAPE_ASK(1, 0);
  if (cachescape_mark_on) cachescape_mark_on();
}
static inline void cachescape_off(void) {
  CACHESCAPE_ASK(2, 0);
  if (cachescape_mark_off) cachescape_mark_off();
}

/* A function that is never instrumented. Other compilers than clang instrument none, and may not know the attribute. */
#ifdef __clang__
#define CACHESCAPE_IGNORE __attribute__((annotate("cachescape.ignore")))
#else
#define CACHESCAPE_IGNORE
#endif

__attribute__((weak)) void cachescape_mark_begin(const char* tag);
__attribute__((weak)) void cachescape_mark_end(const char* tag);

/* What the calling thread does between the two belongs to the region `tag`, regions nest.
 * `cachescape record --region TAG` keeps the accesses of one. */
static inline void cachescape_begin_region(const char* tag) {
  CACHESCAPE_ASK(3, tag);
  if (cachescape_mark_begin) cachescape_mark_begin(tag);
}
static inline void cachescape_end_region(const char* tag) {
  CACHESCAPE_ASK(4, tag);
  if (cachescape_mark_end) cachescape_mark_end(tag);
}

#ifdef __cplusplus
}
#endif

#endif
