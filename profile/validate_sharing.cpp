#include <algorithm>
#include <string>
#include <string_view>

#include "profile/problems.hpp"
#include "profile/scope_text.hpp"
#include "profile/sharing_rows.hpp"

namespace cachescape::profile {
namespace {

using Wide = unsigned __int128;

constexpr std::array<std::string_view, sharing_fates> fate_words = {"keep their lines", "lose theirs to true sharing",
                                                                    "lose theirs to false sharing"};

/// Caches see what the threads do, or less where there were too many threads to follow; each touches a line for the
/// first time once.
void validate_touches(const CoherentProfile& degree, const StackProfile& stack, const std::string& name,
                      Problems& problems) {
  Wide cold = 0;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    cold += degree.kinds[k].kept.cold;
    if (touches_of(degree.kinds[k]) <= stack.kinds[k].total()) continue;
    problems.add("{}: {} {} touches are more than the {} of the program", name, touches_of(degree.kinds[k]),
                 kind_names[k], stack.kinds[k].total());
  }
  if (cold > Wide{stack.footprint_lines} * degree.caches) {
    problems.add("{}: {} caches make more first touches than the {} lines of the footprint allow", name, degree.caches,
                 stack.footprint_lines);
  }
}

/// Each is something that befalls a touch, and upgrades befall those that write.
void validate_events(const CoherentProfile& degree, const std::string& name, Problems& problems) {
  Wide touches = 0;
  Wide writing = 0;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    touches += touches_of(degree.kinds[k]);
    if (writes(static_cast<AccessKind>(k))) writing += touches_of(degree.kinds[k]);
  }
  if (count_of(degree.remote) > touches) {
    problems.add("{}: {} touches find the line in another cache, but there are only {}", name, count_of(degree.remote),
                 static_cast<std::uint64_t>(touches));
  }
  Wide lost = 0;
  for (const CoherentCounts& counts : degree.kinds) {
    for (const std::vector<Bin>& bins : counts.lost) lost += count_of(bins);
  }
  if (lost > count_of(degree.taken)) {
    problems.add("{}: {} touches miss lines that others have taken, but only {} were taken", name,
                 static_cast<std::uint64_t>(lost), count_of(degree.taken));
  }
  for (const auto* upgrades : {&degree.upgrades, &degree.msi_upgrades[0]}) {
    if (count_of(*upgrades) <= writing) continue;
    problems.add("{}: {} upgrades are more than {} touches that write", name, count_of(*upgrades),
                 static_cast<std::uint64_t>(writing));
  }
  Wide asking = 0;
  Wide spared = 0;
  auto ask = degree.msi_upgrades[0].begin();
  for (const Bin& end : degree.msi_upgrades[1]) {
    for (; ask != degree.msi_upgrades[0].end() && ask->value <= end.value; ++ask) asking += ask->count;
    spared += end.count;
    if (spared <= asking) continue;
    problems.add("{}: caches of more than {} lines are spared more MSI upgrades than they had to make", name,
                 end.value);
    break;
  }
}

/// Sets change where a line lies, not whether another cache takes it; and one set is a stack.
void validate_sets(const CoherentProfile& degree, const CoherentSets& sets, const std::string& degree_name,
                   Problems& problems) {
  const std::string name = fmt::format("{}, {} sets", degree_name, sets.sets);
  for (std::size_t k = 0; k < access_kinds; ++k) {
    for (std::size_t fate = 0; fate < sharing_fates; ++fate) {
      const std::vector<Bin>& bins = bins_of_fate(degree.kinds[k], fate);
      const std::vector<std::uint64_t>& cells = cells_of_fate(sets, k, fate);
      std::uint64_t sum = 0;
      for (const std::uint64_t count : cells) sum += count;
      if (sum > count_of(bins)) {
        problems.add("{}: {} {} touches {}, but only {} do in any cache", name, sum, kind_names[k], fate_words[fate],
                     count_of(bins));
      }
      if (sets.sets != 1) continue;
      auto bin = bins.begin();
      for (std::uint64_t d = 0; d < degree.ways; ++d) {
        const bool here = bin != bins.end() && bin->value == d;
        const std::uint64_t expected = here ? bin->count : 0;
        if (here) ++bin;
        if (cells[d] == expected) continue;
        problems.add("{}: {} {} touches {} at distance {}, but {} do in a stack", name, cells[d], kind_names[k],
                     fate_words[fate], d, expected);
        break;
      }
    }
  }
}

/// Pairs and lines tell of the misses of caches for single threads: of all of them, or of some.
void validate_misses(const Profile& profile, Problems& problems) {
  const Sharing& sharing = profile.sharing;
  std::array<std::uint64_t, sharing_kinds> misses{};
  for (const CoherentProfile& d : sharing.degrees) {
    if (d.degree != 1) continue;
    for (std::size_t s = 0; s < sharing_kinds; ++s) {
      std::uint64_t lost = 0;
      for (const CoherentCounts& counts : d.kinds) add_to(lost, count_of(counts.lost[s]));
      misses[s] = std::max(misses[s], lost);
    }
  }
  const auto compare = [&](const auto& parts, std::string_view what) {
    for (std::size_t s = 0; s < sharing_kinds; ++s) {
      Wide sum = 0;
      for (const auto& part : parts) sum += part.misses[s];
      if (sum <= misses[s]) continue;
      problems.add("all {} together have more misses by {} sharing than the {} of sharing by 1 thread", what,
                   s == 0 ? "true" : "false", misses[s]);
    }
  };
  compare(sharing.pairs, "pairs of sharing");
  compare(sharing.lines, "shared lines");
  for (const SharedLine& line : sharing.lines) {
    for (const LineUse& use : line.uses) {
      if (std::ranges::find(profile.threads, ThreadId{use.thread}, &ThreadCounts::thread) != profile.threads.end())
        continue;
      problems.add("the shared line at {:#x} is used by thread {}, which the program does not have", line.address.value,
                   use.thread);
      return;
    }
  }
}

}  // namespace

void validate_sharing(const Profile& profile, Problems& problems) {
  for (const CoherentProfile& degree : profile.sharing.degrees) {
    const std::string name = sharing_text(degree.degree, degree.line);
    const auto stack = std::ranges::find_if(
        profile.stacks, [&](const StackProfile& s) { return s.scope == Scope{} && s.line == degree.line; });
    if (stack != profile.stacks.end()) validate_touches(degree, *stack, name, problems);
    validate_events(degree, name, problems);
    for (const CoherentSets& sets : degree.sets) validate_sets(degree, sets, name, problems);
  }
  validate_misses(profile, problems);
}

}  // namespace cachescape::profile
