// Random profiles: of any form (numbers that fit nothing), and true ones.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "profile/naive_profile.hpp"
#include "profile/schema.hpp"
#include "profile/sharing_rows.hpp"

namespace cachescape::profile {

/// Mostly small, sometimes as large as fits many times into a sum.
inline std::uint64_t some_count(std::uint64_t least = 0) {
  return *rc::gen::weightedOneOf<std::uint64_t>({{8, rc::gen::inRange<std::uint64_t>(least, least + 5)},
                                                 {2, rc::gen::inRange<std::uint64_t>(least, max_integer >> 12)}});
}

inline std::vector<Bin> some_bins(std::uint64_t least) {
  std::vector<Bin> bins;
  std::uint64_t value = least;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    value += some_count();
    bins.push_back({value, some_count(1)});
    ++value;
  }
  return bins;
}

/// More than a chunk of a file holds, dense or not.
inline std::vector<Bin> some_long_bins() {
  std::vector<Bin> bins;
  std::minstd_rand random(*rc::gen::arbitrary<std::uint32_t>());
  const auto widest = *rc::gen::element<std::uint64_t>(1, 2, 9, 1'000'000);
  std::uint64_t value = some_count();
  for (auto n = *rc::gen::inRange<std::size_t>(4097, 13'000); n > 0; --n) {
    bins.push_back({value, 1 + random() % 12});
    value += 1 + random() % widest;
  }
  return bins;
}

/// Of each bin all, or none.
inline Histogram some_part(const Histogram& whole) {
  Histogram part;
  for (const Bin& b : whole.bins)
    if (*rc::gen::arbitrary<bool>()) part.bins.push_back(b);
  if (*rc::gen::arbitrary<bool>()) part.cold = whole.cold;
  return part;
}

/// Empty where it would be all 0.
inline std::vector<std::uint64_t> some_part(std::vector<std::uint64_t> whole) {
  for (std::uint64_t& count : whole)
    if (*rc::gen::arbitrary<bool>()) count = 0;
  if (std::ranges::all_of(whole, [](std::uint64_t n) { return n == 0; })) whole.clear();
  return whole;
}

inline std::string some_text() { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }

inline KindCounts some_kind_counts() { return {some_count(), some_count(), some_count()}; }

/// Distinct scopes and lines in order.
inline std::vector<std::pair<Scope, LineSize>> some_places() {
  std::set<std::pair<Scope, LineSize>> places;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    Scope scope;
    if (*rc::gen::arbitrary<bool>()) {
      scope = {Scope::Kind::thread, ThreadId{*rc::gen::element<std::uint32_t>(0, 1, 7, 0xffffffff)}};
    }
    places.emplace(scope, LineSize{*rc::gen::element(0u, 5u, 6u, 30u)});
  }
  return {places.begin(), places.end()};
}

/// nowhere, or an index below `size`.
inline std::uint32_t some_index(std::size_t size) {
  if (size == 0 || *rc::gen::inRange(0, 4) == 0) return nowhere;
  return *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(size));
}

inline std::vector<PlaceDistances> some_place_distances(std::size_t places) {
  std::vector<PlaceDistances> all;
  for (std::uint32_t i = 0; i < places; ++i) {
    if (*rc::gen::arbitrary<bool>()) continue;
    PlaceDistances& d = all.emplace_back();
    d.place = i;
    d.accesses = some_kind_counts();
    d.bytes = some_count();
    for (Histogram& h : d.kinds) {
      h.cold = some_count();
      for (const Bin& b : some_bins(0)) {
        const std::uint64_t value = place_distance(b.value);
        if (h.bins.empty() || h.bins.back().value < value) h.bins.push_back({value, b.count});
      }
    }
  }
  return all;
}

/// Chains of inlined calls lead to later locations as well as to earlier ones.
inline Places some_source() {
  Places p;
  const int locations = *rc::gen::inRange(0, 5);
  const bool backwards = *rc::gen::arbitrary<bool>();
  for (int i = 0; i < locations; ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    std::uint32_t call = some_index(at);
    if (call != nowhere && backwards) call = static_cast<std::uint32_t>(locations) - 1 - call;
    p.locations.push_back({some_text(), some_text(), static_cast<std::uint32_t>(some_count() & 0xffffffff), at, call});
  }
  if (backwards) std::ranges::reverse(p.locations);
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    p.blocks.push_back({some_text(), some_text(), some_index(p.locations.size()), 3, *rc::gen::arbitrary<bool>(),
                        some_count(), some_count()});
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    p.sites.push_back({some_index(p.locations.size()), some_index(p.blocks.size()), some_text(), some_text()});
  }
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    p.objects.push_back({static_cast<Object::Kind>(*rc::gen::inRange(0, 4)), some_text(),
                         some_index(p.locations.size()), some_count(), some_count(), some_count()});
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    p.counted.push_back({some_text(), some_index(p.blocks.size()), some_count()});
  }
  const int contexts = *rc::gen::inRange(0, 4);
  for (int i = 0; i < contexts; ++i) {
    p.contexts.push_back(
        {some_index(p.contexts.size()), some_text(), some_text(), *rc::gen::arbitrary<bool>(), some_count()});
    for (const char* metric : {"flops", "loads"})
      if (*rc::gen::arbitrary<bool>())
        p.context_counted.push_back({static_cast<std::uint32_t>(i), metric, some_count()});
  }
  p.line = LineSize{*rc::gen::element(0u, 6u, 30u)};
  p.site_distances = some_place_distances(p.sites.size());
  p.object_distances = some_place_distances(p.objects.size());
  return p;
}

inline CoherentSets some_coherent_sets(std::uint64_t number, std::uint32_t ways) {
  CoherentSets sets;
  sets.sets = number;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    for (std::size_t fate = 0; fate < sharing_fates; ++fate) {
      for (std::uint32_t d = 0; d < ways; ++d) cells_of_fate(sets, k, fate).push_back(some_count());
    }
  }
  return sets;
}

inline std::vector<CoherentProfile> some_degrees() {
  std::set<std::pair<std::uint32_t, LineSize>> keys;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    keys.emplace(*rc::gen::element(1u, 2u, 0xffffffffu), LineSize{*rc::gen::element(0u, 6u, 30u)});
  }
  std::vector<CoherentProfile> degrees;
  for (const auto& [degree, line] : keys) {
    CoherentProfile& p = degrees.emplace_back();
    p.degree = degree;
    p.line = line;
    p.caches = *rc::gen::arbitrary<std::uint32_t>();
    p.ways = *rc::gen::inRange<std::uint32_t>(0, 4);
    for (CoherentCounts& counts : p.kinds) {
      counts.kept.cold = some_count();
      for (std::size_t fate = 0; fate < sharing_fates; ++fate) bins_of_fate(counts, fate) = some_bins(0);
    }
    for (std::size_t event = 0; event < sharing_events; ++event) bins_of_event(p, event) = some_bins(0);
    std::uint64_t number = 0;
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
      number += some_count(1);
      p.sets.push_back(some_coherent_sets(number, p.ways));
    }
  }
  return degrees;
}

/// Sharing between sites and objects of `places`.
inline Sharing some_sharing(const Places& places) {
  Sharing sharing;
  sharing.degrees = some_degrees();
  const auto site = [&] { return some_index(places.sites.size()); };
  const auto object = [&] { return some_index(places.objects.size()); };
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    sharing.pairs.push_back({site(), object(), site(), object(), {some_count(), some_count()}});
  }
  std::ranges::sort(sharing.pairs);
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    SharedLine& line = sharing.lines.emplace_back();
    line.address = Address{*rc::gen::arbitrary<std::uint64_t>()};
    line.misses = {some_count(), some_count()};
    for (int u = *rc::gen::inRange(0, 3); u > 0; --u) {
      line.uses.push_back({*rc::gen::arbitrary<std::uint32_t>(), site(), object(), *rc::gen::arbitrary<bool>(),
                           *rc::gen::arbitrary<std::uint64_t>()});
    }
  }
  return sharing;
}

/// Of a bin's references.
inline SignatureBin some_signature_bin(bool cold, std::uint32_t word) {
  SignatureBin bin;
  if (*rc::gen::arbitrary<bool>()) return bin;
  bin.references = some_kind_counts();
  const std::uint64_t all = bin.references[0] + bin.references[1] + bin.references[2];
  bin.foreign = *rc::gen::inRange<std::uint64_t>(0, all + 1);
  for (std::size_t h = 0; h < signature_halves; ++h) {
    if (cold || half_bytes(h) < word) continue;
    bin.halves[h].again = *rc::gen::inRange<std::uint64_t>(0, all + 1);
    bin.halves[h].same = *rc::gen::inRange<std::uint64_t>(0, bin.halves[h].again + 1);
  }
  return bin;
}

inline SignatureCounts some_signature_counts(std::uint32_t word) {
  SignatureCounts counts{};
  for (const std::size_t bin : {std::size_t{0}, std::size_t{7}, far_bin, cold_bin})
    counts[bin] = some_signature_bin(bin == cold_bin, word);
  return counts;
}

/// Of sites among so many.
inline std::vector<SignatureProfile> some_signatures(std::size_t sites) {
  std::vector<SignatureProfile> signatures;
  for (const Scope& scope : {Scope{}, Scope{Scope::Kind::thread, ThreadId{3}}}) {
    for (const SignatureRule& rule : {SignatureRule{4, false}, SignatureRule{4, true}, SignatureRule{8, false}}) {
      if (*rc::gen::arbitrary<bool>()) continue;
      SignatureProfile& s = signatures.emplace_back();
      s.scope = scope;
      s.rule = rule;
      s.counts = some_signature_counts(rule.word);
      for (const Bin& b : some_bins(0))
        if (b.value >> signature_step_bits == 0) s.steps.push_back(b);
      if (scope.kind == Scope::Kind::thread) continue;
      for (std::uint32_t site = 0; site < sites; ++site) {
        const SignatureCounts counts = some_signature_counts(rule.word);
        if (counts != SignatureCounts{}) s.sites.push_back({site, counts});
      }
    }
  }
  return signatures;
}

inline Profile some_profile() {
  Profile p;
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) p.provenance.emplace_back(some_text(), some_text());
  p.instructions = some_count();
  p.bytes = some_count();
  auto threads = *rc::gen::container<std::set<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
  for (const std::uint32_t t : threads) p.threads.push_back({ThreadId{t}, some_kind_counts()});
  p.sampling.method = static_cast<Sampling::Method>(*rc::gen::inRange(0, 4));
  p.sampling.rate = *rc::gen::element(1.0, 0.5, 0.1, 1e-9, 0.30000000000000004);
  p.sampling.on = some_count();
  p.sampling.off = some_count();
  p.sampling.max_lines = some_count();
  p.sampling.analysed = some_count();
  p.losses = {some_count(), some_count(), *rc::gen::arbitrary<bool>()};
  for (const auto& [scope, line] : some_places()) {
    StackProfile stack{scope, line, {}, some_count(), some_bins(1)};
    if (*rc::gen::arbitrary<bool>()) stack.write_backs = some_bins(0);
    for (std::size_t k = 0; k < access_kinds; ++k) {
      stack.kinds[k] = {some_bins(0), some_count()};
      stack.foreign[k] = some_part(stack.kinds[k]);
    }
    p.stacks.push_back(std::move(stack));
  }
  for (const auto& [scope, line] : some_places()) {
    SetProfile sets{scope, line, *rc::gen::inRange<std::uint32_t>(0, 5), some_kind_counts(), {}};
    std::uint64_t number = 0;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      number += some_count(1);
      SetCounts& counts = sets.counts.emplace_back();
      counts.sets = number;
      for (std::size_t k = 0; k < access_kinds; ++k) {
        for (std::uint32_t d = 0; d < sets.ways; ++d) counts.hits[k].push_back(some_count());
        counts.foreign[k] = some_part(counts.hits[k]);
      }
    }
    p.sets.push_back(std::move(sets));
  }
  p.places = some_source();
  p.sharing = some_sharing(p.places);
  p.signatures = some_signatures(p.places.sites.size());
  return p;
}

/// Accesses of up to `threads` threads to few lines, so that they meet again; some straddle.
inline std::vector<Access> some_accesses(std::uint32_t threads, std::uint64_t base = 0) {
  return *rc::gen::container<std::vector<Access>>(rc::gen::construct<Access>(
      rc::gen::construct<Address>(rc::gen::inRange<std::uint64_t>(base, base + 700)),
      rc::gen::element<std::uint32_t>(0, 1, 8, 16, 100),
      rc::gen::element(AccessKind::read, AccessKind::write, AccessKind::modify),
      rc::gen::construct<ThreadId>(rc::gen::inRange<std::uint32_t>(0, threads)), rc::gen::just(SiteId{})));
}

}  // namespace cachescape::profile
