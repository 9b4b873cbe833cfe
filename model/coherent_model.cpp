#include "model/coherent_model.hpp"

#include <algorithm>

#include "model/kind_counts.hpp"

namespace cachescape::model {
namespace {

/// Touches of one sort as a stream of their own: its hits are those of lines that the cache has, or had until they were
/// taken.
template <class HistogramOf, class SetsOf>
StreamModel stream_of(const CoherentProfile& profile, HistogramOf histogram_of, SetsOf sets_of) {
  StackProfile stack;
  stack.line = profile.line;
  SetProfile sets;
  sets.line = profile.line;
  sets.ways = profile.ways;
  for (std::size_t k = 0; k < access_kinds; ++k) {
    stack.kinds[k] = histogram_of(profile.kinds[k]);
    sets.touches[k] = stack.kinds[k].total();
  }
  for (const CoherentSets& from : profile.sets) {
    SetCounts& counts = sets.counts.emplace_back();
    counts.sets = from.sets;
    for (std::size_t k = 0; k < access_kinds; ++k) counts.hits[k] = sets_of(from, k);
  }
  stack.write_backs = profile.write_backs;
  return StreamModel(stack, profile.sets.empty() ? nullptr : &sets, Scaling());
}

StreamModel kept_stream(const CoherentProfile& profile) {
  return stream_of(
      profile, [](const CoherentCounts& c) { return c.kept; },
      [](const CoherentSets& s, std::size_t k) { return s.kept[k]; });
}

StreamModel lost_stream(const CoherentProfile& profile, std::size_t sharing) {
  return stream_of(
      profile, [sharing](const CoherentCounts& c) { return Histogram{c.lost[sharing], 0}; },
      [sharing](const CoherentSets& s, std::size_t k) { return s.lost[k][sharing]; });
}

}  // namespace

Beyond::Beyond(const std::vector<Bin>& bins) {
  for (const Bin& b : bins) {
    values_.push_back(b.value);
    sums_.push_back(sums_.back());
    add_to(sums_.back(), b.count);
  }
}

std::uint64_t Beyond::operator()(std::uint64_t lines) const {
  return sums_[static_cast<std::size_t>(std::ranges::lower_bound(values_, lines) - values_.begin())];
}

CoherentModel::CoherentModel(const CoherentProfile& profile)
    : kept_(kept_stream(profile)),
      lost_{lost_stream(profile, 0), lost_stream(profile, 1)},
      taken_(profile.taken),
      remote_(profile.remote),
      upgrades_(profile.upgrades),
      msi_upgrades_{Beyond(profile.msi_upgrades[0]), Beyond(profile.msi_upgrades[1])},
      touches_(kept_.curve().touches()),
      caches_(profile.caches) {
  for (const StreamModel& lost : lost_) add(touches_, lost.curve().touches());
}

CoherentModel::Estimate CoherentModel::misses(std::uint64_t sets, std::uint64_t ways) const {
  const StreamModel::Estimate kept = kept_.misses(sets, ways);
  Estimate all{kept.misses, {}, kept.method};
  for (std::size_t s = 0; s < sharing_kinds; ++s) {
    const KindCounts touches = lost_[s].curve().touches();
    add(all.misses, touches);
    const KindCounts evicted = lost_[s].misses(sets, ways).misses;
    for (std::size_t k = 0; k < access_kinds; ++k) all.lost[s][k] = touches[k] - evicted[k];
  }
  return all;
}

std::uint64_t CoherentModel::upgrades(std::uint64_t lines, machine::Coherence protocol) const {
  if (protocol != machine::Coherence::msi) return upgrades_(lines);
  const std::uint64_t asked = msi_upgrades_[0](lines);
  return asked - std::min(asked, msi_upgrades_[1](lines));
}

}  // namespace cachescape::model
