// The translated code of a program (session/code.h): what its records mean, the files that it was mapped from, and
// where its executions and the calls that led to them are counted.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/access.hpp"
#include "cachescape/places.hpp"
#include "observe/collect/plain_record.hpp"
#include "observe/collect/session_file.hpp"
#include "session/code.h"

namespace cachescape::collect {

struct CodeFile {
  std::string path;
  std::string build_id;  ///< in hexadecimal digits, when it was mapped; empty where it had none

  friend auto operator<=>(const CodeFile&, const CodeFile&) = default;
};

/// A part of a file that was mapped as code.
struct Mapping {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t file_offset = 0;
  std::uint32_t file = 0;  ///< number in CodeTable::files()
};

/// An instruction that accesses memory, or calls an allocator or the kernel.
struct CodeSite {
  std::uint64_t address = 0;        ///< in the program, where it was first seen
  std::uint32_t mapping = nowhere;  ///< number in CodeTable::mappings()
  bool calls_kernel = false;        ///< and what it accesses, the kernel does
};

/// Instructions in a row that have one counter.
struct CodeCount {
  CodeSite first;  ///< instruction
  std::uint32_t instructions = 0;
  std::uint64_t counter_at = 0;  ///< offset in the session

  /// How often they were executed so far.
  std::uint64_t executions(const SessionFile& session) const;
};

/// A function, and the stack of calls that it was called from.
struct CodeContext {
  CodeSite function;              ///< its address is 0 where it stands for stacks that are not told apart
  std::uint32_t caller = 0;       ///< number of an earlier one; 0, the first, has no function
  std::uint64_t executed_at = 0;  ///< offset in the session of how many instructions it has executed itself

  std::uint64_t instructions(const SessionFile& session) const;
};

class CodeTable {
 public:
  using Access = SlotAccess;  ///< its site is a number in sites()
  /// Accesses in a row that were made if one word is not zero.
  struct Stretch {
    std::uint16_t witness = 0;
    std::uint16_t accesses = 0;
    std::array<std::uint16_t, access_kinds> kinds{};  ///< of the accesses
    std::uint32_t bytes = 0;                          ///< of all accesses
  };
  struct Descriptor {
    std::uint16_t slots = 0;
    std::uint16_t accesses = 0;
    std::uint32_t stretches = 0;
    std::uint32_t first_access = 0;
    std::uint32_t first_stretch = 0;
  };

  /// Reads what was added since the last call. False where it is broken: nothing behind that is read any more.
  bool update(const SessionFile& session);

  /// Whether the session is one of translated code.
  bool joined() const { return joined_; }
  static bool is_code(std::uint64_t word) { return word >= CACHESCAPE_CODE; }
  /// The descriptor that a word names, or null.
  const Descriptor* find(std::uint64_t word) const {
    const std::uint64_t number = word - CACHESCAPE_CODE;
    return number < descriptors_.size() ? &descriptors_[number] : nullptr;
  }
  /// The record of each descriptor.
  const std::vector<PlainRecord>& plain_records() const { return plain_; }
  const std::vector<Access>& accesses() const { return accesses_; }
  const Access* accesses_of(const Descriptor& d) const { return accesses_.data() + d.first_access; }
  const Stretch* stretches_of(const Descriptor& d) const { return stretches_.data() + d.first_stretch; }

  const std::vector<Descriptor>& descriptors() const { return descriptors_; }
  const std::vector<CodeSite>& sites() const { return sites_; }
  const std::vector<Mapping>& mappings() const { return mappings_; }
  const std::vector<CodeFile>& files() const { return files_; }
  const std::vector<CodeCount>& counts() const { return counts_; }
  const std::vector<CodeContext>& contexts() const { return contexts_; }
  /// That were executed so far, by all that is known. O(counts).
  std::uint64_t instructions(const SessionFile& session) const;

 private:
  /// How far a list was read.
  struct Place {
    std::uint64_t part_at = 0;
    std::uint64_t read = 0;  ///< bytes of the part's entries
  };
  template <class Take>
  bool read_list(const SessionFile& session, Place& place, Take take);
  /// Bytes that the entry takes; 0 where it is broken.
  std::size_t take_mapping(std::span<const std::uint8_t> rest);
  std::size_t take_descriptor(std::span<const std::uint8_t> rest);
  std::size_t take_count(std::span<const std::uint8_t> rest);
  std::size_t take_context(std::span<const std::uint8_t> rest, std::uint64_t at);
  std::uint32_t site_at(std::uint64_t address, std::uint32_t mapping);

  bool joined_ = false;
  bool broken_ = false;
  std::uint64_t bytes_read_ = 0;
  Place descriptors_at_, mappings_at_, counts_at_, contexts_at_;
  std::vector<Descriptor> descriptors_;
  std::vector<PlainRecord> plain_;  ///< by descriptor
  std::vector<Access> accesses_;
  std::vector<Stretch> stretches_;
  std::vector<CodeSite> sites_;
  /// By file and offset in it, or by address where there is no file: a library that is loaded again has the same sites.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> site_numbers_;
  std::vector<Mapping> mappings_;
  std::vector<CodeFile> files_;
  std::map<CodeFile, std::uint32_t> file_numbers_;
  std::vector<CodeCount> counts_;
  std::vector<CodeContext> contexts_;
};

}  // namespace cachescape::collect
