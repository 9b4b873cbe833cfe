// The compiled modules that have joined a session: what their records mean and what they know of the source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/places.hpp"
#include "observe/collect/plain_record.hpp"
#include "observe/collect/session_file.hpp"
#include "session/record.h"

namespace cachescape::collect {

/// A longer access, of memcpy() for one, is taken as several.
inline constexpr std::uint64_t longest_part = 4096;

/// An access of a descriptor, checked: its words lie within the record.
struct DecodedAccess {
  std::uint16_t slot = 0;
  std::uint8_t flags = 0;
  std::uint8_t lanes = 1;
  std::int32_t offset = 0;
  std::int32_t step = 0;
  std::uint32_t size = 0;
  std::uint32_t site = 0;  ///< number in ModuleSet::sites()
  AccessShape shape;       ///< where it is not longer than longest_part

  /// One address, one size.
  bool simple() const {
    return (flags & (CACHESCAPE_SIZED | CACHESCAPE_MASKED | CACHESCAPE_VECTOR)) == 0 && lanes == 1;
  }
  bool strided() const { return (flags & CACHESCAPE_STRIDED) != 0; }
};

struct DecodedDescriptor {
  std::uint32_t slots = 0;
  std::uint32_t bases = 0;
  bool is_loop = false;
  bool simple = false;       ///< all its accesses are
  bool is_long = false;      ///< one of its accesses is longer than longest_part
  bool plain = false;        ///< simple and not long: each access is a packed one
  bool names_site = false;   ///< no record begins with it: the site of an allocation
  std::uint32_t block = 0;   ///< number in ModuleSet::blocks()
  std::uint32_t number = 0;  ///< among all descriptors
  std::vector<DecodedAccess> accesses;
  KindCounts kinds{};       ///< of the accesses
  std::uint64_t bytes = 0;  ///< of all accesses
};

struct GlobalVariable {
  Address address;
  std::uint64_t bytes = 0;
  std::string name;
  std::uint32_t location = nowhere;
};

class ModuleSet {
 public:
  /// Reads the modules that have joined since the last call. False where a module's tables are broken: it is left out,
  /// and its records count as lost.
  bool update(const SessionFile& session);

  /// The descriptor at an address of the program, or null. Remembers the module that was asked for last.
  const DecodedDescriptor* find(std::uint64_t address) {
    if (last_ != nullptr && address - last_->begin < last_->bytes) return last_->at(address);
    return find_module(address);
  }

  /// Of the module that was asked for last: where its descriptors are in the program, and the record at each 4 bytes.
  struct PlainRecords {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    const PlainRecord* records = nullptr;
  };
  PlainRecords plain_records() const {
    return last_ == nullptr ? PlainRecords{} : PlainRecords{last_->begin, last_->bytes, last_->plain.data()};
  }
  const std::vector<SlotAccess>& plain_accesses() const { return plain_accesses_; }

  /// For locations that no module's tables have. `inlined_at` is one of locations().
  std::uint32_t add_location(Location location) {
    locations_.push_back(std::move(location));
    return static_cast<std::uint32_t>(locations_.size() - 1);
  }

  std::size_t modules() const { return modules_.size(); }
  const std::vector<Location>& locations() const { return locations_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Site>& sites() const { return sites_; }
  const std::vector<GlobalVariable>& globals() const { return globals_; }
  /// Numbers of descriptors are below this.
  std::uint32_t descriptors() const { return descriptors_; }
  /// Calls visit(descriptor) for all of them.
  template <class Visit>
  void for_each_descriptor(Visit visit) const {
    for (const auto& module : modules_)
      for (const DecodedDescriptor& d : module->descriptors) visit(d);
  }

  /// Locations, blocks and sites, with executions and counters as the session has them now.
  Places counted(const SessionFile& session) const;

 private:
  struct Count {
    std::uint32_t counter;
    std::uint32_t block;
    std::string metric;
    std::uint32_t amount;
  };
  struct Module {
    std::uint64_t begin = 0, bytes = 0;  ///< of its descriptors in the program
    std::vector<std::uint32_t> by_word;  ///< descriptor at each 4 bytes, plus 1
    std::vector<PlainRecord> plain;      ///< in the same places
    std::vector<DecodedDescriptor> descriptors;
    std::uint32_t entry = 0;  ///< in the session
    std::uint32_t first_block = 0;
    std::vector<std::uint32_t> block_counters;
    std::vector<Count> counts;

    const DecodedDescriptor* at(std::uint64_t address) const {
      const std::uint64_t offset = address - begin;
      if (offset % 4 != 0) return nullptr;
      const std::uint32_t number = by_word[offset / 4];
      return number == 0 ? nullptr : &descriptors[number - 1];
    }
  };

  const DecodedDescriptor* find_module(std::uint64_t address);
  using CountersByModule = std::vector<std::vector<std::uint64_t>>;
  /// What the counters of a module come to without those of contexts.
  static std::vector<std::uint64_t> plain_counters(const Module& module, const SessionFile& session);
  /// Adds the counters of contexts to the others, and contexts to places.
  void count_contexts(const SessionFile& session, CountersByModule& counters, Places& places) const;
  bool add(const SessionFile& session, std::uint32_t entry);

  std::vector<std::unique_ptr<Module>> modules_;
  const Module* last_ = nullptr;
  std::uint32_t read_ = 0;
  std::uint32_t descriptors_ = 0;           ///< in all modules
  std::vector<SlotAccess> plain_accesses_;  ///< of plain records
  std::vector<Location> locations_;
  std::vector<Block> blocks_;
  std::vector<Site> sites_;
  std::vector<GlobalVariable> globals_;
};

}  // namespace cachescape::collect
