#include "observe/collect/place_numbers.hpp"

namespace cachescape::collect {

std::uint32_t PlaceNumbers::look_up(std::uint32_t site, std::uint64_t address, const ObjectMap& objects) {
  const ObjectMap::Stretch stretch = objects.around(address);
  const std::uint64_t key = (std::uint64_t{site} << 32) | stretch.object;
  const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back({site, stretch.object});
  const bool of_object = stretch.object != nowhere;
  last_[site] = {objects.generation(of_object), stretch.begin, stretch.end - stretch.begin, entry->second, of_object};
  return entry->second;
}

}  // namespace cachescape::collect
