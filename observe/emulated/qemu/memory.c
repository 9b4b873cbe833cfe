/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory that may not be there: the system looks, and we are told. */
#define _GNU_SOURCE
#include <sys/uio.h>
#include <unistd.h>

#include "observe/emulated/qemu/observer.h"

size_t cs_read_memory(uint64_t host_address, void* to, size_t bytes) {
  const struct iovec here = {to, bytes};
  const struct iovec there = {(void*)(uintptr_t)host_address, bytes};
  const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return got < 0 ? 0 : (size_t)got;
}
