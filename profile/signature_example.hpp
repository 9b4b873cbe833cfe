// The profile that docs/formats/profile.md shows for signatures and tests/compat/version-4.cscape holds.
#pragma once

#include "profile/example.hpp"

namespace cachescape::profile {

/// What a signature of these accesses counts, by definition. Sites are those of example_places().
inline SignatureProfile naive_signature(std::span<const Access> accesses, Scope scope, SignatureRule rule) {
  SignatureProfile signature;
  signature.scope = scope;
  signature.rule = rule;
  NaiveStack stack;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> taken;  // halves, by size and number of the part
  std::map<std::uint64_t, ThreadId> touchers;
  std::map<ThreadId, Line> newest;
  std::map<std::uint64_t, std::uint64_t> steps;
  std::map<std::uint32_t, SignatureCounts> sites;
  for (const Access& a : accesses) {
    const std::uint64_t word = a.address.value / rule.word * rule.word;
    const Line block{word / 512};
    const auto toucher = touchers.find(block.value);
    const bool foreign = toucher != touchers.end() && toucher->second != a.thread;
    touchers[block.value] = a.thread;
    if (scope.kind == Scope::Kind::thread && a.thread != scope.thread) continue;
    const auto distance = stack.touch(block);
    SignatureCounts counts{};
    SignatureBin& bin = counts[distance ? signature_bin(*distance) : cold_bin];
    bin.references[static_cast<std::size_t>(a.kind)] = 1;
    bin.foreign = foreign ? 1 : 0;
    if (!distance) {
      if (newest.contains(a.thread)) ++steps[signature_step(newest[a.thread], block)];
      newest[a.thread] = block;
    }
    for (std::size_t h = 0; h < signature_halves; ++h) {
      if (half_bytes(h) < rule.word) continue;
      const std::uint64_t half = word / half_bytes(h) % 2;
      const auto [last, first] = taken.try_emplace({half_bytes(h), word / half_bytes(h) / 2}, half);
      if (!first) bin.halves[h] = {last->second == half ? 1u : 0u, 1};
      last->second = half;
    }
    add_to(signature.counts, counts);
    add_to(sites[a.thread.value * 2 + (writes(a.kind) ? 1 : 0)], counts);
  }
  signature.steps = bins_of(steps);
  if (scope.kind == Scope::Kind::everything)
    for (const auto& [site, counts] : sites) signature.sites.push_back({site, counts});
  return signature;
}

inline Profile signature_example() {
  Profile profile = example_profile();
  const std::vector<Access> accesses = example_accesses();
  profile.signatures = {naive_signature(accesses, {}, {4, false}), naive_signature(accesses, {}, {8, false}),
                        naive_signature(accesses, {Scope::Kind::thread, ThreadId{0}}, {4, false}),
                        naive_signature(accesses, {Scope::Kind::thread, ThreadId{1}}, {4, false})};
  return profile;
}

}  // namespace cachescape::profile
