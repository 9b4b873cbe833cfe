// Several measurements of the same thing, in the few numbers that tell how far they can be trusted.
#pragma once

#include <vector>

namespace cachescape::proxy {

/// Quartiles lie between two measurements where the middle does, as the median of an even number does.
struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
  double lower_quartile = 0;
  double upper_quartile = 0;

  friend bool operator==(const Spread&, const Spread&) = default;
};

/// Of at least one value.
Spread spread_of(std::vector<double> values);

}  // namespace cachescape::proxy
