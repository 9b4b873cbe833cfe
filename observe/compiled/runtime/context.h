/* The calling context of each thread. */
#ifndef CACHESCAPE_RUNTIME_CONTEXT_H
#define CACHESCAPE_RUNTIME_CONTEXT_H

#include "observe/compiled/runtime/runtime.h"
#include "session/context.h"

/* Of the function that runs. Functions that call others put theirs here, and their caller's when they return. */
extern CACHESCAPE_EXPORT CACHESCAPE_TLS struct cachescape_context* cachescape_context;

/* Stands for those that cannot be made: whoever gets it counts without a context. */
extern struct cachescape_context cachescape_no_context;

/* The context of a function that is called from another's; null where there is none yet. Uses no vectors, whose
 * registers its caller does not save. */
struct cachescape_context* cachescape_find_context(struct cachescape_context* parent,
                                                   const struct cachescape_function* function);
struct cachescape_context* cachescape_make_context(struct cachescape_context* parent,
                                                   const struct cachescape_function* function);

#endif
