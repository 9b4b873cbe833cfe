/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A feature of aarch64 that programs are told to do without: zeroing a whole block by one instruction (DC ZVA), of
 * which QEMU tells nothing. A program has to ask for the size of the blocks first (MRS of DCZID_EL0), and the answer
 * may be that it is prohibited: that is what the question is replaced by, in the code that was mapped and not in its
 * file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"

enum { chunk = 1 << 16 };

static const uint32_t question = 0xd53b00e0;   /* mrs xT, dczid_el0 */
static const uint32_t prohibited = 0xd2800200; /* mov xT, #16 */
static const uint32_t target = 0x1f;           /* T */

void cs_hide_features(uint64_t host_begin, uint64_t host_end) {
  /* Through the kernel: what is mapped may be read-only, and longer than its file. */
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  uint32_t* const code = malloc(chunk);
  for (uint64_t at = host_begin; memory >= 0 && code != NULL && at < host_end; at += chunk) {
    const ssize_t bytes = pread(memory, code, at + chunk <= host_end ? chunk : host_end - at, (off_t)at);
    for (ssize_t i = 0; i < bytes / 4; ++i) {
      if ((code[i] & ~target) != question) continue;
      const uint32_t answer = prohibited | (code[i] & target);
      if (pwrite(memory, &answer, sizeof answer, (off_t)at + 4 * i) < 0) break; /* then its use is counted as lost */
    }
  }
  free(code);
  if (memory >= 0) close(memory);
}
