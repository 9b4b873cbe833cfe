/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions that allocate and release memory, by the names that the linker knows, and what their arguments mean.
 *
 * For code that may have no C library. */
#ifndef CACHESCAPE_EMULATED_ALLOCATOR_H
#define CACHESCAPE_EMULATED_ALLOCATOR_H

#include <stdint.h>

enum cs_role {
  cs_nothing,
  cs_size_first,
  cs_size_second,
  cs_product,
  cs_reallocation,
  cs_reallocation_of_product,
  cs_through_pointer,
  cs_release
};

static const struct {
  const char* name;
  enum cs_role role;
} cs_allocators[] = {
    {"malloc", cs_size_first},
    {"__libc_malloc", cs_size_first},
    {"valloc", cs_size_first},
    {"__libc_valloc", cs_size_first},
    {"pvalloc", cs_size_first},
    {"__libc_pvalloc", cs_size_first},
    {"_Znwm", cs_size_first},
    {"_Znam", cs_size_first},
    {"_ZnwmRKSt9nothrow_t", cs_size_first},
    {"_ZnamRKSt9nothrow_t", cs_size_first},
    {"_ZnwmSt11align_val_t", cs_size_first},
    {"_ZnamSt11align_val_t", cs_size_first},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", cs_size_first},
    {"_ZnamSt11align_val_tRKSt9nothrow_t", cs_size_first},
    {"memalign", cs_size_second},
    {"__libc_memalign", cs_size_second},
    {"aligned_alloc", cs_size_second},
    {"calloc", cs_product},
    {"__libc_calloc", cs_product},
    {"realloc", cs_reallocation},
    {"__libc_realloc", cs_reallocation},
    {"reallocarray", cs_reallocation_of_product},
    {"__libc_reallocarray", cs_reallocation_of_product},
    {"posix_memalign", cs_through_pointer},
    {"__posix_memalign", cs_through_pointer},
    {"free", cs_release},
    {"cfree", cs_release},
    {"__libc_free", cs_release},
    {"_ZdlPv", cs_release},
    {"_ZdaPv", cs_release},
    {"_ZdlPvm", cs_release},
    {"_ZdaPvm", cs_release},
};

/* Of the function of that name; `room` bytes at most belong to it. */
static inline enum cs_role cs_role_of(const char* name, uint64_t room) {
  for (unsigned i = 0; i < sizeof cs_allocators / sizeof *cs_allocators; ++i) {
    const char* const known = cs_allocators[i].name;
    uint64_t at = 0;
    while (at < room && name[at] == known[at] && name[at] != '\0') ++at;
    if (at < room && name[at] == known[at]) return cs_allocators[i].role;
  }
  return cs_nothing;
}

/* Bytes that a call with these arguments asks for; 0 where there are too many of them. */
static inline uint64_t cs_bytes_asked(enum cs_role role, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t product = 0;
  switch (role) {
    case cs_size_second:
    case cs_reallocation:
      return b;
    case cs_product:
      return __builtin_mul_overflow(a, b, &product) ? 0 : product;
    case cs_reallocation_of_product:
      return __builtin_mul_overflow(b, c, &product) ? 0 : product;
    case cs_through_pointer:
      return c;
    default:
      return a;
  }
}

/* Whether it is told what was there before that is no more. */
static inline int cs_reallocates(enum cs_role role) {
  return role == cs_reallocation || role == cs_reallocation_of_product;
}

#endif
