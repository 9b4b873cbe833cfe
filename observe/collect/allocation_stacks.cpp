#include "observe/collect/allocation_stacks.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <ranges>
#include <string>

#include <fmt/format.h>

#include "session/session_atomic.h"
#include "session/stack.h"

namespace cachescape::collect {
namespace {

template <class Row>
std::optional<Row> session_row(const SessionFile& session, std::uint64_t at) {
  const auto bytes = session.bytes(at, sizeof(Row));
  if (bytes.size() != sizeof(Row)) return std::nullopt;
  Row row;
  std::memcpy(&row, bytes.data(), sizeof row);
  return row;
}

/// What calls main() is the same for all.
void drop_before_main(std::vector<Location>& calls) {
  const auto is_main = [](const Location& l) { return l.function == "main" || l.function == "_QQmain"; };
  const auto last = std::find_if(calls.rbegin(), calls.rend(), is_main);
  if (last != calls.rend()) calls.erase(calls.begin(), std::prev(last.base()));
}

bool is_runtime(const std::string& path) {
  return std::filesystem::path(path).filename().string().starts_with("libcachescape_runtime");
}

/// Drops what lies between two calls in one function, and the outer of them.
void fold_recursion(std::vector<Location>& calls) {
  std::vector<Location> folded;
  for (Location& call : calls) {
    const auto before = std::find_if(folded.begin(), folded.end(), [&](const Location& l) {
      return l.function == call.function && !l.function.empty();
    });
    folded.erase(before, folded.end());
    folded.push_back(std::move(call));
  }
  calls = std::move(folded);
}

}  // namespace

void AllocationStacks::read_loaded(const SessionFile& session) {
  const std::uint64_t newest = cachescape_load64(&session.header().loaded_at);
  std::vector<symbols::MappedObject> fresh;
  constexpr std::size_t most = 4096;  // a broken chain must not be endless
  for (std::uint64_t at = newest; at != 0 && at != last_loaded_ && fresh.size() < most;) {
    const auto row = session_row<cachescape_loaded>(session, at);
    if (!row || row->path_bytes > CACHESCAPE_MAX_PATH || row->build_id_bytes > CACHESCAPE_MAX_BUILD_ID) break;
    const std::uint64_t texts = std::uint64_t{row->path_bytes} + row->build_id_bytes;
    const auto text = session.bytes(at + sizeof *row, texts);
    if (text.size() != texts) break;
    symbols::MappedObject& object = fresh.emplace_back();
    object.path.assign(reinterpret_cast<const char*>(text.data()), row->path_bytes);
    object.begin = row->begin;
    object.end = row->end;
    object.bias = row->bias;
    for (const std::uint8_t byte : text.subspan(row->path_bytes)) object.build_id += fmt::format("{:02x}", byte);
    at = row->next_at;
  }
  for (const symbols::MappedObject& object : fresh | std::views::reverse) symbolizer_->add(object);
  last_loaded_ = newest;
}

std::vector<Location> AllocationStacks::calls(std::uint64_t at, const SessionFile& session) {
  const auto stack = session_row<cachescape_stack>(session, at);
  if (!stack) return {};
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(stack->frames, CACHESCAPE_STACK_FRAMES); ++i)
    addresses.push_back(stack->frame[i] - 1);
  std::vector<Location> innermost_first;
  for (const symbols::CodePlace& place : symbolizer_->locate(addresses)) {
    if (place.known == symbols::Known::nothing || is_runtime(symbolizer_->modules()[place.module])) break;
    if (place.location == nowhere) {
      innermost_first.push_back(
          {std::filesystem::path(symbolizer_->modules()[place.module]).filename(), {}, 0, 0, nowhere});
      continue;
    }
    for (std::uint32_t l = place.location; l != nowhere; l = symbolizer_->locations()[l].inlined_at) {
      innermost_first.push_back(symbolizer_->locations()[l]);
      innermost_first.back().inlined_at = nowhere;
      innermost_first.back().column = 0;  // calls on one line are one: nobody could tell them apart in a report
    }
  }
  return {innermost_first.rbegin(), innermost_first.rend()};
}

std::optional<std::uint32_t> AllocationStacks::chain(const std::vector<Location>& calls, ModuleSet& modules) {
  if (const auto known = chains_.find(calls); known != chains_.end()) return known->second;
  if (chains_.size() == most_chains) return std::nullopt;
  std::uint32_t outer = nowhere;
  for (Location call : calls) {
    call.inlined_at = outer;
    outer = modules.add_location(std::move(call));
  }
  chains_.emplace(calls, outer);
  return outer;
}

AllocationOrigin AllocationStacks::found(AllocationOrigin origin, std::uint64_t stack, const SessionFile& session,
                                         ModuleSet& modules) {
  origin.others = stack == CACHESCAPE_OTHER_STACK;
  if (!origin.others) {
    read_loaded(session);
    std::vector<Location> all = calls(stack, session);
    if (all.empty()) return origin;
    std::vector<Location> own;
    for (std::uint32_t l = origin.location; l != nowhere; l = modules.locations()[l].inlined_at) {
      own.push_back(modules.locations()[l]);
      own.back().inlined_at = nowhere;
    }
    all.insert(all.end(), own.rbegin(), own.rend());
    drop_before_main(all);
    fold_recursion(all);
    if (all.size() == own.size()) return origin;
    if (const auto location = chain(all, modules)) {
      origin.location = *location;
    } else {
      origin.others = true;
    }
  }
  cut_ |= origin.others;
  return origin;
}

AllocationOrigin AllocationStacks::known_or_found(const AllocationOrigin& origin, std::uint64_t stack,
                                                  const SessionFile* session, ModuleSet& modules) {
  if (stack == 0 || session == nullptr) return origin;
  const auto [known, is_new] = known_.try_emplace({origin.site, stack});
  if (is_new) known->second = found(origin, stack, *session, modules);
  return known->second;
}

AllocationOrigin AllocationStacks::origin(std::uint32_t site, std::uint64_t stack, const SessionFile* session,
                                          ModuleSet& modules) {
  if (site >= modules.sites().size()) return {};
  return known_or_found({site, modules.sites()[site].location, false}, stack, session, modules);
}

void AllocationStacks::add_mapping(const Mapping& mapping, const CodeFile& of, const std::string& debug_folder) {
  if (!has_mappings_)
    symbolizer_ = std::make_unique<symbols::Symbolizer>(std::vector<symbols::MappedObject>(), debug_folder);
  has_mappings_ = true;
  symbolizer_->add({of.path, mapping.begin, mapping.end, mapping.file_offset, {}, of.build_id});
}

AllocationOrigin AllocationStacks::code_origin(std::uint32_t site, std::uint64_t stack, const SessionFile* session,
                                               ModuleSet& modules) {
  if (site == nowhere) return {};
  return known_or_found({.site = site}, stack, session, modules);
}

}  // namespace cachescape::collect
