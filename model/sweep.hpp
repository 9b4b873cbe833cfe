// Many caches at once: the misses of every combination of size, ways and line.
//
// Levels do not depend on each other in this model (predict.hpp), so that a design of several levels is one row of each
// level's sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cachescape/quantity.hpp"
#include "cachescape/result.hpp"
#include "machine/machine.hpp"
#include "model/streams.hpp"

namespace cachescape::model {

/// Among ways: one set, as many ways as there are lines.
inline constexpr std::uint64_t fully_associative = 0;
/// A sweep of more points is refused.
inline constexpr std::size_t max_sweep_points = 100'000'000;

/// first, 2 × first, 4 × first … not above last.
std::vector<Bytes> doubling_sizes(Bytes first, Bytes last);
/// first, first + step … not above last. Precondition: step > 0.
std::vector<Bytes> stepped_sizes(Bytes first, Bytes last, Bytes step);

/// One level's choices.
struct SweepAxes {
  std::string name = "cache";  ///< for messages
  std::vector<Bytes> sizes{};
  std::vector<std::uint64_t> ways{};
  std::vector<LineSize> lines{};
  std::uint32_t shared_by = machine::shared_by_all;  ///< as in machine::Level
  std::uint32_t cores = 0;                           ///< as in machine::Machine
};

/// Structure of arrays, one entry per point, in the order lines, ways, sizes (sizes change fastest).
struct Sweep {
  std::string name;
  std::vector<std::uint64_t> size;  ///< bytes
  std::vector<std::uint64_t> sets;
  std::vector<std::uint64_t> ways;  ///< as asked: fully_associative stays 0
  std::vector<LineSize> line;
  std::vector<std::uint64_t> misses;
  std::vector<double> ratio;  ///< misses / touches at this line size; 0 where there are no touches
  std::vector<Method> method;
  std::size_t left_out = 0;   ///< combinations that are no cache: size not a multiple of ways × line
  bool streams_known = true;  ///< false where the streams are approximations (level_view.hpp)
  bool sampled = false;

  std::size_t points() const { return size.size(); }
};

/// The same numbers as predict() gives for a machine of that one level. No allocation per point; exact points take
/// tens of nanoseconds, SDCM points some hundred evaluations. Fails where the profile lacks a line size, an axis
/// is empty or there are too many points.
Result<Sweep> sweep(const Streams& streams, const SweepAxes& axes);
Result<Sweep> sweep(const Profile& profile, const SweepAxes& axes);

}  // namespace cachescape::model
