#include "model/curve_summary.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/streams.hpp"

namespace cachescape::model {
namespace {

constexpr LineSize usual_line{6};

std::optional<LineSize> nearest_to_usual(const std::vector<LineSize>& lines) {
  const auto off = [](LineSize line) {
    return line > usual_line ? line.log2() - usual_line.log2() : usual_line.log2() - line.log2();
  };
  const auto best = std::ranges::min_element(lines, {}, off);
  return best == lines.end() ? std::nullopt : std::optional(*best);
}

Result<LineSize> chosen_line(const Streams& streams, const CurveQuestion& question) {
  const std::vector<LineSize> there = streams.line_sizes();
  if (!question.line) {
    if (const auto nearest = nearest_to_usual(there)) return *nearest;
    return failure(ErrorKind::unsupported, "the profile has no stack distances of all threads together");
  }
  if (std::ranges::find(there, *question.line) != there.end()) return *question.line;
  std::vector<std::uint64_t> bytes;
  for (const LineSize line : there) bytes.push_back(line.bytes().value);
  return failure(
      ErrorKind::unsupported,
      fmt::format("the profile has no stack distances of {}-byte lines; it has {}", question.line->bytes().value,
                  bytes.empty() ? "none at all" : fmt::format("those of {} bytes", fmt::join(bytes, ", "))));
}

/// A program of one thread has one stack, whichever way it was recorded.
bool of_everything(const Profile& profile, const StackProfile& stack) {
  return stack.scope.kind == Scope::Kind::everything || profile.threads.size() == 1;
}

}  // namespace

Result<CurveSummary> summarise_curves(const Profile& profile, const CurveQuestion& question) {
  const Streams streams(profile);
  CurveSummary summary;
  CACHESCAPE_TRY(summary.line, chosen_line(streams, question));
  summary.kinds = question.kinds;
  summary.sampled = profile.sampling.method != Sampling::Method::none;
  const MissCurve& curve = streams.find({}, summary.line)->curve();
  summary.touches = sum(curve.touches(), question.kinds);
  summary.cold = sum(curve.cold(), question.kinds);
  summary.points = curve_at_changes(curve, question.kinds);
  summary.knees = knees(summary.points);
  summary.spatial_size = question.spatial_size;
  summary.spatial = spatial_use(streams, question.spatial_size, question.kinds);
  const StackProfile* popular = nullptr;
  for (const StackProfile& stack : profile.stacks) {
    if (!of_everything(profile, stack)) continue;
    if (stack.line == summary.line && !summary.distance) summary.distance = typical_distance(stack, question.kinds);
    const bool better = popular == nullptr || stack.line == summary.line;
    if (!stack.popularity.empty() && better) popular = &stack;
  }
  if (popular != nullptr) {
    summary.usage_line = popular->line;
    const Scaling scaling = scaling_of(profile, popular->scope);
    summary.usage = memory_usage(popular->popularity, scaling.by_lines() ? scaling.rate : 1);
  }
  return summary;
}

}  // namespace cachescape::model
