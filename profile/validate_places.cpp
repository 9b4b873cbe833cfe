#include <algorithm>
#include <map>
#include <string_view>

#include "profile/problems.hpp"
#include "profile/scope_text.hpp"

namespace cachescape::profile {
namespace {

using Wide = unsigned __int128;

/// What all places of one kind come to.
struct Sums {
  std::array<Wide, access_kinds> accesses{};
  std::array<Wide, access_kinds> touches{};
  Wide bytes = 0;
  Wide cold = 0;
};

/// An access touches one line at least, and no more than its bytes can span.
void validate_place(const Places& places, const PlaceDistances& d, std::string_view what, Problems& problems) {
  Wide touches = 0;
  Wide accesses = 0;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    const std::uint64_t of_kind = d.kinds[k].total();
    if (of_kind < d.accesses[k]) {
      problems.add("{} {}: {} {} touches are fewer than {} accesses", what, d.place + 1, of_kind, kind_names[k],
                   d.accesses[k]);
    }
    touches += of_kind;
    accesses += d.accesses[k];
  }
  if (touches > 2 * accesses + d.bytes / places.line.bytes().value) {
    problems.add("{} {}: {} touches are more than {} accesses to {} bytes can make", what, d.place + 1,
                 static_cast<std::uint64_t>(touches), static_cast<std::uint64_t>(accesses), d.bytes);
  }
}

Sums sums_of(const std::vector<PlaceDistances>& all) {
  Sums sums;
  for (const PlaceDistances& d : all) {
    sums.bytes += d.bytes;
    for (std::size_t k = 0; k < access_kinds; ++k) {
      sums.accesses[k] += d.accesses[k];
      sums.touches[k] += d.kinds[k].total();
      sums.cold += d.kinds[k].cold;
    }
  }
  return sums;
}

/// Places are parts of the program: all of them together do no more than it does.
void validate_sums(const Profile& profile, const Sums& sums, std::string_view what, Problems& problems) {
  const KindCounts accesses = profile.accesses();
  for (std::size_t k = 0; k < access_kinds; ++k) {
    if (sums.accesses[k] > accesses[k]) {
      problems.add("all {}s together make more {} accesses than the {} of the program", what, kind_names[k],
                   accesses[k]);
    }
  }
  if (sums.bytes > profile.bytes) {
    problems.add("all {}s together access more than the {} bytes of the program", what, profile.bytes);
  }
  const auto stack = std::ranges::find_if(profile.stacks, [&](const StackProfile& s) {
    return s.scope.kind == Scope::Kind::everything && s.line == profile.places.line;
  });
  if (stack == profile.stacks.end()) return;
  std::uint64_t cold = 0;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    cold += stack->kinds[k].cold;
    if (sums.touches[k] > stack->kinds[k].total()) {
      problems.add("all {}s together make more {} touches than the {} of the program", what, kind_names[k],
                   stack->kinds[k].total());
    }
  }
  if (sums.cold > cold) {
    problems.add("all {}s together make more first touches than the {} of the program", what, cold);
  }
}

/// Call stacks are parts of the program too.
void validate_contexts(const Places& places, Problems& problems) {
  std::map<std::string_view, Wide> left;
  for (const Counted& c : places.counted) left[c.metric] += c.value;
  std::map<std::string_view, Wide> used;
  for (const ContextCounted& c : places.context_counted) used[c.metric] += c.value;
  for (const auto& [metric, value] : used)
    if (value > left[metric]) problems.add("all contexts together count more {} than the program", metric);
}

}  // namespace

void validate_places(const Profile& profile, Problems& problems) {
  const auto validate = [&](const std::vector<PlaceDistances>& all, std::string_view what) {
    for (const PlaceDistances& d : all) validate_place(profile.places, d, what, problems);
    validate_sums(profile, sums_of(all), what, problems);
  };
  validate(profile.places.site_distances, "site");
  validate(profile.places.object_distances, "object");
  validate_contexts(profile.places, problems);
}

}  // namespace cachescape::profile
