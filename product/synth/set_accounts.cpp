#include "product/synth/set_accounts.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace cachescape::synth {
namespace {

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

}  // namespace

SetAccounts::SetAccounts(std::span<const signature::SetHitRate> caches) {
  for (const signature::SetHitRate& c : caches.first(std::min(caches.size(), most))) {
    caches_.push_back({c.sets, c.ways, c.hit_rate, 0, std::vector(std::size_t{c.sets} * c.ways, nothing)});
  }
}

void SetAccounts::weigh(std::uint64_t references, std::uint64_t stands_for) {
  std::array<double, most> wants{};
  worth_of_miss_ = 0;
  new_ = 0;
  for (std::size_t c = 0; c < caches_.size(); ++c) {
    const Cache& cache = caches_[c];
    wants[c] = cache.hit_rate * static_cast<double>(references) - cache.hits;
    worth_of_miss_ -= wants[c];
    if (cache.sets * cache.ways > stands_for) new_ |= 1u << c;
  }
  const auto fill = [](std::array<double, 16>& table, const double* want) {
    table[0] = -want[0] - want[1] - want[2] - want[3];
    for (unsigned mask = 1; mask < 16; ++mask) {
      table[mask] = table[mask & (mask - 1)] + 2 * want[std::countr_zero(mask)];
    }
  };
  fill(lower_, wants.data());
  fill(upper_, wants.data() + 4);
}

void SetAccounts::touch(std::uint32_t line, std::uint64_t place, bool is_new) {
  const unsigned found = is_new ? new_ : found_in_[line];
  for (std::size_t c = 0; c < caches_.size(); ++c) {
    Cache& cache = caches_[c];
    cache.hits += found >> c & 1;
    std::uint32_t* set = cache.lines.data() + place % cache.sets * cache.ways;
    if (set[0] == line) continue;
    std::size_t at = 1;
    while (at + 1 < cache.ways && set[at] != line) ++at;
    if (cache.ways == 1) at = 0;
    if (set[at] != line && set[at] != nothing) found_in_[set[at]] &= static_cast<std::uint8_t>(~(1u << c));
    std::copy_backward(set, set + at, set + at + 1);
    set[0] = line;
  }
  found_in_[line] = static_cast<std::uint8_t>((1u << caches_.size()) - 1);
}

}  // namespace cachescape::synth
