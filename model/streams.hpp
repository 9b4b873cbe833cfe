// A profile made ready for questions: one model per stream it holds.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "cachescape/profile.hpp"
#include "model/coherent_model.hpp"
#include "model/needs.hpp"
#include "model/stream_model.hpp"

namespace cachescape::model {

/// Built once per profile; every question after that costs microseconds. Keeps nothing of the profile it was made
/// from. Immutable; safe from any thread.
class Streams {
 public:
  /// Every stream of the profile. O(bins).
  explicit Streams(const Profile& profile);
  /// Only the line sizes that `needs` names; scopes of any kind, as one may stand in for another.
  Streams(const Profile& profile, std::span<const Need> needs);

  /// Null where the profile has no stack distances for it. A program of one thread has one stream, whichever way it was
  /// recorded.
  const StreamModel* find(const Scope& scope, LineSize line) const;
  /// Those touches of a stream whose line another thread touched last; null where the profile does not tell them apart.
  const StreamModel* find_foreign(const Scope& scope, LineSize line) const;
  /// Coherent caches of `degree` threads each; null where the profile does not hold them.
  const CoherentModel* find_coherent(std::uint32_t degree, LineSize line) const;
  /// The line sizes whose stack distances of everything are here, ascending.
  std::vector<LineSize> line_sizes() const;
  /// Every line size of the profile, here or not, ascending.
  const std::vector<LineSize>& recorded_line_sizes() const { return recorded_; }

  const std::vector<ThreadCounts>& threads() const { return threads_; }
  KindCounts accesses() const { return accesses_; }
  const Sampling& sampling() const { return sampling_; }
  const Losses& losses() const { return losses_; }

 private:
  template <class Wanted>
  void build(const Profile& profile, Wanted wanted);

  std::vector<ThreadCounts> threads_;
  KindCounts accesses_{};
  Sampling sampling_;
  Losses losses_;
  std::vector<LineSize> recorded_;
  std::map<std::pair<Scope, LineSize>, StreamModel> models_;
  std::map<std::pair<Scope, LineSize>, StreamModel> foreign_;
  std::map<std::pair<std::uint32_t, LineSize>, CoherentModel> coherent_;
};

}  // namespace cachescape::model
