/* The code of a program that is translated while it runs: what its records mean, which files it came from, how often
 * it was executed, and by which calls.
 *
 * An observer that translates code appends to growing lists in the session's arena, and never takes anything back:
 * code that is discarded and translated again gets new descriptors. A list is a chain of parts; what lies below
 * `used` of a part is complete. Entries are numbered 0, 1, 2 … in the order of the chain.
 *
 *   record    [CACHESCAPE_CODE | number of its descriptor] [slot] × slots
 *
 * No address of a program looks like such a word. The accesses of a descriptor lie in stretches, between which the
 * code may be left: an access was made if the slot of its `witness`, which its stretch writes first, is not zero. A
 * guarded access was made if its own slot is not zero. */
#ifndef CACHESCAPE_CODE_H
#define CACHESCAPE_CODE_H

#include "session/session.h"

#define CACHESCAPE_CODE UINT64_C(0xffffffff80000000) /* fits a sign-extended immediate of 32 bits */

enum { CACHESCAPE_CODE_MOST_SLOTS = 120, CACHESCAPE_CODE_MOST_ACCESSES = 1024 };

/* Where session.code_at points: offsets of the first parts. */
struct cachescape_code {
  uint64_t descriptors_at;
  uint64_t mappings_at;
  uint64_t counts_at;   /* 0: instructions are not counted */
  uint64_t contexts_at; /* 0: call stacks are not told */
};

struct cachescape_part {
  uint64_t next_at; /* atomic: offset of the next part, 0 = none yet */
  uint64_t used;    /* atomic: bytes of complete entries, which follow */
  uint64_t bytes;   /* of room for them */
  uint64_t reserved;
};

/* Beside the kind (record.h) in `flags`. */
enum {
  CACHESCAPE_CODE_GUARDED = 4,
  CACHESCAPE_CODE_KERNEL = 8 /* of a descriptor without slots: the instruction calls the kernel */
};

struct cachescape_code_access {
  uint16_t slot;
  uint16_t witness; /* slot */
  uint16_t size;
  uint8_t flags;
  uint8_t reserved;
  int32_t offset; /* from the slot's address */
  int32_t code;   /* address of the instruction, from the descriptor's */
};

/* Without slots it is no record but names, by its one access, an instruction that makes none itself: the call of an
 * allocator or of the kernel. */
struct cachescape_code_descriptor {
  uint64_t address;
  uint32_t mapping; /* number + 1 of the mapping that all its instructions lie in; 0 = none */
  uint16_t slots;
  uint16_t accesses;
  /* struct cachescape_code_access access[accesses] follow */
};

/* A part of a file that is mapped as code. */
struct cachescape_mapping {
  uint64_t begin, end;
  uint64_t file_offset;
  uint32_t path_bytes;     /* of the path that follows, a multiple of 8, padded with zeroes */
  uint32_t build_id_bytes; /* of the file's build-id behind it, padded to a multiple of 8; 0 = none is known */
};

/* Instructions in a row that are executed as often as the counter says. Observers whose threads run in parallel count
 * without locks: what two add at the same time may be lost. */
struct cachescape_code_count {
  uint64_t address;      /* of the first */
  uint32_t mapping;      /* number + 1 of the mapping that they lie in; 0 = none */
  uint32_t instructions; /* how many */
  uint64_t counter_at;   /* offset of a uint64_t in the file, which several may share */
};

/* A stack of calls: the function that was called last, and the stack that it was called from, which has an earlier
 * number. The first, 0, is that of threads in which no function has begun. A function that occurs among its callers
 * goes back to the context that it has there. */
struct cachescape_code_context {
  uint64_t address; /* where the function begins; 0: of stacks that are not told apart, and of the first */
  uint32_t mapping; /* number + 1 of the mapping that it lies in; 0 = none */
  uint32_t caller;
  uint64_t instructions; /* atomic: executed in the function itself, while it was called so */
};

/* How a thread has come to a context. */
enum {
  CACHESCAPE_CONTEXT_GOES_ON = 0, /* what it called has returned, or other threads have run */
  CACHESCAPE_CONTEXT_CALLED = 1,
  CACHESCAPE_CONTEXT_RECURS = 2 /* called from itself, or by what it has called */
};

CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_code) == 32, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_part) == 32, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_code_access) == 16, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_code_descriptor) == 16, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_code_count) == 24, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_code_context) == 24, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_mapping) == 32, "fixed layout");

#endif
