// An ELF file that is open for reading.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cachescape/result.hpp"

namespace cachescape::symbols {

/// A part of a file that a program has in memory as data.
struct DataSection {
  std::string name;
  std::uint64_t address = 0;  ///< in the file's own numbering
  std::uint64_t bytes = 0;
};

class ElfFile {
 public:
  /// What is read is copied, never mapped: a file that shrinks meanwhile must not kill the reader.
  static Result<ElfFile> open(const std::string& path);
  /// A file's bytes, which must live as long as the value.
  static Result<ElfFile> in_memory(std::span<std::byte> bytes, const std::string& name);

  Elf* elf() const { return elf_.get(); }
  const std::string& path() const { return path_; }
  /// In hexadecimal digits; empty where the file has none.
  std::string build_id() const;
  /// The address in the file's own numbering of what lies at an offset of the file.
  std::optional<std::uint64_t> address_at(std::uint64_t file_offset) const;
  /// The other way round; nothing where the file has no bytes for it.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  /// Whether the file has a section of that name with contents.
  bool has_section(const char* name) const;
  /// By ascending address. Without what every thread has its own copy of.
  std::vector<DataSection> data_sections() const;

 private:
  struct Segment {
    std::uint64_t offset, bytes, address;
  };
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  static Result<ElfFile> made(Elf* elf, const std::string& path, int descriptor);

  std::string path_;
  std::shared_ptr<const int> descriptor_;  ///< closed after elf_, which reads from it
  std::unique_ptr<Elf, EndElf> elf_;
  std::vector<Segment> segments_;
};

}  // namespace cachescape::symbols
