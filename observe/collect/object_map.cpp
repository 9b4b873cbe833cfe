#include "observe/collect/object_map.hpp"

#include <algorithm>
#include <limits>

#include "observe/collect/callers_location.hpp"

namespace cachescape::collect {

void ObjectMap::clear(std::uint64_t begin, std::uint64_t end, std::uint32_t for_object) {
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != ranges_.end() && at->first < end) {
    if (!at->second.freed) live_bytes_[at->second.object] -= at->second.end - at->first;
    if (at->second.object != for_object) ++generation_;
    at = ranges_.erase(at);
  }
}

void ObjectMap::put(std::uint64_t begin, std::uint64_t end, std::uint32_t object) {
  if (end <= begin) return;
  clear(begin, end, object);
  ranges_.emplace(begin, Range{end, object});
  Object& o = objects_[object];
  ++o.allocations;
  o.bytes += end - begin;
  live_bytes_[object] += end - begin;
  o.most_bytes = std::max(o.most_bytes, live_bytes_[object]);
  ++gap_generation_;
}

std::uint32_t ObjectMap::add_global(const GlobalVariable& global) {
  const auto number = static_cast<std::uint32_t>(objects_.size());
  Object& o = objects_.emplace_back();
  o.kind = Object::Kind::global;
  o.name = global.name;
  o.location = global.location;
  live_bytes_.push_back(0);
  put(global.address.value, global.address.value + global.bytes, number);
  return number;
}

void ObjectMap::add_stack(std::uint64_t low, std::uint64_t high) {
  if (stack_ == nowhere) {
    stack_ = static_cast<std::uint32_t>(objects_.size());
    Object& o = objects_.emplace_back();
    o.kind = Object::Kind::stack;
    o.name = "stack";
    live_bytes_.push_back(0);
  }
  put(low, high, stack_);
}

std::uint32_t ObjectMap::heap_object(std::uint32_t site, const ModuleSet& modules) {
  const auto [entry, is_new] = by_site_.try_emplace(site, static_cast<std::uint32_t>(objects_.size()));
  if (!is_new) return entry->second;
  Object& o = objects_.emplace_back();
  live_bytes_.push_back(0);
  o.kind = Object::Kind::heap;
  if (site < modules.sites().size()) {
    const Site& made_by = modules.sites()[site];
    o.name = made_by.variable;
    o.location = callers_location(made_by.location, modules.locations());
    // What a container of the standard library calls it says little.
    if (o.location != made_by.location) o.name = modules.locations()[o.location].function;
    if (o.name.empty() && made_by.location != nowhere) o.name = modules.locations()[made_by.location].function;
    if (o.name.empty() && made_by.block != nowhere) o.name = modules.blocks()[made_by.block].function;
  }
  return entry->second;
}

void ObjectMap::allocate(std::uint64_t address, std::uint64_t bytes, std::uint32_t site, const ModuleSet& modules) {
  const std::uint64_t end = bytes > std::numeric_limits<std::uint64_t>::max() - address
                                ? std::numeric_limits<std::uint64_t>::max()
                                : address + bytes;
  put(address, end, heap_object(site, modules));
}

void ObjectMap::free(std::uint64_t address) {
  const auto at = ranges_.find(address);
  if (at == ranges_.end() || at->second.freed) return;
  live_bytes_[at->second.object] -= at->second.end - at->first;
  at->second.freed = true;
}

ObjectMap::Stretch ObjectMap::around(std::uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  std::uint64_t begin = 0;
  if (after != ranges_.begin()) {
    const auto& [first, range] = *std::prev(after);
    if (address < range.end) return {first, range.end, range.freed ? nowhere : range.object};
    begin = range.end;
  }
  return {begin, after == ranges_.end() ? std::numeric_limits<std::uint64_t>::max() : after->first, nowhere};
}

}  // namespace cachescape::collect
