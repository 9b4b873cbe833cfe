#include "product/signature/from_profile.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/counters.hpp"

namespace cachescape::signature {
namespace {

/// More would make signatures longer, not traces better.
constexpr std::size_t most_steps = 32;
struct Sets {
  LineSize line;
  std::uint32_t sets;
  std::uint32_t ways;
};
/// Caches whose conflicts tell how a program's blocks lie to each other: as first and as second levels have them.
constexpr std::array told_sets{Sets{LineSize{5}, 256, 2},  Sets{LineSize{6}, 64, 4},   Sets{LineSize{6}, 64, 8},
                               Sets{LineSize{6}, 128, 2},  Sets{LineSize{6}, 512, 2},  Sets{LineSize{6}, 512, 8},
                               Sets{LineSize{6}, 512, 16}, Sets{LineSize{6}, 2048, 8}, Sets{LineSize{7}, 32, 8},
                               Sets{LineSize{7}, 128, 2},  Sets{LineSize{7}, 256, 8},  Sets{LineSize{7}, 1024, 8}};

std::uint64_t sum(const KindCounts& counts) { return counts[0] + counts[1] + counts[2]; }

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

HalfShare half_share(const HalfCounts& counts) {
  HalfShare half;
  if (counts.again > 0) half.share = share(counts.same, counts.again);
  half.counts = counts;
  return half;
}

/// Lines of caches, between whose sizes distances are told apart too.
constexpr LineSize least_between{6};

std::optional<Width> width_of(LineSize line, const std::array<Histogram, access_kinds>& kinds) {
  std::uint64_t touches = 0;
  for (const Histogram& h : kinds) touches += h.total();
  if (touches == 0) return std::nullopt;
  const auto hit_rate = [&](std::uint64_t depth) {
    std::uint64_t hits = 0;
    for (const Histogram& h : kinds) hits += h.below(depth);
    return share(hits, touches);
  };
  Width width{line, {}, {}};
  for (std::size_t b = 0; b < signature_depths; ++b) width.hit_rates[b] = hit_rate(std::uint64_t{1} << b);
  if (line < least_between) return width;
  width.between.emplace();
  for (std::size_t i = 0; i < between_depths; ++i) (*width.between)[i] = hit_rate(between_depth(i));
  return width;
}

Signature signature_of(const SignatureCounts& counts, const SignatureRule& rule, const Profile& profile) {
  Signature signature;
  signature.rule = rule;
  signature.accesses = sum(profile.accesses());
  signature.sample_rate = profile.sampling.rate;
  for (const SignatureBin& bin : counts) add_to(signature.references, sum(bin.references));

  Detail& detail = signature.detail.emplace();
  std::uint64_t found = 0;
  std::array<HalfCounts, signature_halves> all{};
  for (std::size_t b = 0; b < signature_bins; ++b) {
    const SignatureBin& bin = counts[b];
    const std::uint64_t references = sum(bin.references);
    detail.writes[b] = share(references - bin.references[static_cast<std::size_t>(AccessKind::read)], references);
    detail.foreign[b] = share(bin.foreign, references);
    for (std::size_t h = 0; h < signature_halves; ++h) {
      add_to(all[h].same, bin.halves[h].same);
      add_to(all[h].again, bin.halves[h].again);
      if (b < signature_depths) signature.halves[h][b] = half_share(bin.halves[h]);
    }
    if (b >= signature_depths) continue;
    found += references;
    signature.hit_rates[b] = share(found, signature.references);
  }
  detail.blocks = sum(counts[cold_bin].references);
  for (std::size_t h = 0; h < signature_halves; ++h) signature.average[h] = half_share(all[h]);
  return signature;
}

void add_widths(Signature& signature, const Profile& profile, const Scope& scope) {
  for (const StackProfile& stack : profile.stacks) {
    const std::uint64_t bytes = stack.line.bytes().value;
    if (stack.scope != scope || bytes < signature.rule.word || stack.line > signature_block) continue;
    const auto width = width_of(stack.line, stack.kinds);
    if (!width) continue;
    if (stack.line == signature_block) {
      signature.detail->between = width->between;
    } else {
      signature.detail->widths.push_back(*width);
    }
  }
}

void add_sets(Detail& detail, const Profile& profile, const Scope& scope) {
  for (const SetProfile& set : profile.sets) {
    if (set.scope != scope || sum(set.touches) == 0) continue;
    for (const auto& [line, sets, ways] : told_sets) {
      if (set.line != line) continue;
      const auto counts = std::ranges::find(set.counts, sets, &SetCounts::sets);
      if (counts == set.counts.end() || ways > set.ways) continue;
      std::uint64_t hits = 0;
      for (const auto& kind : counts->hits) {
        for (std::uint32_t distance = 0; distance < ways; ++distance) hits += kind[distance];
      }
      detail.sets.push_back({sets, ways, share(hits, sum(set.touches)), line});
    }
  }
}

void add_steps(Detail& detail, std::vector<Bin> steps) {
  std::ranges::stable_sort(steps, std::greater{}, &Bin::count);
  for (std::size_t i = most_steps; i < steps.size(); ++i) add_to(detail.other_steps, steps[i].count);
  steps.resize(std::min(steps.size(), most_steps));
  std::ranges::sort(steps, {}, &Bin::value);
  detail.steps = std::move(steps);
}

void add_threads(Detail& detail, const Profile& profile) {
  const std::uint64_t all = sum(profile.accesses());
  if (profile.threads.size() < 2 || all == 0) return;
  detail.threads.clear();
  for (const ThreadCounts& thread : profile.threads) detail.threads.push_back(share(sum(thread.accesses), all));
}

Signature of_stream(const SignatureProfile& stream, const Profile& profile) {
  Signature signature = signature_of(stream.counts, stream.rule, profile);
  add_widths(signature, profile, stream.scope);
  signature.detail->parallelism = model::loads_in_flight(model::counters_of(profile.places)).value_or(0);
  add_sets(*signature.detail, profile, stream.scope);
  add_steps(*signature.detail, stream.steps);
  if (stream.scope.kind == Scope::Kind::everything) {
    add_threads(*signature.detail, profile);
  } else {
    signature.name = fmt::format("thread {}", stream.scope.thread.value);
  }
  return signature;
}

/// What sites of one function or block do together.
struct Group {
  SignatureCounts counts{};
  PlaceDistances distances;
};

std::string group_name(const Profile& profile, std::uint32_t site, By by) {
  const std::uint32_t index = profile.places.sites[site].block;
  if (index == nowhere) return "?";
  const Block& block = profile.places.blocks[index];
  if (by == By::function) return block.function.empty() ? "?" : block.function;
  std::string name = fmt::format("{} block {}", block.function.empty() ? "?" : block.function, index);
  if (block.location == nowhere) return name;
  const Location& location = profile.places.locations[block.location];
  return fmt::format("{} at {}:{}", name, location.file, location.line);
}

std::vector<Signature> of_groups(const SignatureProfile& stream, const Profile& profile, By by) {
  std::map<std::string, Group> groups;
  for (const SiteSignature& site : stream.sites) {
    add_to(groups[group_name(profile, site.site, by)].counts, site.counts);
  }
  for (const PlaceDistances& site : profile.places.site_distances) {
    const auto group = groups.find(group_name(profile, site.place, by));
    if (group != groups.end()) group->second.distances.add(site);
  }
  std::vector<Signature> signatures;
  for (const auto& [name, group] : groups) {
    Signature signature = signature_of(group.counts, stream.rule, profile);
    if (signature.references == 0) continue;
    signature.name = name;
    // Distances by place are kept to five binary digits: exact at powers of two.
    if (const auto width = width_of(profile.places.line, group.distances.kinds)) {
      if (width->line < signature_block) signature.detail->widths.push_back(*width);
    }
    signatures.push_back(std::move(signature));
  }
  std::ranges::stable_sort(signatures, std::greater{}, &Signature::references);
  return signatures;
}

}  // namespace

Result<std::vector<Signature>> signatures_of(const Profile& profile, By by, const std::optional<SignatureRule>& rule) {
  const auto wanted = [&](const SignatureProfile& s, Scope::Kind kind) {
    return s.scope.kind == kind && (!rule || s.rule == *rule);
  };
  if (by == By::thread) {
    std::vector<Signature> signatures;
    for (const SignatureProfile& s : profile.signatures) {
      if (!wanted(s, Scope::Kind::thread)) continue;
      if (!signatures.empty() && s.rule != signatures.front().rule) continue;
      signatures.push_back(of_stream(s, profile));
    }
    if (!signatures.empty()) return signatures;
    if (profile.threads.size() > 1) {
      return failure(ErrorKind::usage, "the profile has no signatures of its threads", {}, "record with --signature");
    }
  }
  const auto stream = std::ranges::find_if(
      profile.signatures, [&](const SignatureProfile& s) { return wanted(s, Scope::Kind::everything); });
  if (stream == profile.signatures.end()) {
    return failure(ErrorKind::usage,
                   rule ? fmt::format("the profile has no signature with words of {} bytes{}", rule->word,
                                      rule->every_word ? " and a reference to each" : "")
                        : "the profile has no signature",
                   {}, "record or import with --signature");
  }
  if (by == By::program || by == By::thread) return std::vector{of_stream(*stream, profile)};
  if (stream->sites.empty()) {
    return failure(ErrorKind::usage, "the profile's signature is not known by place", {},
                   "record the program itself with --signature; traces know no functions");
  }
  return of_groups(*stream, profile, by);
}

}  // namespace cachescape::signature
