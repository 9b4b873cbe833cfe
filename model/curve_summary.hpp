// Everything that the curves of one program tell, as one value: what `cachescape curves` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cachescape/profile.hpp"
#include "cachescape/result.hpp"
#include "model/curves.hpp"

namespace cachescape::model {

struct CurveQuestion {
  std::optional<LineSize> line{};  ///< none: 64 bytes, or the recorded size nearest to it (the smaller of two)
  Kinds kinds = Kinds::all;        ///< of curve, knees, distance and spatial use; memory usage knows no kinds
  Bytes spatial_size{32 * 1024};   ///< the cache whose spatial use is told
};

struct CurveSummary {
  LineSize line{6};
  Kinds kinds = Kinds::all;
  std::uint64_t touches = 0;       ///< of these kinds
  std::uint64_t cold = 0;          ///< first touches among them
  bool sampled = false;            ///< counts are estimates
  std::vector<CurvePoint> points;  ///< curve_at_changes()
  std::vector<Knee> knees;
  std::optional<TypicalDistance> distance;
  Bytes spatial_size;
  std::vector<SpatialUse> spatial;  ///< by ascending line size
  LineSize usage_line{6};           ///< of memory usage
  std::vector<MemoryUse> usage;     ///< empty where the profile has no popularity

  friend bool operator==(const CurveSummary&, const CurveSummary&) = default;
};

/// Of all threads together. Fails where the profile lacks the line size. Pure. O(bins × log bins).
Result<CurveSummary> summarise_curves(const Profile& profile, const CurveQuestion& question);

}  // namespace cachescape::model
