#include "observe/collect/program_file.hpp"

#include <cstring>
#include <optional>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cachescape::collect {
namespace {

using File = std::span<const std::uint8_t>;

// The shared runtime is a needed library; the static one leaves a section.
constexpr std::string_view runtime_library = "libcachescape_runtime.so";
constexpr std::string_view runtime_section = ".cachescape";

template <class Row>
std::optional<Row> file_row(File file, std::uint64_t at) {
  if (at > file.size() || file.size() - at < sizeof(Row)) return std::nullopt;
  Row row;
  std::memcpy(&row, file.data() + at, sizeof row);
  return row;
}

std::string_view text_at(File file, const Elf64_Shdr& strings, std::uint64_t at) {
  if (at >= strings.sh_size || strings.sh_offset > file.size() || strings.sh_size > file.size() - strings.sh_offset)
    return {};
  const auto* const text = reinterpret_cast<const char*>(file.data() + strings.sh_offset + at);
  return {text, strnlen(text, strings.sh_size - at)};
}

class Sections {
 public:
  Sections(File file, const Elf64_Ehdr& head) : file_(file), head_(head) {}
  std::size_t count() const { return head_.e_shentsize == sizeof(Elf64_Shdr) ? head_.e_shnum : 0; }
  std::optional<Elf64_Shdr> operator[](std::uint64_t i) const {
    if (i >= count() || head_.e_shoff > file_.size()) return std::nullopt;
    return file_row<Elf64_Shdr>(file_, head_.e_shoff + i * sizeof(Elf64_Shdr));
  }

 private:
  File file_;
  Elf64_Ehdr head_;
};

bool needs_runtime(File file, const Elf64_Shdr& dynamic, const Elf64_Shdr& strings) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.sh_size; at += sizeof(Elf64_Dyn)) {
    if (dynamic.sh_offset > file.size()) return false;
    const auto entry = file_row<Elf64_Dyn>(file, dynamic.sh_offset + at);
    if (!entry || entry->d_tag == DT_NULL) return false;
    if (entry->d_tag == DT_NEEDED && text_at(file, strings, entry->d_un.d_val).starts_with(runtime_library))
      return true;
  }
  return false;
}

Processor processor_of(const Elf64_Ehdr& head) {
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB) return Processor::unknown;
  switch (head.e_machine) {
    case EM_X86_64:
      return Processor::x86_64;
    case EM_AARCH64:
      return Processor::aarch64;
    case EM_RISCV:
      return Processor::riscv64;
    default:
      return Processor::unknown;
  }
}

std::string interpreter_of(File file, const Elf64_Ehdr& head) {
  for (std::uint64_t i = 0; i < head.e_phnum && head.e_phentsize == sizeof(Elf64_Phdr); ++i) {
    if (head.e_phoff > file.size()) break;
    const auto segment = file_row<Elf64_Phdr>(file, head.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    if (segment->p_type != PT_INTERP) continue;
    if (segment->p_offset > file.size() || segment->p_filesz > file.size() - segment->p_offset) break;
    const auto* const text = reinterpret_cast<const char*>(file.data() + segment->p_offset);
    return {text, strnlen(text, segment->p_filesz)};
  }
  return {};
}

}  // namespace

ProgramFile look_at_program(File file) {
  ProgramFile result;
  const auto head = file_row<Elf64_Ehdr>(file, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return result;
  result.elf = true;
  result.processor = processor_of(*head);
  if (result.processor == Processor::unknown) return result;
  result.interpreter = interpreter_of(file, *head);
  if (result.processor != Processor::x86_64) return result;
  const Sections sections(file, *head);
  const auto names = sections[head->e_shstrndx];
  for (std::size_t i = 0; i < sections.count() && !result.instrumented; ++i) {
    const auto section = sections[i];
    if (!section) break;
    if (names && text_at(file, *names, section->sh_name) == runtime_section) result.instrumented = true;
    if (section->sh_type != SHT_DYNAMIC) continue;
    if (const auto strings = sections[section->sh_link]) result.instrumented = needs_runtime(file, *section, *strings);
  }
  return result;
}

ProgramFile look_at_program(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about{};
  ProgramFile result;
  if (descriptor < 0) return result;
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(about.st_size);
    void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory != MAP_FAILED) {
      result = look_at_program({static_cast<const std::uint8_t*>(memory), bytes});
      munmap(memory, bytes);
    }
  }
  close(descriptor);
  return result;
}

}  // namespace cachescape::collect
