#include "observe/collect/object_map.hpp"

#include <algorithm>
#include <limits>

#include "observe/collect/callers_location.hpp"

namespace cachescape::collect {
namespace {

std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return bytes > most - address ? most : address + bytes;
}

}  // namespace

void ObjectMap::clear(std::uint64_t begin, std::uint64_t end, std::uint32_t for_object) {
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != ranges_.end() && at->first < end) {
    if (!at->second.freed) live_bytes_[at->second.object] -= at->second.end - at->first;
    // What is left of it belongs to nobody.
    const bool covered = at->first >= begin && at->second.end <= end;
    if (at->second.object != for_object || !covered) ++generation_;
    at = ranges_.erase(at);
    ++ranges_generation_;
  }
}

void ObjectMap::put(std::uint64_t begin, std::uint64_t end, std::uint32_t object) {
  if (end <= begin) return;
  clear(begin, end, object);
  small_.clear(begin, end);
  ranges_.emplace(begin, Range{end, object});
  ++ranges_generation_;
  count(object, end - begin);
}

void ObjectMap::count(std::uint32_t object, std::uint64_t bytes) {
  Object& o = objects_[object];
  ++o.allocations;
  o.bytes += bytes;
  live_bytes_[object] += bytes;
  o.most_bytes = std::max(o.most_bytes, live_bytes_[object]);
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

std::uint32_t ObjectMap::heap_object(const AllocationOrigin& origin, const ModuleSet& modules) {
  const auto [entry, is_new] = by_origin_.try_emplace(origin, static_cast<std::uint32_t>(objects_.size()));
  if (!is_new) return entry->second;
  if (origin.site < modules.sites().size() && origin.location != nowhere) {
    // A loop that the compiler has unrolled allocates at several sites.
    const std::string& variable = modules.sites()[origin.site].variable;
    const auto [same, first] = by_line_.try_emplace({origin.location, variable, origin.others}, entry->second);
    if (!first) return entry->second = same->second;
  }
  Object& o = objects_.emplace_back();
  live_bytes_.push_back(0);
  o.kind = Object::Kind::heap;
  if (origin.site < modules.sites().size()) {
    const Site& made_by = modules.sites()[origin.site];
    o.name = made_by.variable;
    o.location = callers_location(origin.location, modules.locations());
    // What a container of the standard library calls it says little.
    if (o.location != origin.location) o.name = modules.locations()[o.location].function;
    if (o.name.empty() && origin.location != nowhere) o.name = modules.locations()[origin.location].function;
    if (o.name.empty() && made_by.block != nowhere) o.name = modules.blocks()[made_by.block].function;
  }
  if (origin.others) o.name += " (other call stacks)";
  return entry->second;
}

void ObjectMap::allocate(std::uint64_t address, std::uint64_t bytes, const AllocationOrigin& origin,
                         const ModuleSet& modules) {
  const std::uint64_t end = end_of(address, bytes);
  const std::uint32_t object = heap_object(origin, modules);
  if (address % SmallObjects::granule != 0 || end - address > SmallObjects::most_bytes || end == address)
    return put(address, end, object);
  free(address);
  clear(address, end, nowhere);
  small_.put(address, end - address, object);
  count(object, end - address);
}

void ObjectMap::free(std::uint64_t address) {
  if (const SmallObjects::Removed small = small_.remove(address); small.object != nowhere) {
    live_bytes_[small.object] -= small.bytes;
    return;
  }
  const auto at = ranges_.find(address);
  if (at == ranges_.end() || at->second.freed) return;
  live_bytes_[at->second.object] -= at->second.end - at->first;
  at->second.freed = true;
  ++ranges_generation_;
}

void ObjectMap::unmap(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = end_of(address, bytes);
  if (const auto small = small_.remove(address); small.object != nowhere) live_bytes_[small.object] -= small.bytes;
  small_.clear(address, end);
  auto at = ranges_.upper_bound(address);
  if (at != ranges_.begin() && std::prev(at)->second.end > address) --at;
  while (at != ranges_.end() && at->first < end) {
    const auto [first, range] = *at;
    at = ranges_.erase(at);
    if (first < address) ranges_.emplace(first, Range{address, range.object, range.freed});
    if (range.end > end) at = ranges_.emplace(end, Range{range.end, range.object, range.freed}).first;
    if (!range.freed) live_bytes_[range.object] -= std::min(range.end, end) - std::max(first, address);
    ++generation_;
    ++ranges_generation_;
  }
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
