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

enum { most_files = 512, text_room = 65536, most_walked = 256, table_slots = 2 * CACHESCAPE_MAX_STACKS };

/* Changed by one thread at a time, under the modules' lock; a file is complete before it is counted. What a followed
 * child has to tell again is kept here, because after a fork the dynamic linker's lock may never be free. */
static struct {
  uint64_t code_begin, code_end;
  uint64_t begin, end, bias;
  uint32_t text, path_bytes, build_id_bytes; /* the path and the build-id, in `texts` */
} files[most_files];
static uint32_t file_count;
static char texts[text_room];
static uint32_t texts_used;

/* Offsets of stacks in the session, by the hash of their frames. */
static uint64_t slots[table_slots];

struct file_notes {
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

static void tell_file(uint32_t number) {
  struct cachescape_session* const s = cachescape_session;
  const uint32_t bytes = files[number].path_bytes + files[number].build_id_bytes;
  uint64_t at;
  struct cachescape_loaded* const to = cachescape_arena(sizeof *to + bytes, &at);
  if (to == NULL) return;
  to->begin = files[number].begin;
  to->end = files[number].end;
  to->bias = files[number].bias;
  to->path_bytes = files[number].path_bytes;
  to->build_id_bytes = files[number].build_id_bytes;
  memcpy(to + 1, texts + files[number].text, bytes);
  to->next_at = cachescape_load64(&s->loaded_at);
  cachescape_store64(&s->loaded_at, at);
}

static int note_file(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  if (file_count == most_files) return 1;
  uint64_t begin = UINT64_MAX, end = 0, code_begin = UINT64_MAX, code_end = 0;
  struct file_notes notes = {NULL, 0};
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const p = &info->dlpi_phdr[i];
    const uint64_t from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
    if (p->p_type == PT_NOTE && notes.build_id == NULL) read_notes(p, info->dlpi_addr, &notes);
    if (p->p_type != PT_LOAD) continue;
    if (from < begin) begin = from;
    if (to > end) end = to;
    if ((p->p_flags & PF_X) == 0) continue;
    if (from < code_begin) code_begin = from;
    if (to > code_end) code_end = to;
  }
  if (code_begin >= code_end) return 0;
  for (uint32_t i = 0; i < file_count; ++i)
    if (files[i].code_begin == code_begin && files[i].code_end == code_end && files[i].bias == info->dlpi_addr)
      return 0;

  char own[CACHESCAPE_MAX_PATH];
  const char* path = info->dlpi_name == NULL ? "" : info->dlpi_name;
  size_t path_bytes = strlen(path);
  if (path_bytes == 0) {
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own);
    path = own;
    path_bytes = n > 0 ? (size_t)n : 0;
  }
  if (path_bytes > CACHESCAPE_MAX_PATH || path_bytes + notes.build_id_bytes > text_room - texts_used) return 0;
  const uint32_t number = file_count;
  files[number].code_begin = code_begin;
  files[number].code_end = code_end;
  files[number].begin = begin;
  files[number].end = end;
  files[number].bias = info->dlpi_addr;
  files[number].text = texts_used;
  files[number].path_bytes = (uint32_t)path_bytes;
  files[number].build_id_bytes = notes.build_id_bytes;
  memcpy(texts + texts_used, path, path_bytes);
  if (notes.build_id_bytes != 0) memcpy(texts + texts_used + path_bytes, notes.build_id, notes.build_id_bytes);
  texts_used += (uint32_t)path_bytes + notes.build_id_bytes;
  tell_file(number);
  cachescape_store32(&file_count, number + 1);
  return 0;
}

void cachescape_note_files(void) {
  if (cachescape_session != NULL) dl_iterate_phdr(note_file, NULL);
}

void cachescape_tell_files_again(void) {
  memset(slots, 0, sizeof slots);
  if (cachescape_session == NULL) return;
  for (uint32_t i = 0; i < file_count; ++i) tell_file(i);
}

static int is_code(uint64_t address) {
  const uint32_t count = cachescape_load32(&file_count);
  for (uint32_t i = 0; i < count; ++i)
    if (address - files[i].code_begin < files[i].code_end - files[i].code_begin) return 1;
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
