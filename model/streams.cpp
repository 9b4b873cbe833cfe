#include "model/streams.hpp"

#include <algorithm>

#include "model/scaling.hpp"

namespace cachescape::model {
namespace {

void sort_without_repetition(std::vector<LineSize>& lines) {
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
}

bool tells_foreign(const StackProfile& stack) {
  return std::ranges::any_of(stack.foreign, [](const Histogram& h) { return h.total() > 0; });
}

StackProfile foreign_part(const StackProfile& stack) {
  StackProfile part;
  part.line = stack.line;
  part.kinds = stack.foreign;
  return part;
}

SetProfile foreign_part(const SetProfile& sets, const StackProfile& stack) {
  SetProfile part = sets;
  for (std::size_t k = 0; k < access_kinds; ++k) part.touches[k] = stack.foreign[k].total();
  for (SetCounts& counts : part.counts) counts.hits = counts.foreign;
  return part;
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
    if (!tells_foreign(stack) || sampling_.method != Sampling::Method::none) continue;
    const StackProfile part = foreign_part(stack);
    const auto part_sets = sets == profile.sets.end() ? SetProfile() : foreign_part(*sets, stack);
    foreign_.try_emplace({stack.scope, stack.line}, part, sets == profile.sets.end() ? nullptr : &part_sets, Scaling());
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

const StreamModel* Streams::find_foreign(const Scope& scope, LineSize line) const {
  const auto found = foreign_.find({scope, line});
  return found != foreign_.end() ? &found->second : nullptr;
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
