// Calling contexts (session/context.h): those of a session, and what they come to in a profile.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/places.hpp"
#include "observe/collect/session_file.hpp"

namespace cachescape::collect {

/// A context as the session has it. Its counts lie in the session and may still grow.
struct SessionContext {
  std::uint32_t parent = nowhere;  ///< index of an earlier one
  std::uint32_t module = 0;        ///< entry in the session, which may not exist
  std::uint32_t first_counter = 0;
  std::uint32_t flags = 0;
  std::span<const std::uint64_t> counts;
};

/// Those of all threads, callers first. Nothing that the program wrote is trusted: what is damaged ends the list, and a
/// caller that was not made before is none.
std::vector<SessionContext> read_contexts(const SessionFile& session);

/// Contexts by what they are called, so that those of several threads are one.
class ContextTable {
 public:
  /// Stacks beyond those that the program tells apart, and what was counted without a stack.
  static constexpr const char* others = "(other call stacks)";
  static constexpr const char* no_stack = "(no call stack)";

  /// `caller` is a number that was given before, or nowhere. A stack of too many calls becomes one of the others.
  std::uint32_t number(std::uint32_t caller, const std::string& function, const std::string& module);
  Context& operator[](std::uint32_t number) { return contexts_[number]; }
  void add(std::uint32_t context, const std::string& metric, std::uint64_t value) {
    const auto metric_number = static_cast<std::uint32_t>(metrics_.try_emplace(metric, metrics_.size()).first->second);
    sums_[{context, metric_number}] += value;
  }

  /// Hands all of them over.
  void finish(Places& places) &&;

 private:
  std::map<std::tuple<std::uint32_t, std::string, std::string>, std::uint32_t> numbers_;
  std::vector<Context> contexts_;
  std::vector<std::uint32_t> callers_;  ///< how many each has
  boost::unordered_flat_map<std::string, std::size_t> metrics_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> sums_;  ///< by context and metric
};

}  // namespace cachescape::collect
