/* Joining a session, and the modules and counters that belong to it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"

struct cachescape_session* cachescape_session;

/* By this section `cachescape record` knows a program that the runtime is linked into statically. */
__attribute__((section(".cachescape"), used, retain)) static const char linked_in[] = "cachescape";

static const struct cachescape_module_start* modules[CACHESCAPE_MAX_MODULES];
static struct cachescape_module* entries[CACHESCAPE_MAX_MODULES]; /* in the session */
static uint64_t* unshared[CACHESCAPE_MAX_MODULES]; /* each module's own counters: of threads that we do not know */
static uint32_t module_count;
static int started;
static int own_collector;
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;

static struct cachescape_session* join(int file) {
  struct stat about;
  struct cachescape_session header;
  if (fstat(file, &about) != 0 || pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header) return NULL;
  if (!cachescape_usable(&header, (uint64_t)about.st_size)) return NULL;
  void* const memory = mmap(NULL, header.file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED) {
    cachescape_say("running unobserved: no address space for the session: ", strerror(errno));
    return NULL;
  }
  struct cachescape_session* const s = memory;
  if (cachescape_swap32(&s->owner_pid, 0, (uint32_t)getpid())) {
    /* The program's own files get the numbers that they would have without us. */
    close(file);
    return s;
  }
  munmap(memory, header.file_bytes);
  return NULL;
}

int cachescape_collector_is_dead(const struct cachescape_session* s) {
  const uint32_t pid = cachescape_load32(&s->collector_pid);
  if (pid == 0) return 0;
  if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) return 1;
  /* It may be dead but not buried. */
  char path[32] = "/proc/";
  char digits[12];
  int n = 0;
  for (uint32_t rest = pid; rest != 0; rest /= 10) digits[n++] = (char)('0' + rest % 10);
  size_t at = strlen(path);
  while (n > 0) path[at++] = digits[--n];
  strcpy(path + at, "/stat");
  char text[256];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return 0;
  text[bytes] = '\0';
  const char* const name_end = strrchr(text, ')');
  return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'Z';
}

void cachescape_give_session_up(void) {
  if (cachescape_session == NULL) return;
  cachescape_session = NULL;
  cachescape_say("the collector has gone; the program runs on unobserved", "");
}

void* cachescape_arena(uint64_t bytes, uint64_t* at) {
  struct cachescape_session* const s = cachescape_session;
  const uint64_t wanted = (bytes + 63) & ~UINT64_C(63);
  const uint64_t offset = cachescape_add64(&s->arena_used, wanted);
  if (offset + wanted > s->arena_bytes) return NULL;
  *at = s->arena_at + offset;
  return (char*)s + *at;
}

static uint64_t copied(const void* from, uint64_t bytes) {
  uint64_t at = 0;
  void* const to = bytes == 0 ? NULL : cachescape_arena(bytes, &at);
  if (to == NULL) return 0;
  memcpy(to, from, bytes);
  return at;
}

static struct cachescape_counters* counters_of(uint64_t* counts) {
  return (struct cachescape_counters*)(void*)counts - 1;
}

/* An array of the module's counters that no running thread uses. */
static uint64_t* take_counters(uint32_t module) {
  struct cachescape_session* const s = cachescape_session;
  struct cachescape_module* const entry = entries[module];
  if (s == NULL || entry == NULL || entry->counter_count == 0) return NULL;
  for (uint64_t at = cachescape_load64(&entry->counters_at); at != 0;) {
    struct cachescape_counters* const c = (struct cachescape_counters*)((char*)s + at);
    if (cachescape_swap32(&c->in_use, 0, 1)) return (uint64_t*)(c + 1);
    at = c->next_at;
  }
  uint64_t at;
  struct cachescape_counters* const c = cachescape_arena(sizeof *c + entry->counter_count * sizeof(uint64_t), &at);
  if (c == NULL) return NULL;
  c->in_use = 1;
  c->next_at = cachescape_load64(&entry->counters_at);
  while (!__atomic_compare_exchange_n(&entry->counters_at, &c->next_at, at, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return (uint64_t*)(c + 1);
}

static void give_counters(uint32_t module) {
  if (modules[module]->set_counters == NULL) return;
  uint64_t* const own = take_counters(module);
  if (own == NULL) return;
  uint64_t* const before = modules[module]->set_counters(own);
  if (unshared[module] == NULL) unshared[module] = before;
}

void cachescape_counters_for_thread(void) {
  const uint32_t count = cachescape_load32(&module_count);
  for (uint32_t i = 0; i < count; ++i) {
    if (modules[i]->set_counters == NULL || unshared[i] == NULL) continue;
    uint64_t* const before = modules[i]->set_counters(unshared[i]);
    if (before != unshared[i]) {
      modules[i]->set_counters(before);
    } else {
      give_counters(i);
    }
  }
}

void cachescape_release_counters(void) {
  if (cachescape_session == NULL) return;
  const uint32_t count = cachescape_load32(&module_count);
  for (uint32_t i = 0; i < count; ++i) {
    if (modules[i]->set_counters == NULL || unshared[i] == NULL) continue;
    uint64_t* const before = modules[i]->set_counters(unshared[i]);
    if (before != unshared[i]) cachescape_store32(&counters_of(before)->in_use, 0);
  }
}

int64_t cachescape_module_number(const struct cachescape_module_start* m) {
  const struct cachescape_session* const s = cachescape_session;
  const uint32_t count = cachescape_load32(&module_count);
  for (uint32_t i = 0; i < count; ++i)
    if (modules[i] == m && entries[i] != NULL && s != NULL)
      return entries[i] - cachescape_module_of((struct cachescape_session*)(uintptr_t)s, 0);
  return -1;
}

static void enter(uint32_t number) {
  struct cachescape_session* const s = cachescape_session;
  const struct cachescape_module_start* const m = modules[number];
  if (s == NULL) return;
  struct cachescape_module* const entry = cachescape_module_of(s, cachescape_load32(&s->modules_used));
  entry->descriptors = (uint64_t)(uintptr_t)m->descriptors;
  entry->descriptor_bytes = m->descriptor_bytes;
  entry->descriptors_at = copied(m->descriptors, m->descriptor_bytes);
  entry->table_bytes = m->table_bytes;
  entry->tables_at = copied(m->tables, m->table_bytes);
  entry->global_count = m->global_count;
  entry->globals_at = copied(m->globals, m->global_count * sizeof *m->globals);
  entry->counter_count = m->counter_count;
  if (entry->tables_at == 0 || (m->descriptor_bytes != 0 && entry->descriptors_at == 0)) {
    cachescape_say("running unobserved: the program's tables do not fit into the session", "");
    cachescape_session = NULL;
    return;
  }
  entries[number] = entry;
  cachescape_add32(&s->modules_used, 1);
  give_counters(number);
}

CACHESCAPE_EXPORT void cachescape_module_v1(const struct cachescape_module_start* m) {
  const int saved = errno;
  cachescape_start();
  pthread_mutex_lock(&modules_lock);
  const uint32_t number = module_count;
  if (number < CACHESCAPE_MAX_MODULES) {
    modules[number] = m;
    enter(number);
    cachescape_note_files();
    cachescape_store32(&module_count, number + 1);
  }
  pthread_mutex_unlock(&modules_lock);
  errno = saved;
}

static void after_fork_in_child(void) {
  if (cachescape_session == NULL) return;
  const int follow = getenv("CACHESCAPE_FOLLOW") != NULL;
  cachescape_forget_threads();
  cachescape_forget_contexts();
  /* Functions that are running keep the address of their counters: the parent's are no longer behind it. */
  mmap(cachescape_session, cachescape_session->file_bytes, PROT_READ | PROT_WRITE,
       MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  cachescape_session = NULL;
  own_collector = 0;
  for (uint32_t i = 0; i < module_count; ++i) {
    entries[i] = NULL;
    if (modules[i]->set_counters != NULL && unshared[i] != NULL) modules[i]->set_counters(unshared[i]);
  }
  if (!follow) return;
  cachescape_session = cachescape_start_collector();
  own_collector = cachescape_session != NULL;
  for (uint32_t i = 0; i < module_count; ++i) enter(i);
  cachescape_tell_files_again();
}

void cachescape_start(void) {
  if (started) return;
  started = 1;
  const char* const wish = getenv("CACHESCAPE");
  if ((wish != NULL && strcmp(wish, "off") == 0) || getauxval(AT_SECURE) != 0) return;
  const char* const file = getenv(CACHESCAPE_SESSION_VARIABLE);
  if (file != NULL) cachescape_session = join(atoi(file));
  /* A session that is taken observes another process: this one only if children are to be followed. */
  if (cachescape_session == NULL && (file == NULL || getenv("CACHESCAPE_FOLLOW") != NULL)) {
    cachescape_session = cachescape_start_collector();
    own_collector = cachescape_session != NULL;
  }
  pthread_atfork(NULL, NULL, after_fork_in_child);
  /* What is registered first runs last. */
  at_quick_exit(cachescape_finish);
  if (cachescape_session == NULL) return;
  cachescape_note_stack();
  cachescape_begin_writing();
}

/* What threads counted that we did not know when they began. */
static void share_unshared_counters(void) {
  const uint32_t count = cachescape_load32(&module_count);
  for (uint32_t i = 0; i < count; ++i) {
    if (unshared[i] == NULL || entries[i] == NULL) continue;
    uint64_t* const to = take_counters(i);
    if (to == NULL) continue;
    for (uint64_t c = 0; c < entries[i]->counter_count; ++c) to[c] += unshared[i][c];
  }
}

void cachescape_finish(void) {
  struct cachescape_session* const s = cachescape_session;
  if (s == NULL || cachescape_load32(&s->owner_pid) != (uint32_t)getpid()) return;
  cachescape_thread_ends();
  share_unshared_counters();
  /* Threads that still run must not keep the collector busy. */
  cachescape_session = NULL;
  cachescape_store32(&s->finished, 1);
  cachescape_add32(&s->news, 1);
  cachescape_wake(&s->news);
  while (own_collector && cachescape_load32(&s->collected) == 0 && !cachescape_collector_is_dead(s))
    cachescape_wait(&s->collected, 0, 100);
}

/* After the program's own destructors, also where it is linked statically. */
__attribute__((destructor(101))) static void finish_at_exit(void) { cachescape_finish(); }
