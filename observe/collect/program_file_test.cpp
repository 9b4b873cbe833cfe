#include "observe/collect/program_file.hpp"

#include <cstring>
#include <string_view>
#include <vector>

#include <elf.h>
#include <gtest/gtest.h>

namespace cachescape::collect {
namespace {

/// A file of sections whose names and links are given; section 1 holds the names.
std::vector<std::uint8_t> made_file(std::string_view section, std::string_view needed) {
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_machine = EM_X86_64;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 4;
  head.e_shstrndx = 1;
  head.e_shoff = sizeof head;
  std::string names(1, '\0');
  names += section;
  names += '\0';
  const auto needed_at = names.size();
  names += needed;
  names += '\0';
  Elf64_Shdr sections[4]{};
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof head + sizeof sections;
  sections[1].sh_size = names.size();
  sections[2].sh_name = 1;
  sections[2].sh_type = SHT_PROGBITS;
  Elf64_Dyn dynamic[2]{};
  dynamic[0].d_tag = DT_NEEDED;
  dynamic[0].d_un.d_val = needed_at;
  sections[3].sh_type = SHT_DYNAMIC;
  sections[3].sh_link = 1;
  sections[3].sh_offset = sections[1].sh_offset + names.size();
  sections[3].sh_size = sizeof dynamic;
  std::vector<std::uint8_t> file;
  const auto add = [&](const void* bytes, std::size_t n) {
    file.insert(file.end(), static_cast<const std::uint8_t*>(bytes), static_cast<const std::uint8_t*>(bytes) + n);
  };
  add(&head, sizeof head);
  add(sections, sizeof sections);
  add(names.data(), names.size());
  add(dynamic, sizeof dynamic);
  return file;
}

TEST(ProgramFile, TheRuntimeIsASectionOrANeededLibrary) {
  const auto instrumented = [](std::string_view section, std::string_view needed) {
    return look_at_program(made_file(section, needed)).instrumented;
  };
  EXPECT_FALSE(instrumented(".data", "libc.so.6"));
  EXPECT_TRUE(instrumented(".cachescape", "libc.so.6"));
  EXPECT_TRUE(instrumented(".data", "libcachescape_runtime.so"));
  EXPECT_FALSE(instrumented(".cachescape2", "xlibcachescape_runtime.so"));
}

TEST(ProgramFile, ScriptsAndOtherProcessorsAreToldApart) {
  const std::string script = "#!/bin/sh\n" + std::string(100, '#');
  const ProgramFile about = look_at_program({reinterpret_cast<const std::uint8_t*>(script.data()), script.size()});
  EXPECT_FALSE(about.elf || about.instrumented);
  EXPECT_EQ(about.processor, Processor::unknown);
  auto file = made_file(".cachescape", "");
  EXPECT_EQ(look_at_program(file).processor, Processor::x86_64);
  file[offsetof(Elf64_Ehdr, e_machine)] = EM_AARCH64;
  EXPECT_TRUE(look_at_program(file).elf);
  EXPECT_EQ(look_at_program(file).processor, Processor::aarch64);
  EXPECT_FALSE(look_at_program(file).instrumented);
  file[offsetof(Elf64_Ehdr, e_machine)] = EM_RISCV;
  EXPECT_EQ(look_at_program(file).processor, Processor::riscv64);
  file[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(look_at_program(file).processor, Processor::unknown);
  EXPECT_FALSE(look_at_program("/no/such/file").elf);
}

TEST(ProgramFile, TheDynamicLinkerIsTold) {
  auto file = made_file("", "");
  EXPECT_EQ(look_at_program(file).interpreter, "");
  Elf64_Phdr segment{};
  segment.p_type = PT_INTERP;
  segment.p_offset = file.size() + sizeof segment;
  const std::string_view path("/lib/ld.so\0", 11);
  segment.p_filesz = path.size();
  const auto at = file.size();
  file.resize(at + sizeof segment);
  std::memcpy(file.data() + at, &segment, sizeof segment);
  file.insert(file.end(), path.begin(), path.end());
  Elf64_Ehdr head;
  std::memcpy(&head, file.data(), sizeof head);
  head.e_phoff = at;
  head.e_phnum = 1;
  head.e_phentsize = sizeof segment;
  std::memcpy(file.data(), &head, sizeof head);
  EXPECT_EQ(look_at_program(file).interpreter, "/lib/ld.so");
  for (std::size_t n = 0; n < file.size(); ++n)
    (void)look_at_program({std::vector<std::uint8_t>(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n))});
  segment.p_offset = ~std::uint64_t{0} - 2;
  std::memcpy(file.data() + at, &segment, sizeof segment);
  EXPECT_EQ(look_at_program(file).interpreter, "");
}

TEST(ProgramFile, DamagedFilesAreReadWithinTheirBounds) {
  const auto whole = made_file(".cachescape", "libcachescape_runtime.so");
  for (std::size_t n = 0; n < whole.size(); ++n)
    (void)look_at_program({std::vector<std::uint8_t>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto damaged = whole;
    damaged[at] = 0xff;
    (void)look_at_program(damaged);
  }
}

}  // namespace
}  // namespace cachescape::collect
