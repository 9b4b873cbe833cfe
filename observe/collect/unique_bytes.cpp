#include "observe/collect/unique_bytes.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace cachescape::collect {

void ByteSet::add(std::uint64_t begin, std::uint64_t bytes) {
  bytes = std::min(bytes, std::numeric_limits<std::uint64_t>::max() - begin);
  while (bytes > 0) {
    const std::uint64_t in_word = begin % 64;
    const std::uint64_t count = std::min(bytes, 64 - in_word);
    const std::uint64_t bits = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << in_word;
    std::uint64_t& word = words_[begin / 64];
    size_ += static_cast<std::uint64_t>(std::popcount(bits & ~word));
    word |= bits;
    begin += count;
    bytes -= count;
  }
}

ByteSet* UniqueBytes::bytes_of(std::uint32_t place, const PlaceNumbers& places, const ModuleSet& modules) {
  constexpr std::uint32_t not_asked = nowhere - 1;
  if (place >= places.pairs().size()) return nullptr;
  const std::uint32_t site = places.pairs()[place].site;
  if (site >= modules.sites().size()) return nullptr;
  if (site >= function_of_site_.size()) function_of_site_.resize(modules.sites().size(), not_asked);
  std::uint32_t& function = function_of_site_[site];
  if (function == not_asked) {
    function = nowhere;
    if (const std::uint32_t block = modules.sites()[site].block; block != nowhere) {
      const Block& b = modules.blocks()[block];
      const auto number = static_cast<std::uint32_t>(functions_.size());
      const auto [known, is_new] = numbers_.try_emplace({b.function, b.module}, number);
      if (is_new) functions_.push_back({block, {}});
      function = known->second;
    }
  }
  return function == nowhere ? nullptr : &functions_[function].bytes;
}

void UniqueBytes::add(ByteSet* of_function, std::uint64_t begin, std::uint64_t bytes) {
  all_.add(begin, bytes);
  if (of_function != nullptr) of_function->add(begin, bytes);
}

void UniqueBytes::take(const PackedBatch& batch, const PlaceNumbers& places, const ModuleSet& modules) {
  for (const PackedAccess& a : batch.accesses()) add(bytes_of(a.place(), places, modules), a.address().value, a.size());
}

void UniqueBytes::take(const StridedRun& run, const PlaceNumbers& places, const ModuleSet& modules) {
  for (const StridedAccess& a : run.body) {
    ByteSet* const of_function = bytes_of(static_cast<std::uint32_t>(a.site.value), places, modules);
    // A stream without gaps is one range.
    const bool forward = a.step >= 0 && static_cast<std::uint64_t>(a.step) <= a.size;
    if (forward && run.trips > 0) {
      add(of_function, a.base.value, (run.trips - 1) * static_cast<std::uint64_t>(a.step) + a.size);
      continue;
    }
    for (std::uint64_t i = 0; i < run.trips; ++i) add(of_function, a.at(i).value, a.size);
  }
}

std::vector<Counted> UniqueBytes::counted() const {
  std::vector<Counted> counted{{"bytes.unique", nowhere, all_.size()}};
  for (const Function& f : functions_) counted.push_back({"bytes.unique", f.block, f.bytes.size()});
  return counted;
}

}  // namespace cachescape::collect
