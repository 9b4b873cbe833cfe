/* What a program that was not instrumented asks of the emulator that it runs in, by <cachescape/mark.h>.
 *
 * The header writes these numbers out, because it is handed to users alone; a test compares them. */
#ifndef CACHESCAPE_REQUEST_H
#define CACHESCAPE_REQUEST_H

/* In Valgrind's numbering of requests: "CS" for the tool, then a number. */
enum {
  CACHESCAPE_REQUEST_ON = 0x43530001,
  CACHESCAPE_REQUEST_OFF = 0x43530002,
  CACHESCAPE_REQUEST_BEGIN = 0x43530003, /* a region, whose tag's address is in rdx */
  CACHESCAPE_REQUEST_END = 0x43530004    /* the same */
};

/* In QEMU: constants of two instructions that have no effect, this one and then the number from above. A store
 * of the tag's address follows. */
enum { CACHESCAPE_REQUEST_FOLLOWS = 0x435, CACHESCAPE_REQUEST_NUMBER = 0xf };

#endif
