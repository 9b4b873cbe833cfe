#include "model/groups.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace cachescape::model {
namespace {

constexpr std::array<std::string_view, 6> names = {"function", "container", "line", "variable", "object", "block"};

const Location* location_at(const Places& places, std::uint32_t index) {
  return index == nowhere ? nullptr : &places.locations[index];
}

const Block* block_at(const Places& places, std::uint32_t index) {
  return index == nowhere ? nullptr : &places.blocks[index];
}

std::string line_name(const Location& at) { return at.file.empty() ? "" : fmt::format("{}:{}", at.file, at.line); }

Group named(std::string name) {
  Group group;
  group.name = std::move(name);
  return group;
}

/// Code without debug information still has the symbol that contains it.
Group by_function(const Location* at, const Block* block) {
  if (at != nullptr && !at->function.empty()) return named(at->function);
  return named(block != nullptr ? block->function : "");
}

/// Code without debug information is told by its function.
Group by_line(const Location* at, const Block* block) {
  if (at == nullptr || at->file.empty()) return by_function(at, block);
  Group group = named(line_name(*at));
  group.file = at->file;
  group.line = at->line;
  return group;
}

Group by_block(const Places& places, std::uint32_t index) {
  const Block* block = block_at(places, index);
  if (block == nullptr) return {};
  Group group;
  const Location* at = location_at(places, block->location);
  if (at != nullptr) {
    group.name = line_name(*at);
    group.file = at->file;
    group.line = at->line;
  }
  if (group.name.empty()) group.name = fmt::format("block {}", index + 1);
  group.function = block->function;
  group.number = index;
  return group;
}

Group grouped(const Places& places, const Location* at, std::uint32_t block, Grouping grouping) {
  switch (grouping) {
    case Grouping::function:
      return by_function(at, block_at(places, block));
    case Grouping::container: {
      const Block* container = block_at(places, block);
      return named(container != nullptr ? container->function : "");
    }
    case Grouping::line:
      return by_line(at, block_at(places, block));
    case Grouping::block:
      return by_block(places, block);
    case Grouping::variable:
    case Grouping::object:
      break;
  }
  return {};
}

}  // namespace

std::string_view name_of(Grouping grouping) { return names[static_cast<std::size_t>(grouping)]; }

std::string_view name_of(Object::Kind kind) {
  static constexpr std::array<std::string_view, 4> kinds = {"unknown", "heap", "global", "stack"};
  return kinds[static_cast<std::size_t>(kind)];
}

std::optional<Grouping> grouping_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Grouping>(i);
  }
  return std::nullopt;
}

Group group_of_site(const Places& places, std::uint32_t site, Grouping grouping) {
  const Site& s = places.sites[site];
  if (grouping == Grouping::variable) return named(s.variable);
  return grouped(places, location_at(places, s.location), s.block, grouping);
}

Group group_of_object(const Places& places, std::uint32_t object) {
  const Object& o = places.objects[object];
  Group group = named(o.name.empty() ? fmt::format("object {}", object + 1) : o.name);
  if (const Location* at = location_at(places, o.location)) {
    group.file = at->file;
    group.line = at->line;
  }
  group.number = object;
  group.kind = o.kind;
  group.size = o.most_bytes;
  group.allocations = o.allocations;
  if (o.kind == Object::Kind::heap) {
    const Location* call = location_at(places, o.location);
    for (; call != nullptr; call = location_at(places, call->inlined_at))
      group.calls.push_back({call->function, call->file, call->line});
  }
  return group;
}

Group group_of_block(const Places& places, std::uint32_t block, Grouping grouping) {
  const Block* b = block_at(places, block);
  return grouped(places, b == nullptr ? nullptr : location_at(places, b->location), block, grouping);
}

}  // namespace cachescape::model
