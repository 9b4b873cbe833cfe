/* The few atomic operations of a session, the same words for C and C++. */
#ifndef CACHESCAPE_SESSION_ATOMIC_H
#define CACHESCAPE_SESSION_ATOMIC_H

#include <stdint.h>

static inline uint32_t cachescape_load32(const uint32_t* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static inline uint64_t cachescape_load64(const uint64_t* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static inline void cachescape_store32(uint32_t* at, uint32_t value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
static inline void cachescape_store64(uint64_t* at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
static inline uint32_t cachescape_add32(uint32_t* at, uint32_t n) {
  return __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST);
}
static inline uint64_t cachescape_add64(uint64_t* at, uint64_t n) {
  return __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST);
}
/* Puts `to` where `from` is; whether it was there. */
static inline int cachescape_swap32(uint32_t* at, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(at, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#endif
