/* Stacks of calls, found by frame pointers and kept once in the session.
 *
 * No word that is read is believed: a frame is followed only upwards and within the thread's own stack, which is mapped
 * from here to its end, and a return address counts only where a loaded file has code. Code that keeps no frame
 * pointers makes a stack shorter or wrong, never a crash. */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "observe/compiled/runtime/runtime.h"

enum { most_files = 512, most_walked = 256, table_slots = 2 * CACHESCAPE_MAX_STACKS };

/* Changed by one thread at a time, under the modules' lock; a file is complete before it is counted. */
static struct {
  uint64_t begin, end; /* of its code */
  uint64_t bias;
} files[most_files];
static uint32_t file_count;
static const struct cachescape_session* files_of; /* a child that is followed has another session */

/* Offsets of stacks in the session, by the hash of their frames. */
static uint64_t slots[table_slots];

struct file_notes {
  uint64_t begin, end, code_begin, code_end;
  const unsigned char* build_id;
  uint32_t build_id_bytes;
};

static void read_notes(const ElfW(Phdr) * p, uint64_t bias, struct file_notes* to) {
  const unsigned char* at = (const unsigned char*)(uintptr_t)(bias + p->p_vaddr);
  for (uint64_t left = p->p_memsz; left >= sizeof(ElfW(Nhdr));) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    const uint64_t name = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
    const uint64_t bytes = sizeof note + name + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
    if (bytes > left) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= CACHESCAPE_MAX_BUILD_ID &&
        memcmp(at + sizeof note, "GNU", 4) == 0) {
      to->build_id = at + sizeof note + name;
      to->build_id_bytes = note.n_descsz;
      return;
    }
    at += bytes;
    left -= bytes;
  }
}

static void tell_file(const struct dl_phdr_info* info, const struct file_notes* notes) {
  struct cachescape_session* const s = cachescape_session;
  char own[CACHESCAPE_MAX_PATH];
  const char* path = info->dlpi_name == NULL ? "" : info->dlpi_name;
  size_t path_bytes = strlen(path);
  if (path_bytes == 0) {
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own);
    path = own;
    path_bytes = n > 0 ? (size_t)n : 0;
  }
  if (path_bytes > CACHESCAPE_MAX_PATH) return;
  uint64_t at;
  struct cachescape_loaded* const to = cachescape_arena(sizeof *to + path_bytes + notes->build_id_bytes, &at);
  if (to == NULL) return;
  to->begin = notes->begin;
  to->end = notes->end;
  to->bias = info->dlpi_addr;
  to->path_bytes = (uint32_t)path_bytes;
  to->build_id_bytes = notes->build_id_bytes;
  memcpy(to + 1, path, path_bytes);
  if (notes->build_id_bytes != 0) memcpy((char*)(to + 1) + path_bytes, notes->build_id, notes->build_id_bytes);
  to->next_at = cachescape_load64(&s->loaded_at);
  cachescape_store64(&s->loaded_at, at);
}

static int note_file(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  if (file_count == most_files) return 1;
  struct file_notes notes = {UINT64_MAX, 0, UINT64_MAX, 0, NULL, 0};
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const p = &info->dlpi_phdr[i];
    const uint64_t begin = info->dlpi_addr + p->p_vaddr, end = begin + p->p_memsz;
    if (p->p_type == PT_NOTE && notes.build_id == NULL) read_notes(p, info->dlpi_addr, &notes);
    if (p->p_type != PT_LOAD) continue;
    if (begin < notes.begin) notes.begin = begin;
    if (end > notes.end) notes.end = end;
    if ((p->p_flags & PF_X) == 0) continue;
    if (begin < notes.code_begin) notes.code_begin = begin;
    if (end > notes.code_end) notes.code_end = end;
  }
  if (notes.code_begin >= notes.code_end) return 0;
  for (uint32_t i = 0; i < file_count; ++i)
    if (files[i].begin == notes.code_begin && files[i].end == notes.code_end && files[i].bias == info->dlpi_addr)
      return 0;
  tell_file(info, &notes);
  files[file_count].begin = notes.code_begin;
  files[file_count].end = notes.code_end;
  files[file_count].bias = info->dlpi_addr;
  cachescape_store32(&file_count, file_count + 1);
  return 0;
}

void cachescape_note_files(void) {
  if (cachescape_session == NULL) return;
  if (files_of != cachescape_session) {
    cachescape_store32(&file_count, 0);
    memset(slots, 0, sizeof slots);
    files_of = cachescape_session;
  }
  dl_iterate_phdr(note_file, NULL);
}

static int is_code(uint64_t address) {
  const uint32_t count = cachescape_load32(&file_count);
  for (uint32_t i = 0; i < count; ++i)
    if (address - files[i].begin < files[i].end - files[i].begin) return 1;
  return 0;
}

static void walk(const void* from, struct cachescape_stack* to) {
  const uint64_t high = cachescape_stack_high;
  uint64_t frame = (uint64_t)(uintptr_t)from;
  to->frames = 0;
  if (frame < cachescape_stack_low || high < 16 || frame > high - 16 || frame % 8 != 0) return;
  /* The first return address lies in the function whose site is known. One that has occurred is passed over: recursion
   * would make a stack of its own for each depth and fill the table. */
  for (unsigned walked = 0; walked < most_walked && to->frames < CACHESCAPE_STACK_FRAMES; ++walked) {
    const uint64_t above = *(const uint64_t*)(uintptr_t)frame;
    if (above <= frame || above > high - 16 || above % 8 != 0) return;
    frame = above;
    const uint64_t address = ((const uint64_t*)(uintptr_t)frame)[1];
    if (!is_code(address)) return;
    uint64_t before = 0;
    while (before < to->frames && to->frame[before] != address) ++before;
    to->frame[before] = address;
    if (before == to->frames) ++to->frames;
  }
}

static uint64_t kept(const struct cachescape_stack* stack) {
  struct cachescape_session* const s = cachescape_session;
  if (s == NULL) return 0;
  const uint64_t bytes = sizeof stack->frames + stack->frames * sizeof *stack->frame;
  uint64_t hash = 0;
  for (uint64_t i = 0; i < stack->frames; ++i) hash = (hash ^ stack->frame[i]) * UINT64_C(0x9e3779b97f4a7c15);
  uint64_t own = 0;
  for (uint64_t slot = hash >> 40;; ++slot) {
    uint64_t at = cachescape_load64(&slots[slot % table_slots]);
    if (at == 0) {
      if (own == 0) {
        /* A place in the table may be lost to another thread that keeps the same stack at the same time. */
        if (cachescape_load32(&s->stacks_used) >= CACHESCAPE_MAX_STACKS ||
            cachescape_add32(&s->stacks_used, 1) >= CACHESCAPE_MAX_STACKS)
          return CACHESCAPE_OTHER_STACK;
        void* const copy = cachescape_arena(sizeof *stack, &own);
        if (copy == NULL) return CACHESCAPE_OTHER_STACK;
        memcpy(copy, stack, bytes);
      }
      if (__atomic_compare_exchange_n(&slots[slot % table_slots], &at, own, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return own;
    }
    if (memcmp((const char*)s + at, stack, bytes) == 0) return at;
  }
}

uint64_t cachescape_stack_from(const void* frame) {
  struct cachescape_stack stack;
  walk(frame, &stack);
  return stack.frames == 0 ? 0 : kept(&stack);
}
