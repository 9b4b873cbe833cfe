// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include "observe/emulated/qemu/observer.h"
}

namespace {

using Code = std::vector<std::uint8_t>;

Code word(std::uint32_t value) {
  return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
          static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
}

struct Case {
  const char* text;
  Code code;
  bool pieces = false;
  bool conditional = false;
  bool not_told = false;
};

void expect(const char* machine_name, const std::vector<Case>& cases) {
  const cs_machine* const machine = cs_machine_of(machine_name);
  ASSERT_NE(machine, nullptr);
  for (const Case& c : cases) {
    EXPECT_EQ(machine->comes_in_pieces(c.code.data(), c.code.size()), c.pieces) << c.text;
    EXPECT_EQ(machine->stores_conditionally(c.code.data(), c.code.size()), c.conditional) << c.text;
    EXPECT_EQ(machine->is_not_told(c.code.data(), c.code.size()), c.not_told) << c.text;
  }
}

TEST(QemuMachine, ConstantsForNobodyAreCalipers) {
  const auto constant = [](const char* machine, const Code& code) {
    return cs_machine_of(machine)->constant_for_nobody(code.data(), code.size());
  };
  EXPECT_EQ(constant("aarch64", word(0xd28086bf)), 0x435);  // movz xzr, #0x435
  EXPECT_EQ(constant("aarch64", word(0xd280007f)), 3);
  EXPECT_EQ(constant("aarch64", word(0xd28086a0)), -1);     // movz x0, #0x435
  EXPECT_EQ(constant("aarch64", word(0xd2a086bf)), -1);     // movz xzr, #0x435, lsl #16
  EXPECT_EQ(constant("aarch64", word(0x528086bf)), -1);     // movz wzr, #0x435
  EXPECT_EQ(constant("riscv64", word(0x43502013)), 0x435);  // slti zero, zero, 0x435
  EXPECT_EQ(constant("riscv64", word(0x00402013)), 4);
  EXPECT_EQ(constant("riscv64", word(0x43502093)), -1);  // slti ra, zero, 0x435
  EXPECT_EQ(constant("riscv64", word(0x43500013)), -1);  // addi zero, zero, 0x435
  EXPECT_EQ(constant("riscv64", {0x13, 0x20}), -1);      // half of it
  EXPECT_EQ(constant("x86_64", word(0x43502013)), -1);
}

TEST(QemuMachine, Aarch64) {
  expect("aarch64", {
                        {"ldr x1, [x0]", word(0xf9400001)},
                        {"ldr x1, [x0, x2]", word(0xf8626801)},
                        {"ldp x1, x2, [x0]", word(0xa9400801), true},
                        {"ldr q0, [x0]", word(0x3dc00000), true},
                        {"str q0, [x0, #16]", word(0x3d800400), true},
                        {"ldr d0, [x0]", word(0xfd400000)},
                        {"ldr q0, label", word(0x9c000080), true},
                        {"ldr x0, label", word(0x58000080)},
                        {"ld1 {v0.16b}, [x0]", word(0x4c407000), true},
                        {"stxr w1, x2, [x0]", word(0xc8017c02), true, true},
                        {"stlxr w1, x2, [x0]", word(0xc801fc02), true, true},
                        {"stxp w3, x1, x2, [x0]", word(0xc8230801), true, true},
                        {"ldxp x1, x2, [x0]", word(0xc87f0801), true},
                        {"ldadd x1, x2, [x0]", word(0xf8210002)},
                        {"cas x1, x2, [x0]", word(0xc8a17c02), true},
                        {"casp x0, x1, x2, x3, [x4]", word(0x48207c82), true},
                        {"stlr x1, [x0]", word(0xc89ffc01), true},
                        {"dc zva, x3", word(0xd50b7423), false, false, true},
                        {"dc cvac, x3", word(0xd50b7a23)},
                        {"add x0, x1, x2", word(0x8b020020)},
                        {"ld1d {z0.d}, p0/z, [x0]", word(0xa5e0a000), false, false, true},
                        {"add z0.d, z0.d, z1.d", word(0x04e10000)},
                    });
}

TEST(QemuMachine, Riscv64) {
  expect("riscv64", {
                        {"c.ld a1, 0(a0)", {0x0c, 0x61}},
                        {"fld ft0, 0(a0)", word(0x00053007)},
                        {"fsd ft0, 0(a0)", word(0x00053027)},
                        {"vle64.v v0, (a0)", word(0x02057007), true},
                        {"vse8.v v0, (a0)", word(0x02050027), true},
                        {"lr.d a1, (a0)", word(0x100535af)},
                        {"sc.d a2, a1, (a0)", word(0x18b5362f), false, true},
                        {"sc.w.rl a2, a1, (a0)", word(0x1ab5262f), false, true},
                        {"amoadd.d a2, a1, (a0)", word(0x00b5362f)},
                    });
}

TEST(QemuMachine, X86) {
  expect("x86_64", {
                       {"mov (%rdi), %rax", {0x48, 0x8b, 0x07}},
                       {"addl $1, (%rdi)", {0x83, 0x07, 0x01}},
                       {"movzbl (%rdi), %eax", {0x0f, 0xb6, 0x07}},
                       {"lock cmpxchg %rcx, (%rdi)", {0xf0, 0x48, 0x0f, 0xb1, 0x0f}},
                       {"cmpxchg16b (%rdi)", {0x48, 0x0f, 0xc7, 0x0f}, true},
                       {"movups (%rdi), %xmm0", {0x0f, 0x10, 0x07}, true},
                       {"movdqa %xmm9, (%r8)", {0x66, 0x45, 0x0f, 0x7f, 0x08}, true},
                       {"pxor (%rdi), %xmm0", {0x66, 0x0f, 0xef, 0x07}, true},
                       {"vmovapd (%rdi), %ymm0", {0xc5, 0xfd, 0x28, 0x07}, true},
                       {"fldt (%rdi)", {0xdb, 0x2f}, true},
                       {"fxsave (%rdi)", {0x0f, 0xae, 0x07}, true},
                       {"rep movsb", {0xf3, 0xa4}},
                       {"sete (%rdi)", {0x0f, 0x94, 0x07}},
                       {"imul (%rdi), %rax", {0x48, 0x0f, 0xaf, 0x07}},
                       {"bswap %eax", {0x0f, 0xc8}},
                       {"cut after its prefixes", {0x66, 0x48}},
                       {"cut after its first byte", {0x0f}},
                   });
}

TEST(QemuMachine, OthersAreNotKnown) { EXPECT_EQ(cs_machine_of("sparc64"), nullptr); }

TEST(QemuMaps, TellsTheFileAroundAnAddress) {
  static cs_area area;
  ASSERT_TRUE(cs_area_around(reinterpret_cast<std::uintptr_t>(&cs_machine_of), &area));
  std::string self(4096, '\0');
  self.resize(static_cast<std::size_t>(readlink("/proc/self/exe", self.data(), self.size())));
  EXPECT_EQ(area.path, self);
  ASSERT_TRUE(cs_area_around(getauxval(AT_RANDOM), &area));  // which lies there
  EXPECT_STREQ(area.path, "[stack]");
  EXPECT_FALSE(cs_area_around(8, &area));
}

TEST(QemuMaps, PathsMayHoldBlanksAndNewLines) {
  static cs_area area;
  // What follows the newline would be a line of the list that covers everything.
  const std::string name = testing::TempDir() + "a b\n0-ffffffffffffffff r 0 0 0";
  std::ofstream(name) << std::string(8192, 'x');
  const int file = open(name.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  void* const memory = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 4096);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_TRUE(cs_area_around(reinterpret_cast<std::uintptr_t>(memory), &area));
  EXPECT_EQ(area.begin, reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_EQ(area.file_offset, 4096U);
  EXPECT_EQ(std::string(area.path).find('\n'), std::string::npos);
  EXPECT_FALSE(cs_area_around(8, &area));
  munmap(memory, 4096);
  close(file);
  unlink(name.c_str());
}

TEST(QemuFeature, TheQuestionForZeroingIsAnsweredInMemory) {
  const long page = sysconf(_SC_PAGESIZE);
  const std::size_t bytes = 20 * static_cast<std::size_t>(page);
  auto* const code =
      static_cast<std::uint32_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  code[5] = 0xd53b00e3;              // mrs x3, dczid_el0
  code[bytes / 4 - 1] = 0xd53b00ff;  // into xzr, at the very end
  code[6] = 0xd53b00c3;              // mrs of another
  mprotect(code, bytes, PROT_READ);
  const auto begin = reinterpret_cast<std::uintptr_t>(code);
  cs_hide_features(begin, begin + bytes);
  EXPECT_EQ(code[5], 0xd2800203U);  // mov x3, #16
  EXPECT_EQ(code[6], 0xd53b00c3U);
  EXPECT_EQ(code[bytes / 4 - 1], 0xd280021fU);
  munmap(code, bytes);
}

TEST(QemuRequest, BeginsABlockAfterItWasMapped) {
  const Code asked{0x48, 0xc1, 0xc7, 3,    0x48, 0xc1, 0xc7, 13,   0x48, 0xc1,
                   0xc7, 61,   0x48, 0xc1, 0xc7, 51,   0x48, 0x87, 0xdb};
  const Code split{0x48, 0xc1, 0xc7, 54,   0x48, 0xc1, 0xc7, 13,   0x48, 0xc1,
                   0xc7, 61,   0x3e, 0x3e, 0xeb, 0,    0x48, 0x87, 0xdb};
  const std::size_t bytes = 1 << 18;
  auto* const code =
      static_cast<std::uint8_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(code, MAP_FAILED);
  // At both ends, two in a row, and around where a part that is read at once ends.
  std::vector<std::size_t> places{0, 19, bytes - asked.size()};
  for (std::size_t around = 65536 - 60; around < 65536 + 60; around += 20) places.push_back(around);
  for (const std::size_t at : places) std::copy(asked.begin(), asked.end(), code + at);
  std::copy(asked.begin(), asked.end() - 1, code + 1000);
  mprotect(code, bytes, PROT_READ);
  const auto begin = reinterpret_cast<std::uintptr_t>(code);
  cs_split_requests(begin, begin + bytes);
  for (const std::size_t at : places) {
    EXPECT_EQ(Code(code + at, code + at + split.size()), split) << at;
    EXPECT_TRUE(cs_is_request(code + at + 16, 3, begin + at + 16));
    EXPECT_FALSE(cs_is_request(code + at, 4, begin + at));
  }
  EXPECT_EQ(code[1003], 3);
  munmap(code, bytes);
  // Nobody can read what would come before.
  const Code exchange{0x48, 0x87, 0xdb};
  EXPECT_FALSE(cs_is_request(exchange.data(), exchange.size(), 16));
}

TEST(QemuMachine, RegistersMustAgreeWithSystemCalls) {
  for (const char* const name : {"aarch64", "riscv64", "x86_64"}) {
    const cs_registers& layout = cs_machine_of(name)->registers;
    std::uint64_t values[cs_general_registers];
    for (std::size_t i = 0; i < std::size(values); ++i) values[i] = 1000 + i;
    std::uint64_t arguments[cs_call_arguments];
    for (std::size_t i = 0; i < std::size(arguments); ++i) arguments[i] = 1000U + layout.call_argument[i];
    const std::uint64_t number = 1000U + layout.call_number;
    EXPECT_TRUE(cs_agree(&layout, values, number, arguments)) << name;
    EXPECT_FALSE(cs_agree(&layout, values, number + 1, arguments)) << name;
    for (std::uint64_t& argument : arguments) {
      ++argument;
      EXPECT_FALSE(cs_agree(&layout, values, number, arguments)) << name;
      --argument;
    }
  }
}

}  // namespace
