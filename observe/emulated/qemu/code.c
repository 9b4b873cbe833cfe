/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables of translated code in the session: descriptors of records, counters of instructions, and the files
 * that code is mapped from.
 *
 * QEMU maps the program's files as they are, at the program's addresses or at a fixed distance from them, so this
 * process's own list of mappings tells which file lies where. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"
#include "session/code_writer.h"
#include "session/session_atomic.h"

enum { most_mappings = 4096 };

static struct cachescape_list descriptors, mappings, counts;
static struct cachescape_counter_pool counters;
static bool counting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the lists; never taken where a known access is made */
static bool full;
static uint64_t guest_base;
static const struct cs_machine* machine;

void cs_code_is_for(const struct cs_machine* with) { machine = with; }

static bool tell_mappings_again(void);

/* Names of regions that the session knows. */
static struct {
  char* text;
  uint64_t at;
} tags[256];
static unsigned tags_count;

/* Code that was translated before a fork goes on in the child with the parent's counters: only the first session has
 * any, rather than too few. */
static bool begin_counting(struct cachescape_code* code) {
  static bool begun;
  counting = !begun;
  begun = true;
  if (!counting) return true;
  counts.last = cachescape_new_part(cs_session(), &code->counts_at);
  return counts.last != NULL;
}

bool cs_begin_code(void) {
  uint64_t at = 0;
  struct cachescape_code* const code = cachescape_arena(cs_session(), sizeof *code, &at);
  full = false;
  while (tags_count > 0) free(tags[--tags_count].text);
  descriptors = mappings = counts = (struct cachescape_list){0};
  if (code == NULL) return false;
  descriptors.last = cachescape_new_part(cs_session(), &code->descriptors_at);
  mappings.last = cachescape_new_part(cs_session(), &code->mappings_at);
  if (descriptors.last == NULL || mappings.last == NULL || !begin_counting(code) || !tell_mappings_again())
    return false;
  cachescape_store64(&cs_session()->code_at, at);
  return true;
}

struct description {
  struct cachescape_code_descriptor head;
  struct cachescape_code_access access;
};

static uint32_t describe(struct description entry) {
  pthread_mutex_lock(&lock);
  void* const at = cs_session() == NULL ? NULL : cachescape_next_entry(cs_session(), &descriptors, sizeof entry);
  uint32_t number = cs_no_descriptor;
  if (at != NULL) {
    memcpy(at, &entry, sizeof entry);
    number = cachescape_complete_entry(&descriptors, sizeof entry);
  } else if (cs_session() != NULL) {
    if (!full) cs_say("the session has no room for more code: what is translated from now on is not observed", "");
    full = true;
    cachescape_add64(&cs_session()->unobserved, 1);
  }
  pthread_mutex_unlock(&lock);
  return number;
}

/* One slot for the address of one access. */
uint32_t cs_add_descriptor(uint64_t address, uint32_t mapping, unsigned kind, unsigned bytes) {
  return describe((struct description){{.address = address, .mapping = mapping, .slots = 1, .accesses = 1},
                                       {.size = (uint16_t)bytes, .flags = (uint8_t)kind}});
}

uint64_t cs_add_site(uint64_t address) {
  const uint32_t mapping = cs_mapping_of(address);
  return CACHESCAPE_CODE | describe((struct description){{.address = address, .mapping = mapping, .accesses = 1}, {0}});
}

uint64_t* cs_new_counter(uint64_t* at) {
  pthread_mutex_lock(&lock);
  struct cachescape_session* const s = counting ? cs_session() : NULL;
  *at = s == NULL ? 0 : cachescape_new_counter(s, &counters);
  pthread_mutex_unlock(&lock);
  return *at == 0 ? NULL : (uint64_t*)((char*)s + *at);
}

void cs_add_count(const struct cachescape_code_count* count) {
  pthread_mutex_lock(&lock);
  void* const at = cs_session() == NULL ? NULL : cachescape_next_entry(cs_session(), &counts, sizeof *count);
  if (at != NULL) {
    memcpy(at, count, sizeof *count);
    cachescape_complete_entry(&counts, sizeof *count);
  }
  pthread_mutex_unlock(&lock);
}

uint64_t cs_tag(const char* text) {
  uint64_t at = 0;
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < tags_count && at == 0; ++i)
    if (strcmp(tags[i].text, text) == 0) at = tags[i].at;
  if (at == 0 && tags_count < sizeof tags / sizeof *tags) {
    char* const copy = strdup(text);
    char* const kept = copy == NULL ? NULL : cachescape_arena(cs_session(), strlen(text) + 1, &at);
    if (kept == NULL) {
      free(copy);
    } else {
      strcpy(kept, text);
      tags[tags_count].text = copy;
      tags[tags_count++].at = at;
    }
  }
  pthread_mutex_unlock(&lock);
  return at;
}

/* Mappings that the session knows, at the guest's addresses. */
static struct known {
  uint64_t begin, end, file_offset;
  char* path;
  struct cs_allocator* allocators; /* that the file has */
  size_t allocators_count;
  bool stale; /* something may have taken its place since */
}* known;

static bool write_mapping(const struct known* k) {
  const uint64_t path_bytes = (strlen(k->path) + 1 + 7) & ~UINT64_C(7);
  struct cachescape_mapping* const entry = cachescape_next_entry(cs_session(), &mappings, sizeof *entry + path_bytes);
  if (entry == NULL) return false;
  entry->begin = k->begin;
  entry->end = k->end;
  entry->file_offset = k->file_offset;
  entry->path_bytes = (uint32_t)path_bytes;
  strcpy((char*)(entry + 1), k->path);
  cachescape_complete_entry(&mappings, sizeof *entry + path_bytes);
  return true;
}

/* In a session that follows another: mappings keep their numbers. */
static uint32_t known_count;
static bool tell_mappings_again(void) {
  for (uint32_t i = 0; i < known_count; ++i)
    if (!write_mapping(&known[i])) return false;
  return true;
}

void cs_mark_mappings(void) {
  for (uint32_t i = 0; i < known_count; ++i)
    if (!known[i].stale) cs_mark(CACHESCAPE_MAPPED, i, 0, 0, 1);
}

static bool is_known(const struct known* k, const struct cs_area* area) {
  return k->begin == area->begin - guest_base && k->end == area->end - guest_base &&
         k->file_offset == area->file_offset && strcmp(k->path, area->path) == 0;
}

static void find_allocators(struct known* k) {
  enum { most = 128 };
  struct cs_allocator found[most];
  struct stat about;
  const int file = open(k->path, O_RDONLY | O_CLOEXEC);
  if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0) {
    void* const text = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (text != MAP_FAILED) {
      const size_t count = cs_find_allocators(text, (size_t)about.st_size, found, most);
      munmap(text, (size_t)about.st_size);
      k->allocators = count == 0 ? NULL : malloc(count * sizeof *found);
      if (k->allocators != NULL) {
        memcpy(k->allocators, found, count * sizeof *found);
        k->allocators_count = count;
      }
    }
  }
  if (file >= 0) close(file);
}

/* Its number + 1, or 0. */
static uint32_t add_mapping(const struct cs_area* area) {
  if (known == NULL) known = calloc(most_mappings, sizeof *known);
  if (known == NULL || known_count == most_mappings) return 0;
  struct known* const k = &known[known_count];
  *k = (struct known){
      area->begin - guest_base, area->end - guest_base, area->file_offset, strdup(area->path), NULL, 0, false};
  if (k->path == NULL || !write_mapping(k)) {
    free(k->path);
    return 0;
  }
  if (machine->prepare_code != NULL) machine->prepare_code(area->begin, area->end);
  find_allocators(k);
  return ++known_count;
}

/* Where code lies that is from no file: programs that generate it do so again and again. */
static struct {
  uint64_t begin, end;
} nameless;

/* Sets `is_news` where the session was not told, or may have been told of something else in that place since. */
static uint32_t find_mapping(uint64_t address, bool* is_news) {
  *is_news = false;
  /* Newer ones first: what was unmapped may have been where another is now. */
  for (uint32_t i = known_count; i-- > 0;)
    if (address - known[i].begin < known[i].end - known[i].begin && !known[i].stale) return i + 1;
  if (address - nameless.begin < nameless.end - nameless.begin) return 0;
  static struct cs_area area; /* large, and there is a lock */
  if (!cs_area_around(address + guest_base, &area)) return 0;
  if (area.path[0] != '/') {
    nameless.begin = area.begin - guest_base;
    nameless.end = area.end - guest_base;
    return 0;
  }
  *is_news = true;
  for (uint32_t i = known_count; i-- > 0;) {
    if (!is_known(&known[i], &area)) continue;
    known[i].stale = false;
    return i + 1;
  }
  return add_mapping(&area);
}

uint32_t cs_mapping_of(uint64_t guest_address) {
  bool is_news = false;
  pthread_mutex_lock(&lock);
  const uint32_t number_plus_1 = cs_session() == NULL ? 0 : find_mapping(guest_address, &is_news);
  pthread_mutex_unlock(&lock);
  if (number_plus_1 != 0 && is_news) cs_mark(CACHESCAPE_MAPPED, number_plus_1 - 1, 0, 0, 1);
  return number_plus_1;
}

/* Known once QEMU has loaded it. */
static const char* program_path(void) {
  static char* path;
  if (path == NULL) path = realpath(qemu_plugin_path_to_binary(), NULL);
  return path == NULL ? "" : path;
}

int64_t cs_offset_in_program(uint64_t guest_address) {
  const uint32_t number_plus_1 = cs_mapping_of(guest_address);
  if (number_plus_1 == 0) return -1;
  pthread_mutex_lock(&lock);
  const struct known* const k = &known[number_plus_1 - 1];
  const int64_t offset =
      strcmp(k->path, program_path()) == 0 ? (int64_t)(guest_address - k->begin + k->file_offset) : (int64_t)-1;
  pthread_mutex_unlock(&lock);
  return offset;
}

enum cs_role cs_allocator_at(uint32_t mapping, uint64_t guest_address) {
  enum cs_role role = cs_nothing;
  if (mapping == 0) return role;
  pthread_mutex_lock(&lock);
  const struct known* const k = &known[mapping - 1];
  const uint64_t offset = guest_address - k->begin + k->file_offset;
  for (size_t i = 0; i < k->allocators_count; ++i)
    if (k->allocators[i].file_offset == offset) role = k->allocators[i].role;
  pthread_mutex_unlock(&lock);
  return role;
}

void cs_mapping_changed(uint64_t guest_address, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  for (uint32_t i = 0; i < known_count; ++i)
    if (guest_address < known[i].end && known[i].begin < guest_address + bytes) known[i].stale = true;
  if (guest_address < nameless.end && nameless.begin < guest_address + bytes) nameless.begin = nameless.end = 0;
  pthread_mutex_unlock(&lock);
}

/* A child must not find the lock taken by a thread that it has not. */
void cs_before_fork(void) { pthread_mutex_lock(&lock); }
void cs_after_fork(void) { pthread_mutex_unlock(&lock); }

void cs_guest_begins_at(uint64_t host_address) { guest_base = host_address; }
uint64_t cs_guest_base(void) { return guest_base; }
