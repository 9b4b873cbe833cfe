/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What lies around an address of this process, as the kernel lists it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"

/* begin-end rwxp offset device inode path */
static bool read_line(const char* line, struct cs_area* area) {
  char* at;
  area->begin = strtoull(line, &at, 16);
  if (*at != '-') return false;
  area->end = strtoull(at + 1, &at, 16);
  if (*at != ' ') return false;
  at = strchr(at + 1, ' ');
  if (at == NULL) return false;
  area->file_offset = strtoull(at + 1, &at, 16);
  for (int word = 0; word < 2; ++word) {
    while (*at == ' ') ++at;
    while (*at != '\0' && *at != ' ') ++at;
  }
  while (*at == ' ') ++at;
  strncpy(area->path, at, sizeof area->path - 1);
  area->path[sizeof area->path - 1] = '\0';
  return true;
}

bool cs_area_around(uint64_t host_address, struct cs_area* area) {
  enum { most = 8192 };
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char* const text = malloc(most);
  size_t have = 0;
  bool found = false;
  while (file >= 0 && text != NULL && !found) {
    const ssize_t more = read(file, text + have, most - 1 - have);
    if (more <= 0) break;
    have += (size_t)more;
    text[have] = '\0';
    char* line = text;
    for (char* end; !found && (end = strchr(line, '\n')) != NULL; line = end + 1) {
      *end = '\0';
      found = read_line(line, area) && host_address >= area->begin && host_address < area->end;
    }
    have -= (size_t)(line - text);
    memmove(text, line, have);
  }
  free(text);
  if (file >= 0) close(file);
  return found;
}
