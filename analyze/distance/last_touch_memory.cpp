#include "analyze/distance/last_touch_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace cachescape::analyze {

Mapping::Mapping(std::size_t bytes, Pages pages) {
  const bool huge = pages == Pages::huge && bytes >= huge_page;
  const std::size_t size = (std::max<std::size_t>(bytes, 1) + small_page - 1) / small_page * small_page;
  // The kernel aligns to small pages only: map one huge page more and give the ends back.
  const std::size_t asked = huge ? size + huge_page : size;
  void* const mapped = mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char* start = static_cast<char*>(mapped);
  if (huge) {
    const std::size_t ahead = huge_page - reinterpret_cast<std::uintptr_t>(start) % huge_page;
    munmap(start, ahead);
    start += ahead;
    if (ahead != huge_page) munmap(start + size, huge_page - ahead);
  }
  // Only advice: with other pages everything works, more slowly or in more memory.
  madvise(start, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  data_ = start;
  bytes_ = size;
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void* Arena::take() {
  // Small at first: a process may hold hundreds of engines that see a few lines each.
  constexpr std::size_t first_segment = huge_page / 8;
  constexpr std::size_t largest_segment = 32 * huge_page;
  if (segments_.empty() || segments_.back().used + unit_bytes_ > segments_.back().memory.bytes()) {
    const std::size_t size =
        segments_.empty() ? first_segment : std::min(segments_.back().memory.bytes() * 2, largest_segment);
    segments_.push_back({Mapping(size, pages_), 0});
  }
  Segment& segment = segments_.back();
  void* const unit = segment.memory.as<char>() + segment.used;
  segment.used += unit_bytes_;
  return unit;
}

}  // namespace cachescape::analyze
