// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <elf.h>

extern "C" {
#include "observe/emulated/qemu/observer.h"
}

namespace {

std::map<std::uint64_t, cs_role> allocators_of(const std::vector<std::uint8_t>& file, std::size_t room = 128) {
  std::vector<cs_allocator> found(room);
  found.resize(cs_find_allocators(file.data(), file.size(), found.data(), room));
  std::map<std::uint64_t, cs_role> result;
  for (const cs_allocator& one : found) result[one.file_offset] = one.role;
  return result;
}

std::vector<std::uint8_t> c_library(cs_area& around_malloc, std::uint64_t& malloc_at) {
  void* const library = dlopen("libc.so.6", RTLD_NOW);
  malloc_at = reinterpret_cast<std::uintptr_t>(dlsym(library, "malloc"));
  EXPECT_TRUE(cs_area_around(malloc_at, &around_malloc));
  std::ifstream file(around_malloc.path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(QemuSymbols, FindsTheAllocatorsOfTheCLibrary) {
  static cs_area area;
  std::uint64_t at = 0;
  const auto file = c_library(area, at);
  const auto found = allocators_of(file);
  const auto offset_of = [&](const char* name) {
    const auto address = reinterpret_cast<std::uintptr_t>(dlsym(dlopen("libc.so.6", RTLD_NOW), name));
    return address - area.begin + area.file_offset;
  };
  EXPECT_EQ(found.at(offset_of("malloc")), cs_size_first);
  EXPECT_EQ(found.at(offset_of("calloc")), cs_product);
  EXPECT_EQ(found.at(offset_of("realloc")), cs_reallocation);
  EXPECT_EQ(found.at(offset_of("posix_memalign")), cs_through_pointer);
  EXPECT_EQ(found.at(offset_of("free")), cs_release);
  EXPECT_EQ(allocators_of(file, 2).size(), 2U);
}

TEST(QemuSymbols, ReadsWhatIsLeftOfAFile) {
  static cs_area area;
  std::uint64_t at = 0;
  auto file = c_library(area, at);
  const auto whole = file;
  for (std::size_t bytes = file.size(); bytes > 0; bytes -= bytes / 7 + 1) {
    file.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_LE(allocators_of(file).size(), allocators_of(whole).size());
  }
  EXPECT_TRUE(allocators_of({}).empty());
  file = whole;
  file[EI_CLASS] = ELFCLASS32;
  EXPECT_TRUE(allocators_of(file).empty());
}

TEST(QemuSymbols, NamesAreCompleteWithinTheirRoom) {
  EXPECT_EQ(cs_role_of("malloc", 7), cs_size_first);
  EXPECT_EQ(cs_role_of("malloc", 6), cs_nothing);  // the zero is missing
  EXPECT_EQ(cs_role_of("malloc_trim", 12), cs_nothing);
  EXPECT_EQ(cs_role_of("mallo", 6), cs_nothing);
  EXPECT_EQ(cs_role_of("", 1), cs_nothing);
}

TEST(QemuSymbols, BytesThatAreAskedFor) {
  EXPECT_EQ(cs_bytes_asked(cs_size_first, 1, 2, 3), 1U);
  EXPECT_EQ(cs_bytes_asked(cs_size_second, 1, 2, 3), 2U);
  EXPECT_EQ(cs_bytes_asked(cs_product, 5, 7, 3), 35U);
  EXPECT_EQ(cs_bytes_asked(cs_reallocation, 1, 2, 3), 2U);
  EXPECT_EQ(cs_bytes_asked(cs_reallocation_of_product, 1, 5, 7), 35U);
  EXPECT_EQ(cs_bytes_asked(cs_through_pointer, 1, 2, 3), 3U);
  EXPECT_EQ(cs_bytes_asked(cs_product, UINT64_C(1) << 40, UINT64_C(1) << 40, 0), 0U);
}

}  // namespace
