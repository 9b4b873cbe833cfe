// The cache surface: hit rates of fully associative LRU caches by depth and width. Chameleon, §2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cachescape/result.hpp"
#include "model/streams.hpp"

namespace cachescape::model {

/// Depths 2^0 … 2^16 lines.
inline constexpr std::size_t surface_depths = 17;
constexpr std::uint64_t surface_depth(std::size_t i) { return std::uint64_t{1} << i; }
/// Widths 2^2 … 2^9 bytes.
inline constexpr unsigned surface_first_width = 2;
inline constexpr unsigned surface_last_width = 9;

struct Surface {
  std::vector<LineSize> widths;          ///< ascending: those of 4 … 512 bytes that the profile holds
  std::vector<LineSize> missing_widths;  ///< the others
  std::vector<std::uint64_t> touches;    ///< by width
  std::vector<double> hits;              ///< hit rate, widths outside, depths inside

  double hit(std::size_t width, std::size_t depth) const { return hits[width * surface_depths + depth]; }
  friend bool operator==(const Surface&, const Surface&) = default;
};

/// Of all threads together. Fails where the profile holds none of the widths. O(widths × depths × log bins).
Result<Surface> surface(const Streams& streams);
Result<Surface> surface(const Profile& profile);

}  // namespace cachescape::model
