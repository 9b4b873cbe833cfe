/* The records that threads write into their rings: words of 64 bits.
 *
 *   segment   [address of its descriptor] [slot] × slots
 *   loop      [address of its descriptor] [trips] [base] × bases, then for each trip [slot] × slots
 *   marker    [code below CACHESCAPE_MARKERS] [arguments]
 *
 * and those of code that is translated while it runs, which code.h describes.
 *
 * A descriptor says what the words mean: it lies in the program's read-only data, and a copy of all of a module's
 * descriptors is in the session. A slot holds the address of the first of the accesses that share it; the others lie
 * at constant offsets from it. A record never spans two blocks, except that the trips of a loop may continue in the
 * thread's next block. A zero word where a record is expected ends the block; a slot that is zero was not reached. */
#ifndef CACHESCAPE_RECORD_H
#define CACHESCAPE_RECORD_H

#include "session/session.h"

enum cachescape_kind { CACHESCAPE_READ = 0, CACHESCAPE_WRITE = 1, CACHESCAPE_MODIFY = 2 };

enum {
  CACHESCAPE_KIND_MASK = 3,
  CACHESCAPE_SIZED = 4,    /* the word after the slot holds the size */
  CACHESCAPE_MASKED = 8,   /* the word after the lanes' slots holds a mask of lanes */
  CACHESCAPE_STRIDED = 16, /* of a loop: `slot` is the number of a base, and `step` is added for each trip */
  CACHESCAPE_VECTOR = 32   /* one slot; the lanes lie side by side, each of `size` bytes */
};

enum { CACHESCAPE_MOST_SLOTS = 512 }; /* of a segment, a trip, or bases of a loop: far below what a block can hold */

struct cachescape_access {
  uint16_t slot;
  uint8_t flags;
  uint8_t lanes; /* addresses in as many slots (gather, scatter), or elements of a masked vector; 1 otherwise */
  int32_t offset;
  uint32_t size;
  uint32_t site; /* index of the module's sites */
  int32_t step;
};

struct cachescape_descriptor {
  uint16_t slots; /* words per segment, or per trip of a loop */
  uint16_t bases; /* of a loop */
  uint16_t accesses;
  uint16_t is_loop;
  uint32_t block; /* index of the module's blocks */
  /* struct cachescape_access access[accesses] follow */
};

/* Codes of markers, and what follows. */
enum {
  CACHESCAPE_ALLOCATED = 1,    /* address, bytes, address of a descriptor that names the call's site */
  CACHESCAPE_FREED = 2,        /* address */
  CACHESCAPE_REGION_BEGIN = 3, /* offset of its tag in the session */
  CACHESCAPE_REGION_END = 4,   /* the same */
  CACHESCAPE_SWITCH_ON = 5,
  CACHESCAPE_SWITCH_OFF = 6,
  CACHESCAPE_THREAD = 7, /* number of the thread that writes what follows: of observers that let one run at a time */
  CACHESCAPE_STACK = 8,  /* lowest address, end */
  CACHESCAPE_MAPPED = 9, /* number of a mapping (code.h): its file lies there from now on */
  /* address, bytes, address of a descriptor, offset of the stack of calls (stack.h) */
  CACHESCAPE_ALLOCATED_BY_STACK = 10,
  /* what a system call accesses: descriptor that names the call's site (code.h), address, bytes, kind */
  CACHESCAPE_KERNEL = 11,
  CACHESCAPE_CONTEXT = 12,  /* number of the calling context (code.h) of what follows, how the thread has come to it */
  CACHESCAPE_UNMAPPED = 13, /* address, bytes: whole pages, of one allocation or of several, or of a part of one */
  CACHESCAPE_MARKERS = 16   /* no address is below this */
};

CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_access) == 20, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_descriptor) == 12, "fixed layout");

#endif
