#include "observe/symbols/location_table.hpp"

#include <utility>

#include <boost/container_hash/hash.hpp>

namespace cachescape::symbols {

std::size_t LocationTable::Hash::operator()(std::uint32_t number) const {
  const Location& l = (*all)[number];
  std::size_t seed = 0;
  boost::hash_combine(seed, l.function);
  boost::hash_combine(seed, l.file);
  boost::hash_combine(seed, l.line);
  boost::hash_combine(seed, l.column);
  boost::hash_combine(seed, l.inlined_at);
  return seed;
}

std::uint32_t LocationTable::number(Location location) {
  // The set holds numbers and compares what they stand for: the candidate is put last to be one of them.
  all_.push_back(std::move(location));
  const auto [place, is_new] = numbers_.insert(static_cast<std::uint32_t>(all_.size() - 1));
  if (!is_new) all_.pop_back();
  return *place;
}

}  // namespace cachescape::symbols
