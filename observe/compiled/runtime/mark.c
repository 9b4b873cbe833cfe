/* What instrumented code and the calipers of <cachescape/mark.h> call. */
#include <string.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"

CACHESCAPE_EXPORT void cachescape_allocated_v1(const void* address, uint64_t bytes, const void* descriptor) {
  if (address == NULL || cachescape_session == NULL) return;
  cachescape_marker(CACHESCAPE_ALLOCATED, (uint64_t)(uintptr_t)address, bytes, (uint64_t)(uintptr_t)descriptor, 0, 3);
}

/* From functions that keep frame pointers. */
CACHESCAPE_EXPORT void cachescape_allocated_by_stack_v1(const void* address, uint64_t bytes, const void* descriptor) {
  const struct cachescape_session* const s = cachescape_session;
  if (address == NULL || s == NULL) return;
  const int wanted = (cachescape_load32(&s->wants) & CACHESCAPE_WANT_ACCESSES) != 0;
  const uint64_t stack = wanted ? cachescape_stack_from(__builtin_frame_address(0)) : 0;
  cachescape_marker(stack == 0 ? CACHESCAPE_ALLOCATED : CACHESCAPE_ALLOCATED_BY_STACK, (uint64_t)(uintptr_t)address,
                    bytes, (uint64_t)(uintptr_t)descriptor, stack, stack == 0 ? 3 : 4);
}

CACHESCAPE_EXPORT void cachescape_freed_v1(const void* address) {
  if (address == NULL || cachescape_session == NULL) return;
  cachescape_marker(CACHESCAPE_FREED, (uint64_t)(uintptr_t)address, 0, 0, 0, 1);
}

/* The system takes whole pages back. */
CACHESCAPE_EXPORT void cachescape_unmapped_v1(const void* address, uint64_t bytes) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  if (address == NULL || bytes == 0 || cachescape_session == NULL) return;
  cachescape_marker(CACHESCAPE_UNMAPPED, (uint64_t)(uintptr_t)address, (bytes + page - 1) / page * page, 0, 0, 2);
}

/* Tags are copied into the session once, however often a region is entered, and compared by their text: Fortran passes
 * temporaries. */
enum { most_tags = 256 };
static struct {
  const struct cachescape_session* session; /* a child that is followed has another */
  uint64_t at[most_tags];
  uint32_t count;
  uint32_t lock;
} tags;

static uint64_t find_tag(const struct cachescape_session* s, const char* tag) {
  const uint32_t count = cachescape_load32(&tags.count);
  for (uint32_t i = 0; i < count; ++i)
    if (strcmp((const char*)s + tags.at[i], tag) == 0) return tags.at[i];
  return 0;
}

static uint64_t add_tag(const struct cachescape_session* s, const char* tag) {
  while (!cachescape_swap32(&tags.lock, 0, 1)) {
  }
  if (tags.session != s) cachescape_store32(&tags.count, 0);
  tags.session = s;
  uint64_t at = find_tag(s, tag);
  char* const copy = at != 0 || tags.count == most_tags ? NULL : cachescape_arena(strlen(tag) + 1, &at);
  if (copy != NULL) {
    strcpy(copy, tag);
    tags.at[tags.count] = at;
    cachescape_add32(&tags.count, 1);
  } else if (at == 0) {
    cachescape_say("a region is not marked, there are too many: ", tag);
  }
  cachescape_store32(&tags.lock, 0);
  return at;
}

static void region(uint64_t code, const char* tag) {
  const struct cachescape_session* const s = cachescape_session;
  if (s == NULL) return;
  uint64_t at = tags.session == s ? find_tag(s, tag) : 0;
  if (at == 0) at = add_tag(s, tag);
  if (at != 0) cachescape_marker(code, at, 0, 0, 0, 1);
}

CACHESCAPE_EXPORT void cachescape_mark_begin(const char* tag) { region(CACHESCAPE_REGION_BEGIN, tag); }
CACHESCAPE_EXPORT void cachescape_mark_end(const char* tag) { region(CACHESCAPE_REGION_END, tag); }
CACHESCAPE_EXPORT void cachescape_mark_on(void) {
  if (cachescape_session != NULL) cachescape_marker(CACHESCAPE_SWITCH_ON, 0, 0, 0, 0, 0);
}
CACHESCAPE_EXPORT void cachescape_mark_off(void) {
  if (cachescape_session != NULL) cachescape_marker(CACHESCAPE_SWITCH_OFF, 0, 0, 0, 0, 0);
}
