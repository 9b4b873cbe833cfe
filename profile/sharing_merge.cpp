#include "profile/sharing_merge.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "profile/differ.hpp"
#include "profile/scope_text.hpp"
#include "profile/sharing_rows.hpp"

namespace cachescape::profile {
namespace {

constexpr std::uint64_t most_u32 = std::numeric_limits<std::uint32_t>::max();

template <class Part>
const Part* of_everything(const std::vector<Part>& parts, LineSize line) {
  const auto found = std::ranges::find_if(parts, [&](const Part& p) { return p.scope == Scope{} && p.line == line; });
  return found == parts.end() ? nullptr : &*found;
}

/// What one cache for all threads does, at the line size and for the sets of `like`.
std::optional<CoherentProfile> as_one_cache(const Profile& profile, const CoherentProfile& like) {
  const StackProfile* stack = of_everything(profile.stacks, like.line);
  if (profile.threads.size() > like.degree || stack == nullptr || !stack->write_backs) return std::nullopt;
  CoherentProfile one;
  one.degree = like.degree;
  one.line = like.line;
  one.caches = profile.threads.empty() ? 0 : 1;
  for (std::size_t k = 0; k < access_kinds; ++k) one.kinds[k].kept = stack->kinds[k];
  one.write_backs = *stack->write_backs;
  one.ways = like.ways;
  const SetProfile* counted = of_everything(profile.sets, like.line);
  for (const CoherentSets& sets : like.sets) {
    if (counted == nullptr || counted->ways != like.ways) return std::nullopt;
    const auto same = std::ranges::find(counted->counts, sets.sets, &SetCounts::sets);
    if (same == counted->counts.end()) return std::nullopt;
    CoherentSets& kept = one.sets.emplace_back();
    kept.sets = sets.sets;
    kept.kept = same->hits;
    for (auto& by_sharing : kept.lost) by_sharing.fill(std::vector<std::uint64_t>(like.ways));
  }
  return one;
}

void add(CoherentProfile& sum, const CoherentProfile& part, MergeKind kind) {
  sum.caches = kind == MergeKind::runs
                   ? std::max(sum.caches, part.caches)
                   : static_cast<std::uint32_t>(std::min(std::uint64_t{sum.caches} + part.caches, most_u32));
  for (std::size_t k = 0; k < access_kinds; ++k) {
    add_to(sum.kinds[k].kept.cold, part.kinds[k].kept.cold);
    for (std::size_t fate = 0; fate < sharing_fates; ++fate) {
      auto& bins = bins_of_fate(sum.kinds[k], fate);
      bins = sum_of(bins, bins_of_fate(part.kinds[k], fate));
    }
  }
  for (std::size_t event = 0; event < sharing_events; ++event) {
    auto& bins = bins_of_event(sum, event);
    bins = sum_of(bins, bins_of_event(part, event));
  }
  for (std::size_t i = 0; i < sum.sets.size(); ++i) {
    for (std::size_t k = 0; k < access_kinds; ++k) {
      for (std::size_t fate = 0; fate < sharing_fates; ++fate) {
        auto& cells = cells_of_fate(sum.sets[i], k, fate);
        const auto& more = cells_of_fate(part.sets[i], k, fate);
        for (std::size_t d = 0; d < cells.size(); ++d) add_to(cells[d], more[d]);
      }
    }
  }
}

bool same_grid(const CoherentProfile& a, const CoherentProfile& b) {
  return a.ways == b.ways && std::ranges::equal(a.sets, b.sets, {}, &CoherentSets::sets, &CoherentSets::sets);
}

using Degree = std::pair<std::uint32_t, LineSize>;

Result<CoherentProfile> sum_of_degree(std::span<const Profile> inputs, MergeKind kind, const Degree& wanted,
                                      std::size_t known_by) {
  const auto own = [&](const Profile& input) {
    const auto& all = input.sharing.degrees;
    const auto found =
        std::ranges::find_if(all, [&](const CoherentProfile& d) { return Degree(d.degree, d.line) == wanted; });
    return found == all.end() ? nullptr : &*found;
  };
  const CoherentProfile& known = *own(inputs[known_by]);
  std::optional<CoherentProfile> sum;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const CoherentProfile* part = own(inputs[i]);
    const auto one = part != nullptr ? std::nullopt : as_one_cache(inputs[i], known);
    if (one) part = &*one;
    const std::string name = sharing_text(known.degree, known.line);
    if (part == nullptr) {
      return differ(fmt::format("input {} has no {}, but input {} has", i + 1, name, known_by + 1));
    }
    if (!same_grid(*part, known)) {
      return differ(
          fmt::format("{}: inputs {} and {} differ in their ways or numbers of sets", name, known_by + 1, i + 1));
    }
    if (sum) {
      add(*sum, *part, kind);
    } else {
      sum = *part;
    }
  }
  return *std::move(sum);
}

std::vector<SharingPair> merge_pairs(std::span<const Profile> inputs, std::span<const PlaceNumbers> numbers) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, SharingPair> sums;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const SharingPair& from : inputs[i].sharing.pairs) {
      SharingPair pair{mapped(numbers[i].sites, from.site),
                       mapped(numbers[i].objects, from.object),
                       mapped(numbers[i].sites, from.writer_site),
                       mapped(numbers[i].objects, from.writer_object),
                       {}};
      SharingPair& sum =
          sums.try_emplace({pair.site, pair.object, pair.writer_site, pair.writer_object}, pair).first->second;
      for (std::size_t s = 0; s < sharing_kinds; ++s) add_to(sum.misses[s], from.misses[s]);
    }
  }
  std::vector<SharingPair> all;
  for (const auto& [places, sum] : sums) all.push_back(sum);
  return all;
}

void add_uses(std::vector<LineUse>& uses, const std::vector<LineUse>& more) {
  const auto key = [](const LineUse& u) { return std::tie(u.thread, u.site, u.object, u.writes); };
  for (const LineUse& use : more) {
    const auto known = std::ranges::find_if(uses, [&](const LineUse& u) { return key(u) == key(use); });
    if (known == uses.end()) {
      uses.push_back(use);
    } else {
      known->bytes |= use.bytes;
    }
  }
}

std::vector<SharedLine> merge_lines(std::span<const Profile> inputs, MergeKind kind,
                                    std::span<const PlaceNumbers> numbers) {
  std::map<std::pair<std::size_t, Address>, SharedLine> sums;  // by memory and address
  std::size_t most = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    most = std::max(most, inputs[i].sharing.lines.size());
    for (SharedLine line : inputs[i].sharing.lines) {
      for (LineUse& use : line.uses) {
        use.site = mapped(numbers[i].sites, use.site);
        use.object = mapped(numbers[i].objects, use.object);
      }
      SharedLine& sum = sums[{kind == MergeKind::runs ? 0 : i, line.address}];
      sum.address = line.address;
      for (std::size_t s = 0; s < sharing_kinds; ++s) add_to(sum.misses[s], line.misses[s]);
      add_uses(sum.uses, line.uses);
    }
  }
  std::vector<SharedLine> worst;
  for (auto& [where, sum] : sums) worst.push_back(std::move(sum));
  std::ranges::stable_sort(worst, is_worse, &SharedLine::misses);
  worst.resize(std::min(worst.size(), most));
  for (SharedLine& line : worst) std::ranges::sort(line.uses);
  return worst;
}

}  // namespace

Result<Sharing> merge_sharing(std::span<const Profile> inputs, MergeKind kind, std::span<const PlaceNumbers> numbers) {
  Sharing merged;
  if (kind == MergeKind::threads) return merged;
  std::map<Degree, std::size_t> known_by;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const CoherentProfile& d : inputs[i].sharing.degrees) known_by.try_emplace({d.degree, d.line}, i);
  }
  for (const auto& [degree, input] : known_by) {
    CACHESCAPE_TRY(CoherentProfile sum, sum_of_degree(inputs, kind, degree, input));
    merged.degrees.push_back(std::move(sum));
  }
  merged.pairs = merge_pairs(inputs, numbers);
  merged.lines = merge_lines(inputs, kind, numbers);
  return merged;
}

}  // namespace cachescape::profile
