/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind's way to be asked something (x86-64): four rotations that together leave rdi as it was, and an exchange of
 * rbx with itself. What is asked lies in registers, which are known only where a translated block begins. So the last
 * rotation becomes a jump to the exchange, and the first one makes up for it: in the code that was mapped and not in
 * its file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"

enum { chunk = 1 << 16, whole = 19, before_exchange = 16 };

static const uint8_t asked[whole] = {0x48, 0xc1, 0xc7, 3,    0x48, 0xc1, 0xc7, 13,   0x48, 0xc1,
                                     0xc7, 61,   0x48, 0xc1, 0xc7, 51,   0x48, 0x87, 0xdb};
/* rol $54, %rdi … ds ds jmp 0: as many bytes and instructions. */
static const uint8_t split[whole] = {0x48, 0xc1, 0xc7, 54,   0x48, 0xc1, 0xc7, 13,   0x48, 0xc1,
                                     0xc7, 61,   0x3e, 0x3e, 0xeb, 0,    0x48, 0x87, 0xdb};

void cs_split_requests(uint64_t host_begin, uint64_t host_end) {
  /* Through the kernel: what is mapped may be read-only, and longer than its file. */
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  uint8_t* const code = malloc(chunk);
  for (uint64_t at = host_begin; memory >= 0 && code != NULL && at < host_end; at += chunk - whole + 1) {
    const ssize_t bytes = pread(memory, code, at + chunk <= host_end ? chunk : host_end - at, (off_t)at);
    const uint8_t* const end = code + (bytes > 0 ? bytes : 0);
    for (const uint8_t* one = code; (one = memmem(one, (size_t)(end - one), asked, whole)) != NULL; one += whole)
      if (pwrite(memory, split, whole, (off_t)at + (one - code)) < 0) break; /* then it is not seen */
  }
  free(code);
  if (memory >= 0) close(memory);
}

bool cs_is_request(const uint8_t* code, size_t bytes, uint64_t host_address) {
  uint8_t before[before_exchange];
  return bytes == whole - before_exchange && memcmp(code, split + before_exchange, bytes) == 0 &&
         cs_read_memory(host_address - sizeof before, before, sizeof before) == sizeof before &&
         memcmp(before, split, sizeof before) == 0;
}
