#include "model/sharing_table.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace cachescape::model {
namespace {

void add(SharingCounts& to, const SharingCounts& more) {
  for (std::size_t s = 0; s < sharing_kinds; ++s) add_to(to[s], more[s]);
}

Group site_group(const Places& places, std::uint32_t site, Grouping grouping) {
  return site == nowhere ? Group{} : group_of_site(places, site, grouping);
}

std::string variable_of(const Places& places, std::uint32_t site) {
  return site == nowhere ? std::string() : places.sites[site].variable;
}

ThreadUse use_of(const Places& places, const LineUse& use, LineSize line) {
  ThreadUse u;
  u.thread = use.thread;
  u.reads = !use.writes;
  u.writes = use.writes;
  if (use.bytes != 0) {
    u.first_byte = static_cast<std::uint32_t>(std::countr_zero(use.bytes)) << mask_granule_bits(line);
    u.last_byte = (static_cast<std::uint32_t>(64 - std::countl_zero(use.bytes)) << mask_granule_bits(line)) - 1;
  }
  u.line = site_group(places, use.site, Grouping::line);
  u.function = site_group(places, use.site, Grouping::function);
  u.variable = variable_of(places, use.site);
  return u;
}

/// Joins what a thread does to the same bytes at the same place.
void add(std::vector<ThreadUse>& uses, ThreadUse use) {
  const auto key = [](const ThreadUse& u) {
    return std::tie(u.thread, u.first_byte, u.last_byte, u.line, u.function, u.variable);
  };
  const auto same = std::ranges::find_if(uses, [&](const ThreadUse& u) { return key(u) == key(use); });
  if (same == uses.end()) {
    uses.push_back(std::move(use));
    return;
  }
  same->reads = same->reads || use.reads;
  same->writes = same->writes || use.writes;
}

/// Where each thread uses bytes of its own, the least distance from one thread's first byte to the next one's.
std::optional<Padding> padding_of(const SharedLine& shared, LineSize line) {
  std::map<std::uint32_t, std::uint64_t> by_thread;
  for (const LineUse& use : shared.uses) by_thread[use.thread] |= use.bytes;
  std::vector<std::uint32_t> starts;
  std::uint64_t seen = 0;
  for (const auto& [thread, bytes] : by_thread) {
    if ((seen & bytes) != 0 || bytes == 0) return std::nullopt;
    seen |= bytes;
    starts.push_back(static_cast<std::uint32_t>(std::countr_zero(bytes)) << mask_granule_bits(line));
  }
  if (starts.size() < 2) return std::nullopt;
  std::ranges::sort(starts);
  std::uint32_t part = starts[1] - starts[0];
  for (std::size_t i = 2; i < starts.size(); ++i) part = std::min(part, starts[i] - starts[i - 1]);
  const auto whole = static_cast<std::uint32_t>(line.bytes().value);
  return Padding{part, whole - part};
}

/// The object that a line's users say it belongs to; the smallest number where they differ.
std::uint32_t object_of(const SharedLine& line) {
  std::uint32_t object = nowhere;
  for (const LineUse& use : line.uses) object = std::min(object, use.object);
  return object;
}

}  // namespace

std::optional<SharingTable> sharing_of(const Profile& profile) {
  const auto own = std::ranges::find(profile.sharing.degrees, 1u, &CoherentProfile::degree);
  if (own == profile.sharing.degrees.end()) return std::nullopt;
  SharingTable table;
  table.line = own->line;
  for (const CoherentCounts& kind : own->kinds) {
    add_to(table.touches, kind.kept.total());
    for (std::size_t s = 0; s < sharing_kinds; ++s) {
      for (const Bin& b : kind.lost[s]) add_to(table.misses[s], b.count);
    }
  }
  for (const std::uint64_t misses : table.misses) add_to(table.touches, misses);

  const Places& places = profile.places;
  std::map<std::uint32_t, SharedObjectRow> by_object;
  std::map<std::uint32_t, std::map<SharingPlaces, SharingCounts>> by_places;
  for (const SharingPair& pair : profile.sharing.pairs) {
    add(by_object[pair.object].misses, pair.misses);
    const SharingPlaces p{site_group(places, pair.site, Grouping::line),
                          site_group(places, pair.site, Grouping::function),
                          variable_of(places, pair.site),
                          site_group(places, pair.writer_site, Grouping::line),
                          site_group(places, pair.writer_site, Grouping::function),
                          variable_of(places, pair.writer_site),
                          {}};
    add(by_places[pair.object][p], pair.misses);
  }
  for (auto& [object, row] : by_object) {
    for (const auto& [p, misses] : by_places[object]) {
      row.places.push_back(p);
      row.places.back().misses = misses;
    }
    std::ranges::stable_sort(row.places, is_worse, &SharingPlaces::misses);
  }
  for (const SharedLine& line : profile.sharing.lines) {
    SharedLineRow row{line.address, line.misses, {}, padding_of(line, table.line)};
    for (const LineUse& use : line.uses) add(row.uses, use_of(places, use, table.line));
    by_object[object_of(line)].lines.push_back(std::move(row));
  }
  for (auto& [object, row] : by_object) {
    if (object != nowhere) row.object = group_of_object(places, object);
    table.rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(table.rows, is_worse, &SharedObjectRow::misses);
  return table;
}

}  // namespace cachescape::model
