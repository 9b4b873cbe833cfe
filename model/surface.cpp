#include "model/surface.hpp"

#include "model/kind_counts.hpp"

namespace cachescape::model {

Result<Surface> surface(const Streams& streams) {
  Surface result;
  for (unsigned log2 = surface_first_width; log2 <= surface_last_width; ++log2) {
    const LineSize width{log2};
    const StreamModel* stream = streams.find({}, width);
    if (stream == nullptr) {
      result.missing_widths.push_back(width);
      continue;
    }
    const std::uint64_t touches = sum(stream->curve().touches());
    result.widths.push_back(width);
    result.touches.push_back(touches);
    for (std::size_t i = 0; i < surface_depths; ++i) {
      const std::uint64_t hits = touches - sum(stream->curve().misses(surface_depth(i)));
      result.hits.push_back(touches == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(touches));
    }
  }
  if (result.widths.empty()) {
    return failure(ErrorKind::unsupported, "the profile has no stack distances at any line size from 4 to 512 bytes",
                   {}, "record the program again with --lines 4,8,16,32,64,128,256,512");
  }
  return result;
}

Result<Surface> surface(const Profile& profile) { return surface(Streams(profile)); }

}  // namespace cachescape::model
