/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Programs that the program becomes. QEMU hands execve() on to the system, which runs a program for this machine as it
 * is and does not know one for another. So programs for the emulated machine are started in QEMU from here, before QEMU
 * sees the call; observed where children are followed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"

enum { most_words = 65536, own_bytes = 16384 };

static size_t read_guest(uint64_t address, void* to, size_t bytes) {
  return cs_read_memory(address + cs_guest_base(), to, bytes);
}

/* Up to the end of a page at a time, since what lies behind may not be readable. Null where it is no path. */
static bool read_path(uint64_t address, char* path) {
  enum { page = 4096 };
  for (size_t have = 0; have < PATH_MAX;) {
    size_t some = page - (address + have) % page;
    if (some > PATH_MAX - have) some = PATH_MAX - have;
    const size_t got = read_guest(address + have, path + have, some);
    if (memchr(path + have, '\0', got) != NULL) return true;
    if (got < some) return false;
    have += got;
  }
  return false;
}

/* The program's own array of pointers, which the system will check, as one of this process's. */
static char** words_at(uint64_t address, size_t in_front, size_t* count) {
  char** words = NULL;
  *count = 0;
  for (size_t room = 0; *count < most_words; ++*count) {
    if (*count == room) {
      room = 2 * room + 64;
      char** const more = realloc(words, (in_front + room + 1) * sizeof *words);
      if (more == NULL) break;
      words = more;
    }
    uint64_t word = 0;
    if (address != 0 && read_guest(address + *count * sizeof word, &word, sizeof word) != sizeof word) break;
    words[in_front + *count] = word == 0 ? NULL : (char*)(uintptr_t)(word + cs_guest_base());
    if (word == 0) return words;
  }
  free(words);
  return NULL;
}

static bool is_for(const struct cs_machine* machine, const char* path) {
  Elf64_Ehdr head;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe that nobody writes to */
  const bool read_it = file >= 0 && read(file, &head, sizeof head) == (ssize_t)sizeof head;
  if (file >= 0) close(file);
  return read_it && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_machine == machine->elf_machine && access(path, X_OK) == 0;
}

/* What QEMU was asked, up to the plugin, which whoever starts QEMU puts last. Their number. */
static size_t own_options(char* text, char** words, size_t most) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? 0 : read(file, text, own_bytes - 1);
  if (file >= 0) close(file);
  text[bytes > 0 ? bytes : 0] = '\0';
  size_t count = 0;
  for (char* word = text; word < text + bytes && strcmp(word, "-plugin") != 0 && count < most; word += strlen(word) + 1)
    words[count++] = word;
  return count;
}

/* QEMU's options are separated by commas; two stand for one. */
static void append_option(char* to, size_t room, const char* name, const char* value) {
  strncat(to, name, room - strlen(to) - 1);
  for (; *value != '\0'; ++value) {
    const char text[] = {*value, *value == ',' ? ',' : '\0', '\0'};
    strncat(to, text, room - strlen(to) - 1);
  }
}

void cs_become(const struct cs_machine* machine, uint64_t path, uint64_t arguments, uint64_t environment,
               const char* collector) {
  enum { most_own = 32 };
  static const char* const itself = "/proc/self/exe";
  /* The system can do it, and faster. */
  if (machine->elf_machine == EM_X86_64 && collector == NULL) return;
  char program[PATH_MAX], qemu[PATH_MAX], own[own_bytes], plugin[2 * PATH_MAX] = "";
  if (!read_path(path, program)) return;
  const char* const running = qemu_plugin_path_to_binary();
  if (strcmp(program, itself) == 0 && running != NULL && strlen(running) < sizeof program) strcpy(program, running);
  const ssize_t length = readlink(itself, qemu, sizeof qemu - 1);
  if (length <= 0 || !is_for(machine, program)) return;
  qemu[length] = '\0';
  size_t count = 0, variables = 0;
  char** const words = words_at(arguments, most_own, &count);
  char** const their_environment = words_at(environment, 0, &variables);
  Dl_info about;
  if (words != NULL && their_environment != NULL && dladdr((void*)cs_become, &about) != 0) {
    char* options[most_own];
    size_t n = own_options(own, options, most_own - 6);
    if (n == 0) options[n++] = qemu;
    /* Where nobody is followed, too: for the programs that this one becomes. */
    append_option(plugin, sizeof plugin, "", about.dli_fname);
    if (collector != NULL) append_option(plugin, sizeof plugin, ",collector=", collector);
    options[n++] = "-plugin";
    options[n++] = plugin;
    options[n++] = "-0";
    options[n++] = count > 0 ? words[most_own] : program;
    options[n++] = program;
    /* In front of the program's arguments, the first of which is its name. */
    char** const all = words + most_own + (count > 0 ? 1 : 0) - n;
    memcpy(all, options, n * sizeof *options);
    execve(qemu, all, their_environment);
  }
  free(words);
  free(their_environment);
}
