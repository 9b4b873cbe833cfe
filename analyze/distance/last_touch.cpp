#include "analyze/distance/last_touch.hpp"

#include <algorithm>
#include <new>

namespace cachescape::analyze {

namespace {

constexpr std::size_t directory_entries = std::size_t{1} << (LastTouch::line_bits - LastTouch::region_bits);

// Whether the page of pointers around `at` is still as the kernel gave it, so that writing to it commits memory.
template <class Pointer>
bool untouched_page(Pointer* table, std::size_t at) {
  constexpr std::size_t per_page = small_page / sizeof(Pointer);
  Pointer* const first = table + at / per_page * per_page;
  return std::all_of(first, first + per_page, [](Pointer p) { return p == nullptr; });
}

}  // namespace

LastTouch::LastTouch(std::size_t slack_bytes)
    : slack_bytes_(slack_bytes),
      directory_memory_(directory_entries * sizeof(Region*), Mapping::Pages::small),
      directory_(directory_memory_.as<Region*>()),
      regions_(region_granules * sizeof(Region), Mapping::Pages::small),
      granules_(granule_lines * sizeof(std::uint32_t), Mapping::Pages::huge) {
  // The hash table marks free entries by line 0, so that line must always be shadowed.
  if (!make_granule(0)) throw std::bad_alloc();
}

bool LastTouch::within_budget() const {
  constexpr std::size_t one_more = 2 * small_page + granule_lines * sizeof(std::uint32_t);
  return !refused_ && shadow_bytes_ + one_more <= slack_bytes_ + lines_ * bytes_per_line;
}

bool LastTouch::shadowed(std::uint64_t line) const { return granule_of(line) != nullptr; }

bool LastTouch::make_granule(std::uint64_t line) try {
  const std::size_t number = line >> region_bits;
  if (directory_[number] == nullptr) {
    auto* const region = static_cast<Region*>(regions_.take());
    if (untouched_page(directory_, number)) shadow_bytes_ += small_page;
    directory_[number] = region;
    used_regions_.push_back(number);
  }
  auto* const granule = static_cast<std::uint32_t*>(granules_.take());
  Region* const region = directory_[number];
  const std::size_t at = (line >> granule_bits) % region_granules;
  if (untouched_page(region, at)) shadow_bytes_ += small_page;
  region[at] = granule;
  shadow_bytes_ += granules_.unit_bytes();
  return true;
} catch (const std::bad_alloc&) {
  refused_ = true;
  return false;
}

std::uint32_t* LastTouch::find_or_place(std::uint64_t line) {
  if (std::uint32_t* const known = sparse_.find(line); known != nullptr) return known;
  if (line >> line_bits == 0 && within_budget()) {
    // Lines of the new granule that sit in the hash table would have to move.
    if (!sparse_.empty()) return nullptr;
    if (make_granule(line))
      return directory_[line >> region_bits][(line >> granule_bits) % region_granules] + line % granule_lines;
  }
  if (sparse_.full()) return nullptr;
  ++sparse_lines_;
  return sparse_.insert(line);
}

void LastTouch::make_room(std::uint64_t line) {
  if (line >> line_bits == 0 && within_budget() && make_granule(line)) {
    if (sparse_.empty()) return;
    const std::uint64_t first = line / granule_lines * granule_lines;
    std::uint32_t* const granule = directory_[line >> region_bits][(line >> granule_bits) % region_granules];
    constexpr std::size_t ahead = 4 * SparseTouches::neighbour_lines;
    for (std::size_t i = 0; i < granule_lines; ++i) {
      if (i % SparseTouches::neighbour_lines == 0) sparse_.prefetch(first + i + ahead);
      if (std::uint32_t* const time = sparse_.find(first + i); time != nullptr) {
        granule[i] = *time;
        *time = 0;
        --sparse_lines_;
      }
    }
    if (sparse_lines_ == 0) sparse_.clear();
    return;
  }
  if (sparse_.full()) sparse_.grow([this](std::uint64_t l) { return shadowed(l); });
}

void LastTouch::for_each(const std::function<void(std::uint64_t, std::uint32_t)>& visit) const {
  for (const std::size_t number : used_regions_) {
    for (std::size_t g = 0; g < region_granules; ++g) {
      const std::uint32_t* const granule = directory_[number][g];
      if (granule == nullptr) continue;
      const std::uint64_t first = (std::uint64_t{number} << region_bits) + (std::uint64_t{g} << granule_bits);
      for (std::size_t i = 0; i < granule_lines; ++i) {
        if (granule[i] != 0) visit(first + i, granule[i]);
      }
    }
  }
  for (std::size_t i = 0; i < sparse_.capacity(); ++i) {
    const SparseTouches::Entry& entry = sparse_.entries()[i];
    // Lines that moved to the shadow have left a time of 0.
    if (entry.line() != 0 && entry.time != 0) visit(entry.line(), entry.time);
  }
}

std::size_t LastTouch::runs() const { return granules_.segments().size() + (sparse_.empty() ? 0 : 1); }

LastTouch::Run LastTouch::run(std::size_t index) const {
  if (index < granules_.segments().size()) {
    const Arena::Segment& segment = granules_.segments()[index];
    return {segment.memory.as<std::uint32_t>(), segment.used / sizeof(std::uint32_t), 1};
  }
  return {&sparse_.entries()->time, sparse_.capacity(), sizeof(SparseTouches::Entry) / sizeof(std::uint32_t)};
}

void LastTouch::prefetch_sparse(std::uint64_t line) const {
  if (!shadowed(line)) sparse_.prefetch(line);
}

}  // namespace cachescape::analyze
