/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where in a file the allocators begin that it has: by its symbols, those for the dynamic linker included. */
#include <elf.h>
#include <string.h>

#include "observe/emulated/qemu/observer.h"

struct file {
  const uint8_t* at;
  size_t bytes;
  Elf64_Ehdr head;
};

static bool read_at(const struct file* f, uint64_t offset, void* to, size_t bytes) {
  if (offset > f->bytes || bytes > f->bytes - offset) return false;
  memcpy(to, f->at + offset, bytes);
  return true;
}

static bool read_section(const struct file* f, uint64_t number, Elf64_Shdr* section) {
  return number < f->head.e_shnum && f->head.e_shoff <= f->bytes &&
         read_at(f, f->head.e_shoff + number * sizeof *section, section, sizeof *section);
}

/* The file's byte that the program has at an address. */
static bool offset_of(const struct file* f, uint64_t address, uint64_t* offset) {
  Elf64_Phdr part;
  for (unsigned i = 0; i < f->head.e_phnum && f->head.e_phoff <= f->bytes; ++i) {
    if (!read_at(f, f->head.e_phoff + i * sizeof part, &part, sizeof part)) return false;
    if (part.p_type != PT_LOAD || address < part.p_vaddr || address - part.p_vaddr >= part.p_filesz) continue;
    *offset = address - part.p_vaddr + part.p_offset;
    return true;
  }
  return false;
}

static size_t add(struct cs_allocator* found, size_t count, size_t room, struct cs_allocator one) {
  for (size_t i = 0; i < count; ++i)
    if (found[i].file_offset == one.file_offset) return count; /* another name for it */
  if (count < room) found[count++] = one;
  return count;
}

static size_t look_through(const struct file* f, const Elf64_Shdr* symbols, struct cs_allocator* found, size_t count,
                           size_t room) {
  Elf64_Shdr names;
  if (!read_section(f, symbols->sh_link, &names) || names.sh_offset > f->bytes) return count;
  const uint64_t names_bytes = names.sh_size < f->bytes - names.sh_offset ? names.sh_size : f->bytes - names.sh_offset;
  Elf64_Sym symbol;
  for (uint64_t at = 0; at < symbols->sh_size && symbols->sh_offset <= f->bytes; at += sizeof symbol) {
    if (!read_at(f, symbols->sh_offset + at, &symbol, sizeof symbol)) break;
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names_bytes)
      continue;
    const char* const name = (const char*)f->at + names.sh_offset + symbol.st_name;
    struct cs_allocator one = {0, cs_role_of(name, names_bytes - symbol.st_name)};
    if (one.role != cs_nothing && offset_of(f, symbol.st_value, &one.file_offset)) count = add(found, count, room, one);
  }
  return count;
}

size_t cs_find_allocators(const uint8_t* file, size_t bytes, struct cs_allocator* found, size_t room) {
  struct file f = {.at = file, .bytes = bytes};
  if (!read_at(&f, 0, &f.head, sizeof f.head) || memcmp(f.head.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  if (f.head.e_ident[EI_CLASS] != ELFCLASS64 || f.head.e_ident[EI_DATA] != ELFDATA2LSB) return 0;
  size_t count = 0;
  Elf64_Shdr section;
  bool all = false, dynamic = false; /* a file has one of each at most */
  for (unsigned i = 0; read_section(&f, i, &section) && !(all && dynamic); ++i) {
    bool* const kind = section.sh_type == SHT_SYMTAB ? &all : section.sh_type == SHT_DYNSYM ? &dynamic : NULL;
    if (kind == NULL || *kind) continue;
    *kind = true;
    count = look_through(&f, &section, found, count, room);
  }
  return count;
}
