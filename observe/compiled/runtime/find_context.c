/* The calling contexts that exist. */
#include <stddef.h>

#include "observe/compiled/runtime/context.h"

struct cachescape_context* cachescape_find_context(struct cachescape_context* parent,
                                                   const struct cachescape_function* function) {
  if (parent == &cachescape_no_context) return parent;
  /* Other stacks are one: whatever is called there is called from their root. */
  const struct cachescape_context* from = parent;
  if ((parent->flags & CACHESCAPE_CONTEXT_OTHERS) != 0 && parent->function != NULL) from = parent->parent;
  struct cachescape_context* found = from->called[function->hash % CACHESCAPE_CONTEXT_LISTS];
  while (found != NULL && found->function != function) found = found->next;
  if (found == NULL) {
    found = parent;
    while (found != NULL && found->function != function) found = found->parent;
    if (found != NULL) __atomic_fetch_or(&found->flags, CACHESCAPE_CONTEXT_RECURSIVE, __ATOMIC_RELAXED);
  }
  if (found != NULL) {
    parent->recent[function->hash % CACHESCAPE_RECENT_CONTEXTS] = found;
  } else if (cachescape_session == NULL) {
    return &cachescape_no_context;
  }
  return found;
}
