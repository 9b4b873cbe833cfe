#include "model/confidence.hpp"

#include <algorithm>
#include <cmath>

#include "model/kind_counts.hpp"

namespace cachescape::model {
namespace {

constexpr double standard_errors = 1.959963984540054;  // 95 % of a normal distribution

/// The sum of the lines' squared misses when misses are dealt out by touches, at most `cap` to a line.
double squared_misses(const std::vector<Bin>& popularity, double misses, double cap) {
  const auto dealt = [&](double per_touch, auto power) {
    double total = 0;
    for (const Bin& b : popularity) {
      total += static_cast<double>(b.count) * power(std::min(per_touch * static_cast<double>(b.value), cap));
    }
    return total;
  };
  double low = 0;
  double high = cap;
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    (dealt(middle, [](double m) { return m; }) < misses ? low : high) = middle;
  }
  return dealt(high, [](double m) { return m * m; });
}

double squared(double x) { return x * x; }

double line_sampled(const StreamModel& stream, std::uint64_t sets, std::uint64_t ways, double stretch) {
  const Scaling& s = stream.scaling();
  const auto sampled_lines = static_cast<double>(stream.footprint_lines());
  if (sampled_lines == 0) return 0;
  const auto misses_at = [&](double more) {
    return static_cast<double>(sum(stream.misses(sets, ways, stretch * more).misses));
  };
  const double lines = std::max(1.0, static_cast<double>(sets) * static_cast<double>(ways) / stretch);
  const double sampled_misses = std::max(1.0, misses_at(1) / s.weight);
  double squares = 2 * squared(sampled_misses) / sampled_lines;
  if (!stream.popularity().empty()) {
    const double cap = 1 + static_cast<double>(sum(stream.curve().touches())) / lines;
    squares = squared_misses(stream.popularity(), sampled_misses, cap);
  }
  const double spread = std::min(0.5, std::sqrt((1 - s.rate) / (s.rate * lines)));
  const double by_size = (misses_at(1 / (1 - spread)) - misses_at(1 / (1 + spread))) / 2;
  return squared(s.weight) * (1 - s.rate) * squares + squared(by_size);
}

double window_sampled(const StreamModel& stream, std::uint64_t misses) {
  const Scaling& s = stream.scaling();
  const auto touches = static_cast<double>(sum(stream.curve().touches()));
  if (touches == 0) return 0;
  const double windows = std::max(1.0, s.windows);
  const double ratio =
      std::clamp(static_cast<double>(misses) / touches, 1 / (windows + 2), (windows + 1) / (windows + 2));
  return touches * touches * ratio * (1 - ratio) / windows * (1 - s.rate);
}

}  // namespace

double miss_variance(const StreamModel& stream, std::uint64_t sets, std::uint64_t ways, double stretch) {
  if (!stream.scaling().sampled()) return 0;
  if (stream.scaling().by_lines()) return line_sampled(stream, sets, ways, stretch);
  return window_sampled(stream, sum(stream.misses(sets, ways, stretch).misses));
}

Interval interval_of(std::uint64_t misses, double variance, std::uint64_t at_most) {
  const double reach = standard_errors * std::sqrt(std::max(0.0, variance));
  const auto centre = static_cast<double>(misses);
  const double low = std::clamp(std::floor(centre - reach), 0.0, centre);
  const double high = std::max(centre, std::min(std::ceil(centre + reach), static_cast<double>(at_most)));
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

}  // namespace cachescape::model
