// Distances counted by the place that made the touch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cachescape/places.hpp"

namespace cachescape::analyze {

/// A histogram per place and kind, to the precision of place_distance(). Memory: 8 bytes per place, kind and step up to
/// the farthest distance: some kilobytes for a place that sees them all.
class PlaceCounts {
 public:
  void add(std::uint32_t place, std::size_t kind, std::uint32_t distance, std::uint64_t weight) {
    counts(place, kind, bin_of(distance)) += weight;
  }
  void add_cold(std::uint32_t place, std::size_t kind, std::uint64_t weight) {
    counts(place, kind, 0);
    places_[place].cold[kind] += weight;
  }

  /// From now on distances are given in units twice as long.
  void halve_resolution() {
    for (Place& p : places_) {
      for (std::vector<std::uint64_t>& bins : p.bins) {
        std::vector<std::uint64_t> halved;
        for (std::size_t b = 0; b < bins.size(); ++b) {
          const std::size_t to = bin_of(static_cast<std::uint32_t>(distance_of(b) / 2));
          if (to >= halved.size()) halved.resize(to + 1);
          halved[to] += bins[b];
        }
        bins = std::move(halved);
      }
    }
  }

  /// Distances are multiplied by `unit`, counts divided by `scale`.
  std::vector<PlaceDistances> distances(std::uint64_t unit, std::uint64_t scale) const {
    std::vector<PlaceDistances> all;
    for (std::size_t number = 0; number < places_.size(); ++number) {
      const Place& place = places_[number];
      PlaceDistances d;
      d.place = static_cast<std::uint32_t>(number);
      bool any = false;
      for (std::size_t k = 0; k < access_kinds; ++k) {
        const auto& bins = place.bins[k];
        d.kinds[k].cold = (place.cold[k] + scale / 2) / scale;
        std::uint64_t carried = 0;
        for (std::size_t b = 0; b < bins.size(); ++b) {
          carried += bins[b];
          if (carried >= scale) d.kinds[k].bins.push_back({place_distance(distance_of(b) * unit), carried / scale});
          carried %= scale;
        }
        any |= !bins.empty();
      }
      if (any) all.push_back(std::move(d));
    }
    return all;
  }

  std::uint64_t memory_bytes() const {
    std::uint64_t bytes = places_.capacity() * sizeof(Place);
    for (const Place& p : places_)
      for (const auto& bins : p.bins) bytes += bins.capacity() * sizeof(std::uint64_t);
    return bytes;
  }

  /// Steps are numbered: 0 … 31 for those distances, then sixteen for each doubling.
  static std::size_t bin_of(std::uint32_t distance) {
    if (distance < 32) return distance;
    const auto drop = static_cast<std::size_t>(27 - __builtin_clz(distance));
    return drop * 16 + (distance >> drop);
  }
  static std::uint64_t distance_of(std::size_t bin) {
    if (bin < 32) return bin;
    const std::size_t drop = bin / 16 - 1;
    return std::uint64_t{bin - drop * 16} << drop;
  }

 private:
  struct Place {
    std::array<std::vector<std::uint64_t>, access_kinds> bins;
    std::array<std::uint64_t, access_kinds> cold{};
  };

  std::uint64_t& counts(std::uint32_t place, std::size_t kind, std::size_t bin) {
    if (place >= places_.size()) [[unlikely]]
      places_.resize(std::max<std::size_t>(place + 1, places_.size() * 2));
    std::vector<std::uint64_t>& bins = places_[place].bins[kind];
    if (bin >= bins.size()) [[unlikely]]
      bins.resize(bin + 1);
    return bins[bin];
  }

  std::vector<Place> places_;
};

}  // namespace cachescape::analyze
