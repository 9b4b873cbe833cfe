#include "observe/symbols/debug_file.hpp"

#include <elfutils/libdwelf.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace cachescape::symbols {

namespace {

bool has_checksum(const std::string& path, GElf_Word expected) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 65536> buffer{};
  uLong sum = crc32(0, nullptr, 0);
  while (file) {
    file.read(buffer.data(), buffer.size());
    sum = crc32(sum, reinterpret_cast<const Bytef*>(buffer.data()), static_cast<uInt>(file.gcount()));
  }
  return file.eof() && sum == expected;
}

}  // namespace

std::optional<ElfFile> find_debug_file(const ElfFile& file, const std::string& folder) {
  const std::string id = file.build_id();
  if (id.size() > 2) {
    auto found = ElfFile::open(folder + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug");
    if (found && found->build_id() == id) return std::move(*found);
  }
  GElf_Word checksum = 0;
  const char* const link = dwelf_elf_gnu_debuglink(file.elf(), &checksum);
  if (link == nullptr) return std::nullopt;
  // A name, not a path: what a damaged file says must not lead anywhere else.
  const std::string name = std::filesystem::path(link).filename();
  if (name.empty()) return std::nullopt;
  std::error_code ignored;
  const std::string beside = std::filesystem::absolute(file.path(), ignored).parent_path();
  const std::string own = std::filesystem::weakly_canonical(file.path(), ignored);
  for (const std::string& place : {beside, beside + "/.debug", folder + beside}) {
    const std::string path = fmt::format("{}/{}", place, name);
    if (std::filesystem::weakly_canonical(path, ignored) == own) continue;
    auto found = ElfFile::open(path);
    if (!found) continue;
    if (id.empty() || found->build_id().empty() ? has_checksum(path, checksum) : found->build_id() == id)
      return std::move(*found);
  }
  return std::nullopt;
}

}  // namespace cachescape::symbols
