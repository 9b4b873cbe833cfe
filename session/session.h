/* The shared memory between an observed program and the collector that analyses what it does.
 *
 * One file (a memfd) that both map:
 *
 *   session header | ring headers | module entries | arena (tables, counters) | blocks of ring 0 | of ring 1 | …
 *
 * Each thread of the program writes records (record.h) into its own ring of blocks and publishes a block when it is
 * full; the collector reads published blocks, zeroes them and gives them back. What is written lives in shared memory,
 * so it survives the program whatever ends it: a block that was being written is read up to its first zero word.
 *
 * C, fixed layouts, little-endian, no dependency: this header is compiled into observed programs and into tools under
 * licences of their own. Fields marked "atomic" are only accessed by the functions of session_atomic.h. */
#ifndef CACHESCAPE_SESSION_H
#define CACHESCAPE_SESSION_H

#include <stddef.h>
#include <stdint.h>

#define CACHESCAPE_SESSION_MAGIC UINT64_C(0x6e6f697373657363) /* "csession" */
#define CACHESCAPE_SESSION_VERSION UINT32_C(3)

/* The file descriptor of the session to join, in decimal. */
#define CACHESCAPE_SESSION_VARIABLE "CACHESCAPE_SESSION"

enum {
  CACHESCAPE_BLOCK_BYTES = 32768,
  CACHESCAPE_RING_BLOCKS = 64,
  CACHESCAPE_MAX_RINGS = 1024,
  CACHESCAPE_MAX_MODULES = 4096
};

/* What the program is asked to send. */
enum {
  CACHESCAPE_WANT_ACCESSES = 1, /* records of accesses; without it only counters */
  CACHESCAPE_DROP_WHEN_FULL = 2 /* rather lose blocks (and count them) than wait: nobody collects any more */
};

struct cachescape_session {
  uint64_t magic;
  uint32_t version;
  uint32_t wants; /* atomic */
  uint32_t block_bytes, ring_blocks, max_rings, max_modules;
  uint64_t rings_at, modules_at, arena_at, blocks_at; /* offsets in the file */
  uint64_t arena_bytes, file_bytes;
  uint32_t collector_pid; /* 0 while there is none */
  uint32_t owner_pid;     /* atomic: the one process that writes; 0 until one has claimed the session */
  uint32_t rings_used;    /* atomic: ring headers that were ever used */
  uint32_t modules_used;  /* atomic: module entries that are complete */
  uint64_t arena_used;    /* atomic */
  uint32_t news;          /* atomic futex: grows whenever there is something to collect */
  uint32_t sleeping;      /* atomic: the collector waits for news */
  uint32_t finished;      /* atomic: the program has ended in order and published everything */
  uint32_t collected;     /* atomic futex: the collector has finished */
  uint64_t unobserved;    /* atomic: blocks that were dropped, by threads without a ring or with a full one */
  uint64_t started_at;    /* nanoseconds since 1970 */
  uint32_t threads_seen;  /* atomic: numbers handed out to threads */
  uint32_t stacks_used;   /* atomic: stacks of calls (stack.h) that were kept or did not fit */
  uint64_t loaded_at;     /* atomic: offset of the last of the loaded files (stack.h), 0 = none */
  uint64_t code_at;       /* atomic: offset of the tables of translated code (code.h), 0 = none */
  uint64_t contexts_at;   /* atomic: offset of the last of the calling contexts (context.h), 0 = none */
  uint32_t contexts_used; /* atomic: contexts that were asked for, and told apart up to CACHESCAPE_MAX_CONTEXTS */
  uint32_t reserved;
  uint32_t order;            /* atomic: in force now (order.h) */
  uint32_t order_of_threads; /* comes into force when a second thread begins */
  uint8_t apart[8];          /* the tickets share no cache line with anything else */
  uint64_t tickets;          /* atomic: taken so far */
  uint8_t rest[56];
};

enum { CACHESCAPE_RING_FREE = 0, CACHESCAPE_RING_ACTIVE = 1, CACHESCAPE_RING_ENDED = 2 };

/* Blocks head − 1, head − 2, … tail are published and not yet collected; block `head` is being written. */
struct cachescape_ring {
  uint32_t state;  /* atomic */
  uint32_t thread; /* the thread's number in the session: 0, 1, … */
  uint32_t system_thread;
  uint32_t reserved;
  uint64_t stack_low, stack_high; /* 0 where unknown */
  uint32_t head;                  /* atomic: written by the thread */
  uint32_t waiting;               /* atomic: the thread waits for `tail` */
  uint64_t waited;                /* atomic: nanoseconds for which it has waited so, as emulators count them */
  uint8_t apart[16];              /* the collector's word shares no cache line with the thread's */
  uint32_t tail;                  /* atomic futex: written by the collector */
  uint8_t rest[60];
};

/* Every block begins with this; records follow. */
struct cachescape_block {
  uint64_t began; /* time stamp counter when the thread began to write it */
  uint64_t ended; /* when it was published; 0 until then */
  uint32_t thread;
  uint32_t bytes;     /* of records, once published */
  uint64_t tickets;   /* taken in the session when the thread began to write it */
  uint32_t in_pieces; /* whether what follows are pieces (order.h) */
  uint32_t reserved;
};

/* A compiled module that has joined: where its tables were put. */
struct cachescape_module {
  uint64_t descriptors;                      /* address of its descriptors in the program */
  uint64_t descriptors_at, descriptor_bytes; /* their copy in the file */
  uint64_t tables_at, table_bytes;           /* its static tables (module.h) in the file */
  uint64_t globals_at, global_count;         /* cachescape_global[] in the file */
  uint64_t counter_count;
  uint64_t counters_at; /* atomic: offset of the first counter array, 0 = none */
};

/* An array of block counters, one per thread and module; never freed, taken over by later threads. */
struct cachescape_counters {
  uint64_t next_at; /* offset of the module's next array, 0 = none */
  uint32_t in_use;  /* atomic */
  uint32_t reserved;
  /* uint64_t counts[counter_count] follow */
};

/* A global variable of a module. */
struct cachescape_global {
  uint64_t address, bytes;
  uint32_t name;     /* offset in the module's strings */
  uint32_t location; /* index of the module's locations */
};

#define CACHESCAPE_RECORD_BYTES (CACHESCAPE_BLOCK_BYTES - sizeof(struct cachescape_block))

#ifdef __cplusplus
#define CACHESCAPE_STATIC_ASSERT static_assert
#else
#define CACHESCAPE_STATIC_ASSERT _Static_assert
#endif
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_session) == 256, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_ring) == 128, "fixed layout");
CACHESCAPE_STATIC_ASSERT(offsetof(struct cachescape_ring, tail) == 64, "fixed layout");
CACHESCAPE_STATIC_ASSERT(offsetof(struct cachescape_session, tickets) % 64 == 0, "a line of its own");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_block) == 40, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_module) == 72, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_counters) == 16, "fixed layout");
CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_global) == 24, "fixed layout");

#endif
