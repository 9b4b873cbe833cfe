// Where heap objects come from: the site that allocates, and the calls that led there.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/places.hpp"
#include "observe/collect/code_table.hpp"
#include "observe/collect/module_set.hpp"
#include "observe/collect/session_file.hpp"
#include "observe/symbols/symbolizer.hpp"

namespace cachescape::collect {

/// What makes an allocation one object with others.
struct AllocationOrigin {
  std::uint32_t site = nowhere;
  std::uint32_t location = nowhere;  ///< of ModuleSet::locations(), with the calls around as inlined_at
  bool others = false;               ///< of stacks beyond those that are told apart

  friend auto operator<=>(const AllocationOrigin&, const AllocationOrigin&) = default;
};

/// Turns stacks of return addresses into locations. Of a function that occurs more than once, only the innermost call
/// stays and what lies between is left out, so that recursion makes one object and not one for each depth.
class AllocationStacks {
 public:
  /// So many chains of calls are told apart; allocations of others are told by their sites alone.
  static constexpr std::size_t most_chains = 1024;

  /// `stack` is what the record says: nothing of it or of what it refers to is trusted. 0 where there is none.
  AllocationOrigin origin(std::uint32_t site, std::uint64_t stack, const SessionFile* session, ModuleSet& modules);
  /// The same of an allocation in translated code, whose stack begins with the site itself.
  AllocationOrigin code_origin(std::uint32_t site, std::uint64_t stack, const SessionFile* session, ModuleSet& modules);
  /// A file of translated code lies there from now on.
  void add_mapping(const Mapping& mapping, const CodeFile& of, const std::string& debug_folder);
  /// Whether there were more stacks than are told apart.
  bool cut() const { return cut_; }
  /// Files that calls lead through and whose names are not known.
  const std::vector<Error>& problems() const { return symbolizer_->problems(); }

 private:
  /// `origin` is what is known without the stack: the site, and the location of its call, or nowhere.
  AllocationOrigin known_or_found(const AllocationOrigin& origin, std::uint64_t stack, const SessionFile* session,
                                  ModuleSet& modules);
  AllocationOrigin found(AllocationOrigin origin, std::uint64_t stack, const SessionFile& session, ModuleSet& modules);
  /// Reads the files that were loaded since the last call.
  void read_loaded(const SessionFile& session);
  /// Calls of a stack, outermost first.
  std::vector<Location> calls(std::uint64_t stack, const SessionFile& session);
  std::optional<std::uint32_t> chain(const std::vector<Location>& calls, ModuleSet& modules);

  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint64_t>, AllocationOrigin> known_;
  std::map<std::vector<Location>, std::uint32_t> chains_;  ///< outermost first
  std::unique_ptr<symbols::Symbolizer> symbolizer_ =
      std::make_unique<symbols::Symbolizer>(std::vector<symbols::MappedObject>());
  bool has_mappings_ = false;
  std::uint64_t last_loaded_ = 0;  ///< offset
  bool cut_ = false;
};

}  // namespace cachescape::collect
