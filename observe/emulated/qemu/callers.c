/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Places that allocators return to, and where blocks were translated before that was known: a table of addresses. */
#include <pthread.h>
#include <stdlib.h>

#include "observe/emulated/qemu/observer.h"

struct entry {
  uint64_t address; /* 0: free */
  struct cs_caller* caller;
  bool is_translated; /* and not watched */
};

static struct entry* entries;
static size_t room, used; /* a power of two, and at most half of it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry* slot_of(uint64_t address) {
  size_t at = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
  while (entries[at].address != 0 && entries[at].address != address) at = (at + 1) & (room - 1);
  return &entries[at];
}

static bool make_room(void) {
  if (2 * used < room) return true;
  struct entry* const old = entries;
  const size_t old_room = room;
  struct entry* const more = calloc(room == 0 ? 4096 : 2 * room, sizeof *more);
  if (more == NULL) return false;
  room = room == 0 ? 4096 : 2 * room;
  entries = more;
  for (size_t i = 0; i < old_room; ++i)
    if (old[i].address != 0) *slot_of(old[i].address) = old[i];
  free(old);
  return true;
}

/* Null where there is no memory. */
static struct entry* entry_of(uint64_t address) {
  if (address == 0 || !make_room()) return NULL;
  struct entry* const e = slot_of(address);
  if (e->address == 0) {
    e->address = address;
    ++used;
  }
  return e;
}

bool cs_returns_are_seen(uint64_t address) {
  pthread_mutex_lock(&lock);
  struct entry* const e = entry_of(address);
  if (e != NULL && e->caller == NULL) {
    e->caller = calloc(1, sizeof *e->caller);
    if (e->caller != NULL) e->caller->returns_to = address;
  }
  const bool seen = e == NULL || e->caller == NULL || !e->is_translated;
  pthread_mutex_unlock(&lock);
  return seen;
}

struct cs_caller* cs_caller_at(uint64_t address) {
  pthread_mutex_lock(&lock);
  struct entry* const e = entry_of(address);
  struct cs_caller* const caller = e == NULL ? NULL : e->caller;
  if (e != NULL) e->is_translated = caller == NULL;
  pthread_mutex_unlock(&lock);
  return caller;
}

void cs_forget_blocks(void) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < room; ++i) entries[i].is_translated = false;
  pthread_mutex_unlock(&lock);
}

void cs_forget_sites(void) {
  for (size_t i = 0; i < room; ++i)
    if (entries[i].caller != NULL) entries[i].caller->site = 0;
}

void cs_callers_before_fork(void) { pthread_mutex_lock(&lock); }
void cs_callers_after_fork(void) { pthread_mutex_unlock(&lock); }
