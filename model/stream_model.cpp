#include "model/stream_model.hpp"

#include <algorithm>
#include <cmath>

#include "model/sdcm_hits.hpp"

namespace cachescape::model {
namespace {

MissCurve write_back_curve(const std::vector<Bin>& write_backs, Scaling scaling) {
  StackProfile alone;
  alone.kinds[static_cast<std::size_t>(AccessKind::read)].bins = write_backs;
  // Totals correct what the sample lacks at distance 0, which is never written back.
  scaling.totals = {};
  return MissCurve(alone, scaling);
}

/// Distances × stretch < lines is the same as distances < ⌈lines / stretch⌉, distances being whole.
std::uint64_t stretched(std::uint64_t lines, double stretch) {
  return stretch == 1 ? lines : static_cast<std::uint64_t>(std::ceil(static_cast<double>(lines) / stretch));
}

}  // namespace

StreamModel::StreamModel(const StackProfile& stack, const SetProfile* sets, const Scaling& scaling)
    : scaling_(scaling), curve_(stack, scaling), footprint_lines_(stack.footprint_lines) {
  if (scaling.sampled()) popularity_ = stack.popularity;
  if (stack.write_backs) write_back_curve_ = write_back_curve(*stack.write_backs, scaling);
  if (sets == nullptr || scaling.by_lines()) return;
  exact_ways_ = sets->ways;
  tables_.reserve(sets->counts.size());
  for (const SetCounts& counts : sets->counts) {
    SetTable table{counts.sets, {}};
    table.misses.reserve(exact_ways_ + 1);
    KindCounts left = sets->touches;
    for (std::size_t way = 0;; ++way) {
      KindCounts misses{};
      for (std::size_t k = 0; k < access_kinds; ++k) {
        misses[k] = std::min(scaling.scaled(left[k]), curve_.touches()[k]);
      }
      table.misses.push_back(misses);
      if (way == exact_ways_) break;
      for (std::size_t k = 0; k < access_kinds; ++k) {
        left[k] -= way < counts.hits[k].size() ? std::min(left[k], counts.hits[k][way]) : 0;
      }
    }
    tables_.push_back(std::move(table));
  }
  std::ranges::sort(tables_, {}, &SetTable::sets);
}

const StreamModel::SetTable* StreamModel::table_for(std::uint64_t sets) const {
  const auto found = std::ranges::lower_bound(tables_, sets, {}, &SetTable::sets);
  return found != tables_.end() && found->sets == sets ? &*found : nullptr;
}

StreamModel::Estimate StreamModel::misses(std::uint64_t sets, std::uint64_t ways, double stretch) const {
  if (sets == 1) return {fully_associative_misses(ways, stretch), Method::exact_fully_associative};
  if (stretch == 1 && ways <= exact_ways_) {
    if (const SetTable* table = table_for(sets)) return {table->misses[ways], Method::exact_set_distance};
  }
  const double lines = static_cast<double>(sets) * static_cast<double>(ways) / stretch;
  return {curve_.scaled_misses(sdcm_hits(curve_, lines, ways)), Method::sdcm};
}

KindCounts StreamModel::fully_associative_misses(std::uint64_t lines, double stretch) const {
  return curve_.misses(stretched(lines, stretch));
}

std::optional<StreamModel::WriteBacks> StreamModel::write_backs(std::uint64_t sets, std::uint64_t ways,
                                                                double stretch) const {
  if (!write_back_curve_) return std::nullopt;
  if (sets == 1) return WriteBacks{sum(write_back_curve_->misses(stretched(ways, stretch))), true};
  const double lines = static_cast<double>(sets) * static_cast<double>(ways) / stretch;
  return WriteBacks{sum(write_back_curve_->scaled_misses(sdcm_hits(*write_back_curve_, lines, ways))), false};
}

std::vector<std::uint64_t> StreamModel::exact_set_counts() const {
  std::vector<std::uint64_t> counts;
  for (const SetTable& table : tables_) counts.push_back(table.sets);
  return counts;
}

}  // namespace cachescape::model
