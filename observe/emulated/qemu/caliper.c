/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What <cachescape/mark.h> asks. On aarch64 and riscv64, two instructions without effect, whose constants say what, and
 * a store of the tag's address: where it stores to is told, and the address can be read there. On x86-64, requests
 * as Valgrind has them, in registers. */
#include <string.h>

#include "observe/emulated/qemu/observer.h"
#include "session/request.h"

enum {
  on = CACHESCAPE_REQUEST_ON & CACHESCAPE_REQUEST_NUMBER,
  off = CACHESCAPE_REQUEST_OFF & CACHESCAPE_REQUEST_NUMBER,
  begin = CACHESCAPE_REQUEST_BEGIN & CACHESCAPE_REQUEST_NUMBER,
  end = CACHESCAPE_REQUEST_END & CACHESCAPE_REQUEST_NUMBER
};

/* The program's text, which may end where its memory does. */
static void read_text(uint64_t guest_address, char* text, size_t room) {
  enum { page = 4096 };
  size_t have = 0;
  while (have + 1 < room) {
    const uint64_t from = cs_guest_base() + guest_address + have;
    const size_t to_page_end = page - from % page;
    const size_t bytes =
        cs_read_memory(from, text + have, to_page_end < room - 1 - have ? to_page_end : room - 1 - have);
    if (bytes == 0) break;
    have += bytes;
    if (memchr(text + have - bytes, 0, bytes) != NULL) return;
  }
  text[have] = '\0';
}

static void mark(uint64_t what, uint64_t text_at) {
  if (what == on || what == off) {
    cs_mark(what == on ? CACHESCAPE_SWITCH_ON : CACHESCAPE_SWITCH_OFF, 0, 0, 0, 0);
    return;
  }
  char text[256];
  read_text(text_at, text, sizeof text);
  const uint64_t tag = cs_tag(text);
  if (tag != 0) cs_mark(what == begin ? CACHESCAPE_REGION_BEGIN : CACHESCAPE_REGION_END, tag, 0, 0, 1);
}

/* After the store. */
static void stored(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* data) {
  (void)vcpu, (void)info;
  if (cs_session() == NULL) return;
  uint64_t text_at;
  memcpy(&text_at, (const void*)(uintptr_t)(cs_guest_base() + address), sizeof text_at);
  mark((uintptr_t)data, text_at);
}

bool cs_instrument_caliper(const struct cs_machine* machine, struct qemu_plugin_insn* instruction) {
  /* What the next one is part of; a block may end in between, and translation has a lock. */
  static struct {
    uint64_t address;
    unsigned asks; /* 0: that is what it says */
  } next;
  const uint64_t address = qemu_plugin_insn_vaddr(instruction);
  const size_t bytes = qemu_plugin_insn_size(instruction);
  const int constant = machine->constant_for_nobody(qemu_plugin_insn_data(instruction), bytes);
  const bool goes_on = next.address != 0 && address == next.address;
  const unsigned asks = goes_on ? next.asks : 0;
  next.address = 0;
  if (asks != 0) {
    qemu_plugin_register_vcpu_mem_cb(instruction, stored, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     (void*)(uintptr_t)asks);
    return true;
  }
  if (constant == CACHESCAPE_REQUEST_FOLLOWS || (goes_on && constant >= on && constant <= end)) {
    next.address = address + bytes;
    next.asks = constant == CACHESCAPE_REQUEST_FOLLOWS ? 0 : (unsigned)constant;
  }
  return false;
}

/* Words at rax, the first of which says what; the tag is at rdx. */
static void requested(const void* state, const struct cs_watch* watch) {
  (void)watch;
  enum { rax = 0, rdx = 2 };
  uint64_t number;
  if (cs_session() == NULL || !cs_registers_are_known()) return;
  if (cs_read_memory(cs_register(state, rax) + cs_guest_base(), &number, sizeof number) != sizeof number) return;
  if (number < CACHESCAPE_REQUEST_ON || number > CACHESCAPE_REQUEST_END) return; /* for somebody else */
  mark(number & CACHESCAPE_REQUEST_NUMBER, cs_register(state, rdx));
}

void cs_instrument_request(struct qemu_plugin_tb* block) {
  static const struct cs_watch request = {requested};
  const struct qemu_plugin_insn* const first = qemu_plugin_tb_get_insn(block, 0);
  if (cs_is_request(qemu_plugin_insn_data(first), qemu_plugin_insn_size(first),
                    (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first)))
    cs_watch_block(block, &request);
}
