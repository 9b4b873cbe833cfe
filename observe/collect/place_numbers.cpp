#include "observe/collect/place_numbers.hpp"

namespace cachescape::collect {

std::uint32_t PlaceNumbers::number_of(std::uint32_t site, std::uint32_t object) {
  const std::uint64_t key = (std::uint64_t{site} << 32) | object;
  const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({site, object});
  return entry->second;
}

void PlaceNumbers::forget(const ObjectMap& objects) {
  for (const bool of_object : {false, true}) {
    if (objects.generation(of_object) == generations_[of_object]) continue;
    generations_[of_object] = objects.generation(of_object);
    for (const std::uint32_t site : remembered_[of_object]) {
      Last& last = last_[site];
      last.listed[of_object] = false;
      if (last.of_object == of_object) last.bytes = 0;
    }
    remembered_[of_object].clear();
  }
}

std::uint32_t PlaceNumbers::number_elsewhere(std::uint32_t site, std::uint64_t address, const ObjectMap& objects) {
  Last& last = last_[site];
  if (const std::uint32_t small = objects.small_object(address); small != nowhere) {
    if (small != last.small_object) {
      last.small_object = small;
      last.small_number = number_of(site, small);
    }
    return last.small_number;
  }
  const ObjectMap::Stretch stretch = objects.around(address);
  last.of_object = stretch.object != nowhere;
  last.begin = stretch.begin;
  last.bytes = stretch.end - stretch.begin;
  // It may be another stretch of the same object, or of none.
  if (last.number == 0 || pairs_[last.number].object != stretch.object) last.number = number_of(site, stretch.object);
  remember(site);
  return last.number;
}

void PlaceNumbers::remember(std::uint32_t site) {
  Last& last = last_[site];
  if (last.listed[last.of_object]) return;
  last.listed[last.of_object] = true;
  remembered_[last.of_object].push_back(site);
}

}  // namespace cachescape::collect
