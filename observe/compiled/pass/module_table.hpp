// The static tables of the module being compiled (session/module.h), as they grow.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include "observe/compiled/pass/accesses.hpp"
#include "session/module.h"

namespace cachescape::pass {

class ModuleTable {
 public:
  ModuleTable(llvm::StringRef source, llvm::StringRef compiler);

  std::uint32_t string(llvm::StringRef text);
  /// Of a function's linkage name.
  std::uint32_t function(llvm::StringRef linkage_name);
  /// Index + 1, or 0 where the location is unknown.
  std::uint32_t location(const llvm::DILocation* location);
  /// Of a declaration, which has no code.
  std::uint32_t declaration(llvm::StringRef function, llvm::StringRef file, unsigned line);
  std::uint32_t block(const cachescape_block_info& block);
  cachescape_block_info& block_at(std::uint32_t index) { return blocks_[index]; }
  std::uint32_t site(const cachescape_site& site);
  std::uint32_t counter() { return counters_++; }
  std::uint32_t counters() const { return counters_; }
  void count(const cachescape_count& count) { counts_.push_back(count); }

  /// Appends a descriptor; returns its offset in bytes.
  std::uint64_t descriptor(const cachescape_descriptor& head, llvm::ArrayRef<cachescape_access> accesses);
  const std::vector<std::uint8_t>& descriptors() const { return descriptors_; }

  bool empty() const { return blocks_.empty(); }
  /// All tables, as the session holds them.
  std::vector<std::uint8_t> bytes() const;

 private:
  std::uint32_t add_location(const cachescape_location& location);

  std::string strings_ = std::string(1, '\0');
  llvm::StringMap<std::uint32_t> string_offsets_;
  llvm::StringMap<std::uint32_t> functions_;
  std::uint32_t source_;
  std::uint32_t compiler_;
  std::uint32_t counters_ = 0;
  std::vector<cachescape_location> locations_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
      location_numbers_;
  std::vector<cachescape_block_info> blocks_;
  std::vector<cachescape_site> sites_;
  std::vector<cachescape_count> counts_;
  std::vector<std::uint8_t> descriptors_;
};

}  // namespace cachescape::pass
