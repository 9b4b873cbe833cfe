/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machines that are emulated: instructions whose accesses QEMU tells in another way than they are made, and system
 * calls. What is not recognised here is taken as QEMU tells it. */
#include <elf.h>
#include <string.h>

#include "observe/emulated/qemu/observer.h"

static uint32_t word_of(const uint8_t* code, size_t bytes) {
  uint32_t word = 0;
  memcpy(&word, code, bytes < sizeof word ? bytes : sizeof word);
  return word;
}

static bool is_sve(uint32_t word) { return (word & 0x9e000000) == 0x84000000; }

/* Pairs, structures of vectors and whole vectors. */
static bool aarch64_comes_in_pieces(const uint8_t* code, size_t bytes) {
  const uint32_t word = word_of(code, bytes);
  if ((word & 0x0a000000) != 0x08000000) return false; /* neither loads nor stores */
  const uint32_t group = word & 0x3b000000;
  const bool vector = (word & 0x04000000) != 0;
  if (group == 0x38000000 || group == 0x39000000)                    /* one register */
    return vector && (word & 0xc0800000) == 0x00800000;              /* of 16 bytes */
  if (group == 0x18000000) return (word & 0xc4000000) == 0x84000000; /* near the instruction */
  return true;
}

/* DC ZVA, DC GZVA and what SVE loads and stores. */
static bool aarch64_is_not_told(const uint8_t* code, size_t bytes) {
  const uint32_t word = word_of(code, bytes);
  return (word & 0xffffffe0) == 0xd50b7420 || (word & 0xffffffe0) == 0xd50b7480 || is_sve(word);
}

/* STXR and its kin, pairs included. */
static bool aarch64_stores_conditionally(const uint8_t* code, size_t bytes) {
  const uint32_t word = word_of(code, bytes);
  return (word & 0x3fe00000) == 0x08000000 || (word & 0xbfe00000) == 0x88200000;
}

/* movz xzr, #constant */
static int aarch64_constant_for_nobody(const uint8_t* code, size_t bytes) {
  const uint32_t word = word_of(code, bytes);
  return (word & 0xffe0001f) == 0xd280001f ? (int)(word >> 5 & 0xffff) : -1;
}

/* slti zero, zero, constant: of those without effect that are for anybody's use. */
static int riscv64_constant_for_nobody(const uint8_t* code, size_t bytes) {
  const uint32_t word = word_of(code, bytes);
  return bytes == 4 && (word & 0xfffff) == 0x2013 ? (int)(word >> 20) : -1;
}

/* Loads and stores of the vector extension lie among those of floating-point numbers, at widths that these have not. */
static bool riscv64_comes_in_pieces(const uint8_t* code, size_t bytes) {
  const uint32_t word = word_of(code, bytes);
  const uint32_t opcode = word & 0x7f;
  const uint32_t width = word >> 12 & 7;
  return bytes == 4 && (opcode == 0x07 || opcode == 0x27) && (width == 0 || width >= 5);
}

static bool riscv64_stores_conditionally(const uint8_t* code, size_t bytes) {
  const uint32_t word = word_of(code, bytes);
  return bytes == 4 && (word & 0x7f) == 0x2f && word >> 27 == 3;
}

static bool is_prefix(uint8_t byte) {
  static const uint8_t legacy[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0xf0};
  return (byte & 0xf0) == 0x40 || memchr(legacy, byte, sizeof legacy) != NULL;
}

/* Of those that begin with 0f: what has general registers only and one operand in memory. */
static bool is_scalar(uint8_t second) {
  const uint8_t row = second >> 4;
  if (row == 0x4 || row == 0x8 || row == 0x9 || row == 0xb) return true; /* cmov, jcc, setcc, cmpxchg … movsx */
  if (row == 0xa) return second != 0xae;                                 /* bt, shld, imul; not fxsave */
  return second == 0x05 || second == 0x1e || second == 0x1f || second == 0xc0 || second == 0xc1 || second == 0xc3 ||
         (second >= 0xc8 && second <= 0xcf);
}

/* Vectors, x87 numbers of 80 bits, and what saves the state of the processor. */
static bool x86_64_comes_in_pieces(const uint8_t* code, size_t bytes) {
  size_t at = 0;
  while (at < bytes && is_prefix(code[at])) ++at;
  if (at >= bytes) return false;
  const uint8_t first = code[at];
  if (first == 0xc4 || first == 0xc5 || first == 0x62) return true; /* VEX, EVEX */
  if (first >= 0xd8 && first <= 0xdf) return true;
  return first == 0x0f && at + 1 < bytes && !is_scalar(code[at + 1]);
}

static bool never(const uint8_t* code, size_t bytes) {
  (void)code, (void)bytes;
  return false;
}

static int none(const uint8_t* code, size_t bytes) {
  (void)code, (void)bytes;
  return -1;
}

const struct cs_machine* cs_machine_of(const char* name) {
  /* As QEMU numbers them: rax is 0, rcx 1, rdx 2, rsp 4, rsi 6, rdi 7. */
  static const struct cs_machine machines[] = {
      {"aarch64",
       EM_AARCH64,
       aarch64_comes_in_pieces,
       aarch64_stores_conditionally,
       aarch64_is_not_told,
       cs_hide_features,
       aarch64_constant_for_nobody,
       222,
       215,
       221,
       {64, 31, 30, {0, 1, 2}, 0, 8, {0, 1, 2, 3, 4, 5}}},
      {"riscv64",
       EM_RISCV,
       riscv64_comes_in_pieces,
       riscv64_stores_conditionally,
       never,
       NULL,
       riscv64_constant_for_nobody,
       222,
       215,
       221,
       {0, 2, 1, {10, 11, 12}, 10, 17, {10, 11, 12, 13, 14, 15}}},
      {"x86_64",
       EM_X86_64,
       x86_64_comes_in_pieces,
       never,
       never,
       cs_split_requests,
       none,
       9,
       11,
       59,
       {0, 4, cs_on_stack, {7, 6, 2}, 0, 0, {7, 6, 2, 10, 8, 9}}},
  };
  for (size_t i = 0; i < sizeof machines / sizeof *machines; ++i)
    if (strcmp(machines[i].name, name) == 0) return &machines[i];
  return NULL;
}

bool cs_agree(const struct cs_registers* of, const uint64_t* values, uint64_t number, const uint64_t* arguments) {
  bool same = values[of->call_number] == number;
  for (unsigned i = 0; i < cs_call_arguments; ++i) same = same && values[of->call_argument[i]] == arguments[i];
  return same;
}
