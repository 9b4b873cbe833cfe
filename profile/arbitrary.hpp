// Random profiles: of any form (numbers that fit nothing), and true ones.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <string>

#include "profile/naive_profile.hpp"
#include "profile/schema.hpp"

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
    for (Histogram& h : stack.kinds) h = {some_bins(0), some_count()};
    p.stacks.push_back(std::move(stack));
  }
  for (const auto& [scope, line] : some_places()) {
    SetProfile sets{scope, line, *rc::gen::inRange<std::uint32_t>(0, 5), some_kind_counts(), {}};
    std::uint64_t number = 0;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      number += some_count(1);
      SetCounts& counts = sets.counts.emplace_back();
      counts.sets = number;
      for (auto& hits : counts.hits) {
        for (std::uint32_t d = 0; d < sets.ways; ++d) hits.push_back(some_count());
      }
    }
    p.sets.push_back(std::move(sets));
  }
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
