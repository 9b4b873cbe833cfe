// What the analysis of a few accesses must come to, by lists, maps and simulated caches; and ways to run it. For tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyze/distance/mattson_list.hpp"
#include "analyze/distance/set_distance_naive.hpp"
#include "analyze/distance/write_epochs_naive.hpp"
#include "cachescape/analyzer.hpp"

namespace cachescape::analyze {

inline AnalysisOptions small_options() {
  AnalysisOptions options;
  options.lines = {LineSize{2}, LineSize{5}, LineSize{6}};
  options.set_lines = {LineSize{5}, LineSize{6}};
  options.max_log2_sets = 5;
  options.ways = 4;
  options.other_set_counts = {3, 7};
  options.popularity = true;
  options.write_back_lines = {LineSize{2}, LineSize{6}};
  options.sharing = {};
  return options;
}

inline AnalysisOptions one_line_size() {
  AnalysisOptions options;
  options.lines = {LineSize{6}};
  options.set_lines = {};
  return options;
}

/// One stream at one line size, by the books.
struct Naive {
  StackProfile stack;
  SetProfile sets;
};

/// What caches of 0 … all lines write back, as differences from one size to the next.
inline std::vector<Bin> naive_write_backs(const std::vector<Access>& accesses, LineSize line, std::uint64_t footprint) {
  std::uint64_t writing = 0;
  const auto for_touches = [&](auto visit) {
    for (const Access& a : accesses) {
      const Touches touches = touches_of(a.address, a.size, line);
      for (std::uint64_t i = 0; i < touches.count(); ++i) visit(Line{touches.first.value + i}, writes(a.kind));
    }
  };
  for_touches([&](Line, bool writes) { writing += writes ? 1 : 0; });
  std::vector<Bin> bins;
  std::uint64_t before = writing;
  for (std::uint64_t lines = 1; lines <= footprint + 1; ++lines) {
    NaiveWriteBackCache cache(lines);
    for_touches([&](Line l, bool writes) { cache.touch(l, writes); });
    if (cache.write_backs() < before) bins.push_back({lines - 1, before - cache.write_backs()});
    before = cache.write_backs();
  }
  return bins;
}

inline Naive naive(const std::vector<Access>& accesses, LineSize line, Scope scope, const AnalysisOptions& options) {
  Naive result;
  result.stack.scope = result.sets.scope = scope;
  result.stack.line = result.sets.line = line;
  result.sets.ways = options.ways;
  MattsonList list;
  std::array<std::map<std::uint64_t, std::uint64_t>, access_kinds> distances;
  std::map<std::uint64_t, std::uint64_t> touches_of_line;
  std::vector<Line> lines;
  std::vector<std::uint16_t> groups;
  for (const Access& a : accesses) {
    const auto kind = static_cast<std::size_t>(a.kind);
    const Touches touches = touches_of(a.address, a.size, line);
    for (std::uint64_t i = 0; i < touches.count(); ++i) {
      const Line l{touches.first.value + i};
      std::uint32_t d = 0;
      list.process(std::span(&l, 1), std::span(&d, 1));
      if (d == cold_distance) {
        ++result.stack.kinds[kind].cold;
        ++result.stack.footprint_lines;
      } else {
        ++distances[kind][d];
      }
      ++touches_of_line[l.value];
      ++result.sets.touches[kind];
      lines.push_back(l);
      groups.push_back(static_cast<std::uint16_t>(kind));
    }
  }
  for (std::size_t k = 0; k < access_kinds; ++k) {
    for (const auto& [d, n] : distances[k]) result.stack.kinds[k].bins.push_back({d, n});
  }
  if (line == LineSize{6}) {
    std::map<std::uint64_t, std::uint64_t> by_touches;
    for (const auto& [l, n] : touches_of_line) ++by_touches[n];
    for (const auto& [n, count] : by_touches) result.stack.popularity.push_back({n, count});
  }
  if (std::ranges::find(*options.write_back_lines, line) != options.write_back_lines->end())
    result.stack.write_backs = naive_write_backs(accesses, line, result.stack.footprint_lines);
  const std::vector<std::uint64_t> set_counts{1, 2, 3, 4, 7, 8, 16, 32};
  NaiveSetDistances sets(set_counts, options.ways);
  sets.process(lines, groups);
  for (const std::uint64_t s : set_counts) {
    SetCounts& counts = result.sets.counts.emplace_back();
    counts.sets = s;
    for (std::size_t k = 0; k < access_kinds; ++k) {
      counts.hits[k] = sets.histogram(s, static_cast<std::uint16_t>(k));
      counts.hits[k].pop_back();
    }
  }
  return result;
}

inline Profile analyse(const AnalysisOptions& options, const std::vector<Access>& accesses, std::size_t batch_size) {
  auto analyzer = Analyzer::create(options);
  AccessBatch batch(batch_size);
  for (const Access& a : accesses) {
    batch.push(a);
    if (batch.full()) {
      analyzer->consume(batch);
      batch.clear();
    }
  }
  analyzer->consume(batch);
  return analyzer->profile();
}

}  // namespace cachescape::analyze
