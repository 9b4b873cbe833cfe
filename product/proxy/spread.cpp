#include "product/proxy/spread.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cachescape::proxy {

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
  };
  return {at(0.5), values.front(), values.back(), at(0.25), at(0.75)};
}

}  // namespace cachescape::proxy
