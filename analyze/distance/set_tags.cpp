#include "analyze/distance/set_tags.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace cachescape::analyze::sets {
namespace {

constexpr unsigned initial_slots_log2 = 10;

}  // namespace

RegionTags::RegionTags(unsigned region_log2)
    : region_log2_(region_log2),
      low_mask_((std::uint64_t{1} << region_log2) - 1),
      shift_(64 - initial_slots_log2),
      slots_(std::size_t{1} << initial_slots_log2),
      region_(1) {}

RegionTags::Slot* RegionTags::place(std::uint64_t region) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = home(region);
  while (slots_[i].number != 0 && slots_[i].region != region) i = (i + 1) & mask;
  return &slots_[i];
}

const RegionTags::Slot* RegionTags::search(std::uint64_t region) {
  Slot* slot = place(region);
  if (slot->number != 0) return slot;
  const std::uint64_t number = region_.size();
  const std::uint64_t topmost = std::numeric_limits<std::uint64_t>::max() >> region_log2_;
  if (region == topmost || number >> (32 - region_log2_) != 0) return nullptr;
  if (2 * region_.size() > slots_.size()) {
    grow();
    slot = place(region);
  }
  *slot = {region, static_cast<std::uint32_t>(number)};
  region_.push_back(region);
  return slot;
}

void RegionTags::grow() {
  slots_.assign(2 * slots_.size(), Slot{});
  --shift_;
  for (std::size_t number = 1; number < region_.size(); ++number) {
    *place(region_[number]) = {region_[number], static_cast<std::uint32_t>(number)};
  }
}

std::uint64_t RegionTags::memory_bytes() const {
  return slots_.capacity() * sizeof(Slot) + region_.capacity() * sizeof(std::uint64_t);
}

}  // namespace cachescape::analyze::sets
