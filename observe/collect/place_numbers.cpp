#include "observe/collect/place_numbers.hpp"

namespace cachescape::collect {

std::uint32_t PlaceNumbers::number_of(std::uint32_t site, std::uint32_t object) {
  const std::uint64_t key = (std::uint64_t{site} << 32) | object;
  const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({site, object});
  return entry->second;
}

std::uint32_t PlaceNumbers::look_up_small(std::uint32_t site, std::uint32_t object) {
  last_[site].small_object = object;
  last_[site].small_number = number_of(site, object);
  return last_[site].small_number;
}

std::uint32_t PlaceNumbers::look_up(std::uint32_t site, std::uint64_t address, const ObjectMap& objects) {
  const ObjectMap::Stretch stretch = objects.around(address);
  const bool of_object = stretch.object != nowhere;
  Last& last = last_[site];
  last.generation = objects.generation(of_object);
  last.begin = stretch.begin;
  last.bytes = stretch.end - stretch.begin;
  last.of_object = of_object;
  last.number = number_of(site, stretch.object);
  return last.number;
}

}  // namespace cachescape::collect
