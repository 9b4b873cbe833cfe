#include "model/sharing_table.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

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

/// Bytes of a line that belong together, as a mask, and whose they are.
struct Part {
  std::uint32_t thread = nowhere;  ///< nowhere: read by whoever does
  std::uint64_t bytes = 0;

  int first() const { return std::countr_zero(bytes); }
  int end() const { return 64 - std::countl_zero(bytes); }
};

using Masks = std::map<std::uint32_t, std::uint64_t>;

/// The first thread often sets up what it then hands to others: that makes it no part of its own. What is left to it
/// are bytes outside of all that the others use, from their first bytes to their last ones.
void leave_to_others(std::uint32_t first, Masks& used, Masks& written) {
  if (!written.contains(first)) return;
  std::uint64_t others = 0;
  for (const auto& [thread, bytes] : written)
    if (thread != first) others |= bytes;
  const std::uint64_t own = written.at(first) & ~others;
  const Part rest{first, own};
  const bool within = own == 0 || std::ranges::any_of(used, [&](const auto& use) {
                        const Part part{use.first, use.second};
                        return use.first != first && written.contains(use.first) && part.first() < rest.end() &&
                               rest.first() < part.end();
                      });
  if (within) {
    used.erase(first);
    written.erase(first);
  } else {
    used[first] = written[first] = own;
  }
}

/// What each thread writes, with what nobody else uses; where one thread alone writes, what is only read beside. From
/// the first byte to the last. None where two threads write the same bytes, which nothing keeps apart. Others' reading
/// of what a thread writes needs its lines, wherever they lie. `first` is the program's first thread.
std::vector<Part> parts_of(const SharedLine& line, std::uint32_t first) {
  Masks used;
  Masks written;
  for (const LineUse& use : line.uses) {
    used[use.thread] |= use.bytes;
    if (use.writes && use.bytes != 0) written[use.thread] |= use.bytes;
  }
  // Two others at least, or there would be no parts; and data that is handed over all the time is truly shared.
  if (written.size() > 2 && line.misses[falsely] > line.misses[truly]) leave_to_others(first, used, written);
  std::uint64_t all_written = 0;
  for (const auto& [thread, bytes] : written) {
    if ((all_written & bytes) != 0) return {};
    all_written |= bytes;
  }
  std::vector<Part> parts;
  std::uint64_t only_read = 0;
  for (const auto& [thread, bytes] : used) {
    std::uint64_t others = all_written;
    for (const auto& [other, theirs] : used)
      if (other != thread) others |= theirs;
    only_read |= bytes & ~all_written;
    if (const auto own = written.find(thread); own != written.end())
      parts.push_back({thread, own->second | (bytes & ~others)});
  }
  if (parts.size() == 1 && (only_read & ~parts.front().bytes) != 0)
    parts.push_back({nowhere, only_read & ~parts.front().bytes});
  std::ranges::sort(parts, {}, &Part::first);
  return parts;
}

/// Where the last part of a line begins, if it is the thread's.
std::optional<int> last_start(const std::vector<Part>& parts, std::uint32_t thread) {
  const auto last = std::ranges::max_element(parts, {}, &Part::end);
  if (last == parts.end() || last->thread != thread) return std::nullopt;
  int others_end = 0;
  for (const Part& part : parts)
    if (part.thread != thread) others_end = std::max(others_end, part.end());
  return std::countr_zero(last->bytes >> others_end) + others_end;
}

/// All lines that the profile tells of.
struct Lines {
  std::map<Address, const SharedLine*> by_address;
  std::uint32_t first_thread = 0;

  std::vector<Part> parts_at(Address address) const {
    const auto found = by_address.find(address);
    return found == by_address.end() ? std::vector<Part>{} : parts_of(*found->second, first_thread);
  }
};

/// Where threads have parts of their own, the least distance from one's first byte to the next one's.
std::optional<Padding> padding_of(const SharedLine& shared, const Lines& lines, LineSize line) {
  const std::vector<Part> parts = parts_of(shared, lines.first_thread);
  if (parts.size() < 2) return std::nullopt;
  const std::uint64_t whole = line.bytes().value;
  const int granules = static_cast<int>(whole >> mask_granule_bits(line));
  // A part that comes from the line before begins there.
  std::vector<int> starts;
  for (const Part& part : parts) {
    const auto before = part.first() > 0
                            ? std::nullopt
                            : last_start(lines.parts_at(Address{shared.address.value - whole}), part.thread);
    starts.push_back(before ? *before - granules : part.first());
  }
  Padding padding;
  const std::vector<Part> after = lines.parts_at(Address{shared.address.value + whole});
  padding.straddles = starts.front() < 0 || (!after.empty() && after.front().first() == 0 &&
                                             last_start(parts, after.front().thread).has_value());
  int least = starts[1] - starts[0];
  for (std::size_t i = 2; i < starts.size(); ++i) least = std::min(least, starts[i] - starts[i - 1]);
  padding.part = static_cast<std::uint32_t>(least) << mask_granule_bits(line);
  padding.bytes = static_cast<std::uint32_t>((whole - padding.part % whole) % whole);
  return padding;
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
  Lines lines;
  if (!profile.threads.empty()) lines.first_thread = profile.threads.front().thread.value;
  for (const SharedLine& line : profile.sharing.lines) lines.by_address.emplace(line.address, &line);
  for (const SharedLine& line : profile.sharing.lines) {
    SharedLineRow row{line.address, line.misses, {}, padding_of(line, lines, table.line)};
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
