#include "analyze/coherence/sharing_events.hpp"

#include <algorithm>

namespace cachescape::analyze {

void SharingEvents::add(std::uint32_t& report, Address address, SharingKind sharing, const Use& user, bool user_writes,
                        const Use& writer) {
  const auto s = static_cast<std::size_t>(sharing);
  ++pairs_[std::uint64_t{user.place} << 32 | writer.place][s];
  if (report == 0) {
    if (lines_.size() == most_lines) return;
    lines_.push_back({address});
    report = static_cast<std::uint32_t>(lines_.size());
  }
  SharedLine& line = lines_[report - 1];
  ++line.misses[s];
  add_use(line, user, user_writes);
  add_use(line, writer, true);
}

void SharingEvents::add_use(SharedLine& line, const Use& use, bool writes) {
  for (LineUse& known : line.uses) {
    if (known.thread != use.thread || known.site != use.place || known.writes != writes) continue;
    known.bytes |= use.bytes;
    return;
  }
  if (line.uses.size() < most_uses) line.uses.push_back({use.thread, use.place, nowhere, writes, use.bytes});
}

std::vector<SharingPair> SharingEvents::pairs() const {
  std::vector<SharingPair> all;
  for (const auto& [places, misses] : pairs_) {
    const auto site = static_cast<std::uint32_t>(places >> 32);
    all.push_back({site, nowhere, static_cast<std::uint32_t>(places), nowhere, misses});
  }
  std::ranges::sort(all);
  return all;
}

std::vector<SharedLine> SharingEvents::worst_lines() const {
  std::vector<SharedLine> worst = lines_;
  const auto by_misses = [](const SharedLine& a, const SharedLine& b) {
    return a.misses != b.misses ? is_worse(a.misses, b.misses) : a.address < b.address;
  };
  const std::size_t told = std::min(told_lines, worst.size());
  std::ranges::partial_sort(worst, worst.begin() + static_cast<std::ptrdiff_t>(told), by_misses);
  worst.resize(told);
  for (SharedLine& line : worst) std::ranges::sort(line.uses);
  return worst;
}

std::uint64_t SharingEvents::memory_bytes() const {
  return pairs_.bucket_count() * 3 * sizeof(std::uint64_t) + lines_.size() * (sizeof(SharedLine) + 2 * sizeof(LineUse));
}

}  // namespace cachescape::analyze
