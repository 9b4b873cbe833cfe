#include "model/scaling.hpp"

#include "model/kind_counts.hpp"

namespace cachescape::model {
namespace {

KindCounts accesses_of(const Profile& profile, const Scope& scope) {
  if (scope.kind == Scope::Kind::everything) return profile.accesses();
  for (const ThreadCounts& t : profile.threads) {
    if (t.thread == scope.thread) return t.accesses;
  }
  return {};
}

}  // namespace

Scaling scaling_of(const Profile& profile, const Scope& scope) {
  const Sampling& s = profile.sampling;
  Scaling scaling;
  scaling.method = s.method;
  if (s.method == Sampling::Method::none) return scaling;
  scaling.rate = s.rate > 0 && s.rate <= 1 ? s.rate : 1;
  if (scaling.by_lines()) {
    scaling.weight = 1 / scaling.rate;
    scaling.totals = accesses_of(profile, scope);
    return scaling;
  }
  if (s.method == Sampling::Method::blocks) {
    scaling.windows = static_cast<double>(s.analysed) / static_cast<double>(Sampling::shortest_stay);
    return scaling;
  }
  const auto all = static_cast<double>(sum(profile.accesses()));
  const auto analysed = static_cast<double>(s.analysed);
  scaling.weight = analysed > 0 && all > analysed ? all / analysed : 1;
  if (s.on > 0) scaling.windows = analysed / static_cast<double>(s.on);
  return scaling;
}

}  // namespace cachescape::model
