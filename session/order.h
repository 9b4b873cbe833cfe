/* How finely the accesses of several threads are ordered.
 *
 * Plain blocks are ordered as a whole, by the time at which they were begun. A block in pieces is a sequence of
 *
 *   [ticket + 1] [bytes] records
 *
 * each with a ticket from the session's counter, taken before any of its accesses is made: tickets are the order. A
 * piece ends where the thread has begun its next one, and then says how long it is; until then its records can be read
 * as far as they are there. With CACHESCAPE_ORDER_EXACT a piece is a single record, or the slots of one trip of a loop.
 */
#ifndef CACHESCAPE_ORDER_H
#define CACHESCAPE_ORDER_H

#include "session/record.h"

enum cachescape_order { CACHESCAPE_ORDER_BLOCKS = 0, CACHESCAPE_ORDER_FINE = 1, CACHESCAPE_ORDER_EXACT = 2 };

struct cachescape_piece {
  uint64_t ticket_plus_1; /* atomic; 0: nothing more in this block yet */
  uint64_t bytes;         /* atomic: of its records; 0 while it is written, and of the last of a published block */
};

enum {
  /* Of a thread that writes finely: some ten records. */
  CACHESCAPE_FINE_PIECE_BYTES = 256,
  /* A piece begins only where the longest record fits: descriptor, trips and slots. */
  CACHESCAPE_PIECE_ROOM = sizeof(struct cachescape_piece) + 8 * (2 + CACHESCAPE_MOST_SLOTS)
};

CACHESCAPE_STATIC_ASSERT(sizeof(struct cachescape_piece) == 16, "fixed layout");
CACHESCAPE_STATIC_ASSERT(CACHESCAPE_FINE_PIECE_BYTES + sizeof(struct cachescape_piece) <= CACHESCAPE_PIECE_ROOM,
                         "a piece ends within its block");

#endif
