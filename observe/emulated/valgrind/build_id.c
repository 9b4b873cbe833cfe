/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The build-id of a file when it is mapped: what lies at its path when the program has ended may be another. */
#include <elf.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include "observe/emulated/valgrind/tool.h"

enum { most_headers = 64, most_note_bytes = 4096 };

static Bool read_at(Int file, ULong at, void* to, Int bytes) {
  return VG_(lseek)(file, (OffT)at, VKI_SEEK_SET) == (OffT)at && VG_(read)(file, to, bytes) == bytes;
}

static ULong padded(ULong bytes) { return (bytes + 3) & ~3ULL; }

static UInt id_among_notes(const UChar* notes, ULong bytes, UChar* to, UInt room) {
  while (bytes >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    VG_(memcpy)(&note, notes, sizeof note);
    const ULong name_at = sizeof note;
    const ULong id_at = name_at + padded(note.n_namesz);
    const ULong end = id_at + padded(note.n_descsz);
    if (end > bytes) return 0;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && VG_(memcmp)(notes + name_at, "GNU", 4) == 0) {
      if (note.n_descsz > room) return 0;
      VG_(memcpy)(to, notes + id_at, note.n_descsz);
      return note.n_descsz;
    }
    notes += end;
    bytes -= end;
  }
  return 0;
}

static UInt id_of(Int file, UChar* to, UInt room) {
  static UChar notes[most_note_bytes];
  Elf64_Ehdr elf;
  if (!read_at(file, 0, &elf, sizeof elf) || VG_(memcmp)(elf.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(Elf64_Phdr)) return 0;
  for (UInt i = 0; i < elf.e_phnum && i < most_headers; ++i) {
    Elf64_Phdr part;
    if (!read_at(file, elf.e_phoff + i * sizeof part, &part, sizeof part)) return 0;
    if (part.p_type != PT_NOTE || part.p_filesz > sizeof notes) continue;
    if (!read_at(file, part.p_offset, notes, (Int)part.p_filesz)) return 0;
    const UInt bytes = id_among_notes(notes, part.p_filesz, to, room);
    if (bytes != 0) return bytes;
  }
  return 0;
}

UInt cs_build_id(const HChar* path, UChar* to, UInt room) {
  const SysRes file = VG_(open)(path, VKI_O_RDONLY, 0);
  if (sr_isError(file)) return 0;
  const UInt bytes = id_of((Int)sr_Res(file), to, room);
  VG_(close)((Int)sr_Res(file));
  return bytes;
}
