#include "observe/symbols/elf_file.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace cachescape::symbols {

namespace {

std::unexpected<Error> not_readable(const std::string& path) {
  return failure(ErrorKind::malformed, fmt::format("not a readable ELF file: {}", elf_errmsg(-1)), path);
}

}  // namespace

Result<ElfFile> ElfFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return failure(ErrorKind::io, fmt::format("cannot be read: {}", std::strerror(errno)), path);
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return failure(ErrorKind::io, "is not a file", path);
  }
  elf_version(EV_CURRENT);
  return made(elf_begin(descriptor, ELF_C_READ, nullptr), path, descriptor);
}

Result<ElfFile> ElfFile::in_memory(std::span<std::byte> bytes, const std::string& name) {
  elf_version(EV_CURRENT);
  return made(elf_memory(reinterpret_cast<char*>(bytes.data()), bytes.size()), name, -1);
}

Result<ElfFile> ElfFile::made(Elf* elf, const std::string& path, int descriptor) {
  ElfFile file;
  file.path_ = path;
  file.descriptor_ = std::shared_ptr<const int>(new int(descriptor), [](const int* d) {
    if (*d >= 0) close(*d);
    delete d;
  });
  file.elf_.reset(elf);
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) return not_readable(path);
  std::size_t headers = 0;
  if (elf_getphdrnum(elf, &headers) != 0) return not_readable(path);
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) return not_readable(path);
    if (header.p_type == PT_LOAD) file.segments_.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
  }
  return file;
}

std::string ElfFile::build_id() const {
  const void* bytes = nullptr;
  const ssize_t count = dwelf_elf_gnu_build_id(elf(), &bytes);
  std::string text;
  for (ssize_t i = 0; i < count; ++i) text += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  return text;
}

std::optional<std::uint64_t> ElfFile::address_at(std::uint64_t file_offset) const {
  // Segments are mapped in whole pages: the page that a segment begins in belongs to it from its start, unless another
  // segment ends there.
  constexpr std::uint64_t page = 4096;
  const Segment* found = nullptr;
  for (const Segment& s : segments_) {
    if (file_offset - s.offset < s.bytes) return s.address + (file_offset - s.offset);
    if (found == nullptr && s.offset > file_offset && s.offset - file_offset < page) found = &s;
  }
  if (found == nullptr) return std::nullopt;
  return found->address - (found->offset - file_offset);
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
  for (const Segment& s : segments_)
    if (address - s.address < s.bytes) return s.offset + (address - s.address);
  return std::nullopt;
}

bool ElfFile::has_section(const char* name) const {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf(), &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS || header.sh_size == 0) continue;
    const char* const text = elf_strptr(elf(), names, header.sh_name);
    if (text != nullptr && std::strcmp(text, name) == 0) return true;
  }
  return false;
}

std::vector<DataSection> ElfFile::data_sections() const {
  std::vector<DataSection> sections;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf(), &names) != 0) return sections;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) break;
    if ((header.sh_flags & SHF_ALLOC) == 0 || (header.sh_flags & (SHF_EXECINSTR | SHF_TLS)) != 0) continue;
    if (header.sh_size == 0 || header.sh_size > std::numeric_limits<std::uint64_t>::max() - header.sh_addr) continue;
    const char* const name = elf_strptr(elf(), names, header.sh_name);
    if (name != nullptr) sections.push_back({name, header.sh_addr, header.sh_size});
  }
  std::ranges::stable_sort(sections, {}, &DataSection::address);
  return sections;
}

}  // namespace cachescape::symbols
