#include <algorithm>
#include <numeric>

#include "profile/problems.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {
namespace {

// Every divisor is looked for among that many smaller numbers of sets: all of them in any grid that makes sense.
constexpr std::size_t look_back = 64;

std::string name_of(const SetProfile& profile, const SetCounts& counts) {
  return fmt::format("{}, {} sets", scope_text(profile.scope, profile.line), counts.sets);
}

/// One set is a stack.
void compare_single_set(const SetProfile& profile, const SetCounts& counts, const StackProfile& stack,
                        Problems& problems) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    auto bin = stack.kinds[k].bins.begin();
    for (std::uint64_t d = 0; d < profile.ways; ++d) {
      const bool here = bin != stack.kinds[k].bins.end() && bin->value == d;
      const std::uint64_t expected = here ? bin->count : 0;
      if (here) ++bin;
      if (counts.hits[k][d] == expected) continue;
      problems.add("{}: {} {} touches have distance {}, but {} have that stack distance", name_of(profile, counts),
                   counts.hits[k][d], kind_names[k], d, expected);
      break;
    }
  }
}

/// Each set of the finer division lies in one set of the coarser: no distance grows.
void compare_divisions(const SetProfile& profile, const SetCounts& coarse, const SetCounts& fine, Problems& problems) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    for (std::size_t d = 0; d < profile.ways; ++d) {
      before += coarse.hits[k][d];
      after += fine.hits[k][d];
      if (after >= before) continue;
      problems.add("{}: {} {} hits with {} ways are fewer than the {} with {} sets", name_of(profile, fine), after,
                   kind_names[k], d + 1, before, coarse.sets);
      break;
    }
  }
}

void validate_hits(const SetProfile& profile, const SetCounts& counts, const StackProfile* stack, Problems& problems) {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::uint64_t hits = std::accumulate(counts.hits[k].begin(), counts.hits[k].end(), std::uint64_t{0});
    if (hits > profile.touches[k]) {
      problems.add("{}: {} {} hits are more than {} touches", name_of(profile, counts), hits, kind_names[k],
                   profile.touches[k]);
    } else if (stack != nullptr && hits > stack->kinds[k].finite()) {
      problems.add("{}: {} {} hits are more than {} touches that are not first ones", name_of(profile, counts), hits,
                   kind_names[k], stack->kinds[k].finite());
    }
  }
}

}  // namespace

void validate_sets(const Profile& profile, Problems& problems) {
  for (const SetProfile& sets : profile.sets) {
    const auto same_place = [&](const StackProfile& s) { return s.scope == sets.scope && s.line == sets.line; };
    const auto found = std::ranges::find_if(profile.stacks, same_place);
    const StackProfile* stack = found == profile.stacks.end() ? nullptr : &*found;
    for (std::size_t k = 0; k < access_kinds && stack != nullptr; ++k) {
      if (sets.touches[k] == stack->kinds[k].total()) continue;
      problems.add("{}: set distances count {} {} touches, stack distances {}", scope_text(sets.scope, sets.line),
                   sets.touches[k], kind_names[k], stack->kinds[k].total());
    }
    for (std::size_t i = 0; i < sets.counts.size(); ++i) {
      const SetCounts& counts = sets.counts[i];
      validate_hits(sets, counts, stack, problems);
      if (counts.sets == 1 && stack != nullptr) compare_single_set(sets, counts, *stack, problems);
      for (std::size_t j = i; j-- > 0 && i - j <= look_back;) {
        if (counts.sets % sets.counts[j].sets != 0) continue;
        compare_divisions(sets, sets.counts[j], counts, problems);
        break;
      }
    }
  }
}

}  // namespace cachescape::profile
