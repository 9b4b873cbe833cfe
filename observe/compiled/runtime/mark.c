/* What instrumented code and the calipers of <cachescape/mark.h> call. */
#include "observe/compiled/runtime/runtime.h"

CACHESCAPE_EXPORT void cachescape_allocated_v1(const void* address, uint64_t bytes, const void* descriptor) {
  if (address == NULL || cachescape_session == NULL) return;
  cachescape_marker(CACHESCAPE_ALLOCATED, (uint64_t)(uintptr_t)address, bytes, (uint64_t)(uintptr_t)descriptor, 3);
}

CACHESCAPE_EXPORT void cachescape_freed_v1(const void* address) {
  if (address == NULL || cachescape_session == NULL) return;
  cachescape_marker(CACHESCAPE_FREED, (uint64_t)(uintptr_t)address, 0, 0, 1);
}

static void region(uint64_t code, const char* tag) {
  if (cachescape_session == NULL) return;
  uint64_t bytes = 1;
  while (tag[bytes - 1] != '\0') ++bytes;
  uint64_t at;
  char* const copy = cachescape_arena(bytes, &at);
  if (copy == NULL) return;
  for (uint64_t i = 0; i < bytes; ++i) copy[i] = tag[i];
  cachescape_marker(code, (uint64_t)(uintptr_t)tag, at, 0, 2);
}

CACHESCAPE_EXPORT void cachescape_mark_begin(const char* tag) { region(CACHESCAPE_REGION_BEGIN, tag); }
CACHESCAPE_EXPORT void cachescape_mark_end(const char* tag) { region(CACHESCAPE_REGION_END, tag); }
CACHESCAPE_EXPORT void cachescape_mark_on(void) {
  if (cachescape_session != NULL) cachescape_marker(CACHESCAPE_SWITCH_ON, 0, 0, 0, 0);
}
CACHESCAPE_EXPORT void cachescape_mark_off(void) {
  if (cachescape_session != NULL) cachescape_marker(CACHESCAPE_SWITCH_OFF, 0, 0, 0, 0);
}
