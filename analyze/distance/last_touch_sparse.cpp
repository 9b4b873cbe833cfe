#include "analyze/distance/last_touch_sparse.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace cachescape::analyze {

void SparseTouches::swap(SparseTouches& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(capacity_, other.capacity_);
  std::swap(count_, other.count_);
  std::swap(shift_, other.shift_);
}

void SparseTouches::clear() {
  SparseTouches none;
  swap(none);
}

void SparseTouches::reserve(std::size_t lines) {
  constexpr std::size_t smallest = 1024;
  // Between a third and two thirds full: the next doubling is as far away as the table is large.
  capacity_ = std::max(smallest, std::bit_ceil(lines + lines / 2));
  memory_ = Mapping(capacity_ * sizeof(Entry));
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(capacity_));
}

}  // namespace cachescape::analyze
