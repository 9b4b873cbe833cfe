#include "observe/collect/call_contexts.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>

#include "session/context.h"
#include "session/session_atomic.h"

namespace cachescape::collect {

std::vector<SessionContext> read_contexts(const SessionFile& session) {
  struct Read {
    std::uint64_t at, parent_at;
    SessionContext context;
  };
  std::vector<Read> newest_first;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers;  // by offset
  std::uint64_t bytes_left = session.header().arena_bytes;          // honest contexts do not overlap
  for (std::uint64_t at = cachescape_load64(&session.header().contexts_at); at != 0;) {
    const auto bytes = session.bytes(at, sizeof(cachescape_context));
    if (bytes.empty() || at % alignof(std::uint64_t) != 0 || !numbers.try_emplace(at, nowhere).second) break;
    cachescape_context c;
    std::memcpy(&c, bytes.data(), sizeof c);
    const auto counts = session.bytes(at + sizeof c, std::uint64_t{c.counters} * sizeof(std::uint64_t));
    if (sizeof c + counts.size() > bytes_left || (counts.empty() && c.counters != 0)) break;
    bytes_left -= sizeof c + counts.size();
    const auto* const first = reinterpret_cast<const std::uint64_t*>(counts.data());
    newest_first.push_back({at, c.parent_at, {nowhere, c.module, c.first_counter, c.flags, {first, c.counters}}});
    at = c.next_at;
  }
  std::vector<SessionContext> contexts;
  for (const Read& read : newest_first | std::views::reverse) {
    const auto parent = numbers.find(read.parent_at);
    contexts.push_back(read.context);
    contexts.back().parent = parent == numbers.end() ? nowhere : parent->second;
    numbers[read.at] = static_cast<std::uint32_t>(contexts.size() - 1);
  }
  return contexts;
}

std::uint32_t ContextTable::number(std::uint32_t caller, const std::string& function, const std::string& module) {
  if (caller != nowhere && callers_[caller] + 1 > most_callers) caller = number(nowhere, others, "");
  const auto [at, is_new] =
      numbers_.try_emplace({caller, function, module}, static_cast<std::uint32_t>(contexts_.size()));
  if (is_new) {
    contexts_.push_back({caller, function, module, false, 0});
    callers_.push_back(caller == nowhere ? 0 : callers_[caller] + 1);
  }
  return at->second;
}

void ContextTable::finish(Places& places) && {
  std::vector<const std::string*> names(metrics_.size());
  for (const auto& [name, number] : metrics_) names[number] = &name;
  for (const auto& [key, value] : sums_) places.context_counted.push_back({key.first, *names[key.second], value});
  std::ranges::sort(places.context_counted, {}, [](const ContextCounted& c) { return std::tie(c.context, c.metric); });
  places.contexts = std::move(contexts_);
}

}  // namespace cachescape::collect
