#include "profile/places_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profile/differ.hpp"

namespace cachescape::profile {
namespace {

/// Numbers things by what they look like. One input at a time.
template <class Look>
class Numbering {
 public:
  void next_input() { seen_.clear(); }

  /// The number of the n-th thing of this input that looks so, and whether it is new.
  std::pair<std::uint32_t, bool> number(const Look& look) {
    const std::uint32_t occurrence = seen_[look]++;
    const auto [at, is_new] = numbers_.try_emplace({look, occurrence}, static_cast<std::uint32_t>(numbers_.size()));
    return {at->second, is_new};
  }

 private:
  std::map<Look, std::uint32_t> seen_;
  std::map<std::pair<Look, std::uint32_t>, std::uint32_t> numbers_;
};

using Map = std::vector<std::uint32_t>;  ///< from an input's indices to those of the merged places

using LocationLook = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t>;
using BlockLook = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, bool, std::uint64_t>;
using SiteLook = std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>;
using ContextLook = std::tuple<std::uint32_t, std::string, std::string>;
using ObjectLook = std::tuple<Object::Kind, std::string, std::uint32_t>;

using DistanceSums = std::map<std::uint32_t, PlaceDistances>;

void add_distances(DistanceSums& sums, const std::vector<PlaceDistances>& more, const Map& places) {
  for (const PlaceDistances& d : more) {
    const std::uint32_t place = places[d.place];
    PlaceDistances& sum = sums[place];
    sum.place = place;
    sum.add(d);
  }
}

std::vector<PlaceDistances> in_order(DistanceSums&& sums) {
  std::vector<PlaceDistances> all;
  for (auto& [place, sum] : sums) all.push_back(std::move(sum));
  return all;
}

class Merger {
 public:
  explicit Merger(MergeKind kind) : kind_(kind) {}

  PlaceNumbers add_input(const Places& input) {
    const Map locations = add_locations(input);
    const Map blocks = add_blocks(input, locations);
    Map sites = add_sites(input, locations, blocks);
    Map objects = add_objects(input, locations);
    for (const Counted& c : input.counted) {
      const auto [at, is_new] = counters_.try_emplace({mapped(blocks, c.block), c.metric}, merged_.counted.size());
      if (is_new) merged_.counted.push_back({c.metric, at->first.first, 0});
      add_to(merged_.counted[at->second].value, c.value);
    }
    add_contexts(input);
    add_distances(site_distances_, input.site_distances, sites);
    add_distances(object_distances_, input.object_distances, objects);
    return {std::move(sites), std::move(objects)};
  }

  Places take(LineSize line) && {
    merged_.line = line;
    for (auto& [key, value] : context_counters_) merged_.context_counted.push_back({key.first, key.second, value});
    merged_.site_distances = in_order(std::move(site_distances_));
    merged_.object_distances = in_order(std::move(object_distances_));
    return std::move(merged_);
  }

 private:
  Map add_locations(const Places& input) {
    location_numbers_.next_input();
    Map map(input.locations.size(), nowhere);
    std::vector<std::uint32_t> chain;
    for (std::uint32_t i = 0; i < input.locations.size(); ++i) {
      // Calls first: what a location looks like depends on the call it was inlined at.
      for (std::uint32_t at = i; at != nowhere && map[at] == nowhere; at = input.locations[at].inlined_at) {
        chain.push_back(at);
      }
      for (; !chain.empty(); chain.pop_back()) {
        Location l = input.locations[chain.back()];
        l.inlined_at = mapped(map, l.inlined_at);
        const auto [number, is_new] = location_numbers_.number({l.function, l.file, l.line, l.column, l.inlined_at});
        map[chain.back()] = number;
        if (is_new) merged_.locations.push_back(std::move(l));
      }
    }
    return map;
  }

  Map add_blocks(const Places& input, const Map& locations) {
    block_numbers_.next_input();
    Map map;
    for (const Block& from : input.blocks) {
      Block b = from;
      b.location = mapped(locations, b.location);
      b.executions = 0;
      const auto [number, is_new] =
          block_numbers_.number({b.function, b.module, b.location, b.loop_depth, b.entry, b.instructions});
      map.push_back(number);
      if (is_new) merged_.blocks.push_back(std::move(b));
      add_to(merged_.blocks[number].executions, from.executions);
    }
    return map;
  }

  Map add_sites(const Places& input, const Map& locations, const Map& blocks) {
    site_numbers_.next_input();
    Map map;
    for (const Site& from : input.sites) {
      Site s = from;
      s.location = mapped(locations, s.location);
      s.block = mapped(blocks, s.block);
      const auto [number, is_new] = site_numbers_.number({s.location, s.block, s.variable, s.type});
      map.push_back(number);
      if (is_new) merged_.sites.push_back(std::move(s));
    }
    return map;
  }

  Map add_objects(const Places& input, const Map& locations) {
    object_numbers_.next_input();
    Map map;
    for (const Object& from : input.objects) {
      const std::uint32_t location = mapped(locations, from.location);
      const auto [number, is_new] = object_numbers_.number({from.kind, from.name, location});
      map.push_back(number);
      if (is_new) merged_.objects.push_back({from.kind, from.name, location, 0, 0, 0});
      Object& sum = merged_.objects[number];
      add_to(sum.allocations, from.allocations);
      add_to(sum.bytes, from.bytes);
      if (kind_ == MergeKind::runs) {
        sum.most_bytes = std::max(sum.most_bytes, from.most_bytes);
      } else {
        add_to(sum.most_bytes, from.most_bytes);
      }
    }
    return map;
  }

  /// Callers come first, here as there.
  void add_contexts(const Places& input) {
    context_numbers_.next_input();
    Map map;
    for (const Context& from : input.contexts) {
      const std::uint32_t caller = mapped(map, from.caller);
      const auto [number, is_new] = context_numbers_.number({caller, from.function, from.module});
      map.push_back(number);
      if (is_new) merged_.contexts.push_back({caller, from.function, from.module, false, 0});
      Context& sum = merged_.contexts[number];
      sum.recursive = sum.recursive || from.recursive;
      add_to(sum.calls, from.calls);
    }
    for (const ContextCounted& c : input.context_counted)
      add_to(context_counters_[{map[c.context], c.metric}], c.value);
  }

  MergeKind kind_;
  Places merged_;
  Numbering<LocationLook> location_numbers_;
  Numbering<BlockLook> block_numbers_;
  Numbering<SiteLook> site_numbers_;
  Numbering<ObjectLook> object_numbers_;
  Numbering<ContextLook> context_numbers_;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> counters_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> context_counters_;
  DistanceSums site_distances_;
  DistanceSums object_distances_;
};

bool has_distances(const Places& p) { return !p.site_distances.empty() || !p.object_distances.empty(); }

}  // namespace

Result<MergedPlaces> merge_places(std::span<const Profile> inputs, MergeKind kind) {
  std::optional<std::size_t> with;
  std::optional<std::size_t> without;
  std::optional<std::size_t> measured;
  Merger merger(kind);
  MergedPlaces merged;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Places& places = inputs[i].places;
    (places.empty() ? without : with) = i;
    if (with && without) {
      return differ(fmt::format("input {} has no places, but input {} has", *without + 1, *with + 1));
    }
    if (has_distances(places)) {
      if (!measured) measured = i;
      const LineSize line = inputs[*measured].places.line;
      if (places.line != line) {
        return differ(fmt::format("the line size of places differs: input {} has {} bytes, input {} has {}",
                                  *measured + 1, line.bytes().value, i + 1, places.line.bytes().value));
      }
    }
    merged.numbers.push_back(merger.add_input(places));
  }
  merged.places = std::move(merger).take(measured ? inputs[*measured].places.line : LineSize{6});
  return merged;
}

}  // namespace cachescape::profile
