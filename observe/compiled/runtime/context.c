/* Calling contexts (session/context.h): makes those that instrumented functions have not found.
 *
 * Nothing here needs a lock. A thread changes its own tree only; a signal handler in the midst of that may make a
 * context once more, which the collector adds to its twin. */
#include "observe/compiled/runtime/context.h"

#include <stddef.h>

/* Where a thread begins; never written. */
static struct cachescape_context unknown;
struct cachescape_context cachescape_no_context;

CACHESCAPE_TLS struct cachescape_context* cachescape_context = &unknown;
static CACHESCAPE_TLS struct cachescape_context* root; /* of this thread */
static CACHESCAPE_TLS int over;                        /* the thread has ended */
static struct cachescape_context* roots;               /* of all threads, those that have ended too */

static uint64_t offset_of(const struct cachescape_context* context) {
  return (uint64_t)((const char*)context - (const char*)cachescape_session);
}

/* One whose session was left behind by a fork is not. */
static int is_in_session(const struct cachescape_context* context) {
  return (const char*)context >= (const char*)cachescape_session &&
         offset_of(context) < cachescape_session->arena_at + cachescape_session->arena_bytes;
}

static struct cachescape_context* make(struct cachescape_context* parent, const struct cachescape_function* function,
                                       uint32_t module, uint32_t flags) {
  struct cachescape_session* const s = cachescape_session;
  const uint32_t counters = function == NULL ? 0 : function->counters;
  uint64_t at;
  /* Tables of libraries that are loaded later have to find room too. */
  if (cachescape_load64(&s->arena_used) > s->arena_bytes / 2) return NULL;
  struct cachescape_context* const made = cachescape_arena(sizeof *made + counters * sizeof(uint64_t), &at);
  if (made == NULL) return NULL;
  made->parent_at = parent == NULL ? 0 : offset_of(parent);
  made->module = module;
  made->first_counter = function == NULL ? 0 : function->first_counter;
  made->counters = counters;
  made->flags = flags;
  made->function = function;
  made->parent = parent;
  made->next_at = cachescape_load64(&s->contexts_at);
  while (!__atomic_compare_exchange_n(&s->contexts_at, &made->next_at, at, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return made;
}

static void add_called(struct cachescape_context* parent, struct cachescape_context* called, uint32_t hash) {
  struct cachescape_context** const list = &parent->called[hash % CACHESCAPE_CONTEXT_LISTS];
  called->next = *list;
  __atomic_store_n(list, called, __ATOMIC_RELEASE);
}

/* A thread that has ended leaves its tree to the next. */
static struct cachescape_context* take_root(void) {
  if (root != NULL) return root;
  for (struct cachescape_context* r = __atomic_load_n(&roots, __ATOMIC_ACQUIRE); r != NULL; r = r->next)
    if (cachescape_load32(&r->in_use) == 0 && cachescape_swap32(&r->in_use, 0, 1)) return root = r;
  struct cachescape_context* const made = make(NULL, NULL, 0, CACHESCAPE_CONTEXT_ROOT);
  if (made == NULL) return NULL;
  made->in_use = 1;
  made->next = __atomic_load_n(&roots, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&roots, &made->next, made, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return root = made;
}

/* The one that is called from a thread's root in the name of all stacks that are not told apart. */
static struct cachescape_context* take_others(void) {
  struct cachescape_context* const from = take_root();
  if (from == NULL) return NULL;
  for (struct cachescape_context* c = from->called[0]; c != NULL; c = c->next)
    if (c->function == NULL) return c;
  struct cachescape_context* const made = make(from, NULL, 0, CACHESCAPE_CONTEXT_OTHERS);
  if (made != NULL) add_called(from, made, 0);
  return made;
}

/* What cachescape_find_context() has not found. */
struct cachescape_context* cachescape_make_context(struct cachescape_context* parent,
                                                   const struct cachescape_function* function) {
  struct cachescape_session* const s = cachescape_session;
  if (s == NULL || over) return &cachescape_no_context;
  const int64_t module = cachescape_module_number(function->module);
  if (module < 0) return &cachescape_no_context;
  struct cachescape_context* from = is_in_session(parent) ? parent : take_root();
  if (from == NULL) return &cachescape_no_context;
  if (from != parent) {
    struct cachescape_context* const known = cachescape_find_context(from, function);
    if (known != NULL) return known;
  }
  uint32_t flags = from->flags & CACHESCAPE_CONTEXT_OTHERS;
  if (flags == 0 && (cachescape_load32(&s->contexts_used) >= CACHESCAPE_MAX_CONTEXTS ||
                     cachescape_add32(&s->contexts_used, 1) >= CACHESCAPE_MAX_CONTEXTS)) {
    flags = CACHESCAPE_CONTEXT_OTHERS;
    from = take_others();
    if (from == NULL) return &cachescape_no_context;
    struct cachescape_context* const known = cachescape_find_context(from, function);
    if (known != NULL) return known;
  } else if (flags != 0 && from->function != NULL) {
    from = from->parent;
  }
  struct cachescape_context* const made = make(from, function, (uint32_t)module, flags);
  if (made == NULL) return &cachescape_no_context;
  add_called(from, made, function->hash);
  if (is_in_session(parent)) parent->recent[function->hash % CACHESCAPE_RECENT_CONTEXTS] = made;
  return made;
}

void cachescape_release_contexts(void) {
  over = 1;
  cachescape_context = &cachescape_no_context;
  if (root != NULL && cachescape_session != NULL) cachescape_store32(&root->in_use, 0);
  root = NULL;
}

void cachescape_forget_contexts(void) {
  roots = NULL;
  root = NULL;
  cachescape_context = &unknown;
}
