#include "model/streams.hpp"

#include <algorithm>

#include "model/scaling.hpp"

namespace cachescape::model {
namespace {

void sort_without_repetition(std::vector<LineSize>& lines) {
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
}

}  // namespace

template <class Wanted>
void Streams::build(const Profile& profile, Wanted wanted) {
  threads_ = profile.threads;
  accesses_ = profile.accesses();
  sampling_ = profile.sampling;
  losses_ = profile.losses;
  for (const StackProfile& stack : profile.stacks) {
    recorded_.push_back(stack.line);
    if (!wanted(stack.line)) continue;
    const auto sets = std::ranges::find_if(
        profile.sets, [&](const SetProfile& s) { return s.scope == stack.scope && s.line == stack.line; });
    models_.try_emplace({stack.scope, stack.line}, stack, sets == profile.sets.end() ? nullptr : &*sets,
                        scaling_of(profile, stack.scope));
  }
  for (const CoherentProfile& degree : profile.sharing.degrees)
    if (wanted(degree.line)) coherent_.try_emplace({degree.degree, degree.line}, degree);
  sort_without_repetition(recorded_);
}

Streams::Streams(const Profile& profile) {
  build(profile, [](LineSize) { return true; });
}

Streams::Streams(const Profile& profile, std::span<const Need> needs) {
  build(profile, [needs](LineSize line) {
    return std::ranges::any_of(needs, [line](const Need& n) { return n.line == line; });
  });
}

const StreamModel* Streams::find(const Scope& scope, LineSize line) const {
  if (const auto found = models_.find({scope, line}); found != models_.end()) return &found->second;
  if (threads_.size() != 1) return nullptr;
  const Scope other =
      scope.kind == Scope::Kind::everything ? Scope{Scope::Kind::thread, threads_.front().thread} : Scope{};
  const auto found = models_.find({other, line});
  return found != models_.end() ? &found->second : nullptr;
}

const CoherentModel* Streams::find_coherent(std::uint32_t degree, LineSize line) const {
  const auto found = coherent_.find({degree, line});
  return found != coherent_.end() ? &found->second : nullptr;
}

std::vector<LineSize> Streams::line_sizes() const {
  std::vector<LineSize> lines;
  for (const auto& [key, model] : models_) lines.push_back(key.second);
  sort_without_repetition(lines);
  std::erase_if(lines, [this](LineSize line) { return find({}, line) == nullptr; });
  return lines;
}

}  // namespace cachescape::model
