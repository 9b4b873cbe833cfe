#include "model/places.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "model/kind_counts.hpp"
#include "model/placement.hpp"
#include "model/scaling.hpp"

namespace cachescape::model {
namespace {

using machine::Level;
using machine::Machine;

std::uint64_t lines_at(const Machine& machine, const std::vector<std::size_t>& instances, std::size_t i,
                       LineSize line) {
  // Capacity in bytes decides, so that a level with another line size keeps its size.
  double bytes = 0;
  for (std::size_t j = i + 1; j-- > 0;) {
    bytes += static_cast<double>(machine.levels[j].size().value) * static_cast<double>(instances[j]);
    if (machine.levels[j].inclusion != machine::Inclusion::exclusive) break;
  }
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes / static_cast<double>(line.bytes().value)));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

/// Which levels are not what their places are judged by.
std::vector<std::string> notes_on(const Machine& machine, const std::vector<std::size_t>& instances, LineSize line) {
  std::vector<std::string> associative;
  std::vector<std::string> other_line;
  std::vector<std::string> several;
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const Level& level = machine.levels[i];
    if (level.sets > 1) associative.push_back(level.name);
    if (level.line != line) other_line.push_back(level.name);
    if (instances[i] > 1) several.push_back(level.name);
  }
  std::vector<std::string> notes;
  if (!associative.empty() || !other_line.empty()) {
    std::string note =
        fmt::format("misses by place are those of fully associative LRU caches with {}-byte lines", line.bytes().value);
    if (!associative.empty()) note += fmt::format("; set associative: {}", listed(associative));
    if (!other_line.empty()) note += fmt::format("; with other lines: {}", listed(other_line));
    notes.push_back(std::move(note));
  }
  if (!several.empty()) {
    notes.push_back(
        fmt::format("several instances are judged by place as one cache with the lines of all: {}", listed(several)));
  }
  return notes;
}

/// A place's counts at the levels, scaled to the whole program.
PlaceRow row_of(const PlaceDistances& place, const std::vector<PlaceLevel>& levels, const Scaling& scaling) {
  PlaceRow row;
  row.accesses = place.accesses;
  row.bytes = place.bytes;
  row.misses.resize(levels.size());
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const Histogram& h = place.kinds[k];
    const std::uint64_t counted = h.total();
    row.cold[k] = scaling.scaled(h.cold);
    row.touches[k] = scaling.scaled(counted);
    if (scaling.by_lines()) {
      // Whether a hot line was chosen decides how many touches were counted, not how many missed: the accesses are
      // known, and what the weighted counts lack or exceed are hits.
      row.touches[k] = std::max(place.accesses[k], scaling.scaled(counted - h.below(1)));
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::uint64_t missed = scaling.scaled(counted - h.below(levels[i].lines));
      row.misses[i][k] = std::min(row.touches[k], missed);
    }
  }
  return row;
}

std::uint64_t misses_of(const PlaceRow& row) {
  std::uint64_t misses = 0;
  for (const KindCounts& m : row.misses) misses += sum(m);
  return misses;
}

}  // namespace

void add(PlaceRow& to, const PlaceRow& row) {
  add(to.accesses, row.accesses);
  to.bytes += row.bytes;
  add(to.touches, row.touches);
  add(to.cold, row.cold);
  to.misses.resize(std::max(to.misses.size(), row.misses.size()));
  for (std::size_t i = 0; i < row.misses.size(); ++i) add(to.misses[i], row.misses[i]);
}

PlaceTable places_of(const Profile& profile, const Machine& machine, Grouping grouping) {
  const Places& places = profile.places;
  PlaceTable table;
  table.grouping = grouping;
  table.line = places.line;
  std::vector<std::size_t> instances;
  for (const Level& level : machine.levels) {
    instances.push_back(threads_by_instance(profile.threads.size(), machine.cores, level.shared_by).size());
  }
  table.notes = notes_on(machine, instances, places.line);
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const std::string& name = machine.levels[i].name;
    const std::uint64_t lines = lines_at(machine, instances, i, places.line);
    table.levels.push_back({name, place_distance(lines)});
    if (place_distance(lines) != lines) {
      table.notes.push_back(fmt::format("{} is judged by place with {} lines instead of {}: distances are rounded",
                                        name, place_distance(lines), lines));
    }
  }

  const Scaling scaling = scaling_of(profile, Scope{});
  const bool objects = grouping == Grouping::object;
  std::map<Group, PlaceRow> rows;
  table.total.misses.resize(table.levels.size());
  for (const PlaceDistances& place : objects ? places.object_distances : places.site_distances) {
    Group group = objects ? group_of_object(places, place.place) : group_of_site(places, place.place, grouping);
    const PlaceRow row = row_of(place, table.levels, scaling);
    add(rows[std::move(group)], row);
    add(table.total, row);
  }
  for (auto& [group, row] : rows) {
    row.group = group;
    table.rows.push_back(std::move(row));
  }
  return table;
}

void sort(std::vector<PlaceRow>& rows, PlaceOrder order) {
  const auto key = [order](const PlaceRow& row) {
    const std::uint64_t accesses = sum(row.accesses);
    const std::uint64_t first = order == PlaceOrder::accesses ? accesses : order == PlaceOrder::bytes ? row.bytes : 0;
    return std::tuple(first, misses_of(row), accesses);
  };
  std::ranges::stable_sort(rows, std::greater<>{}, key);
}

}  // namespace cachescape::model
