#include "analyze/coherence/sharing_events.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace cachescape::analyze {

void SharingEvents::add(std::uint32_t& report, Address address, SharingKind sharing, const Use& user, bool user_writes,
                        const Use& writer) {
  if (report == 0 && reports_.size() < most_lines) {
    reports_.push_back({address});
    report = static_cast<std::uint32_t>(reports_.size());
  }
  if (count_ == waiting_.size()) flush();
  waiting_[count_++] = {report, sharing, user_writes, user, writer};
  if (report != 0) __builtin_prefetch(&reports_[report - 1], 1);
}

void SharingEvents::flush() {
  const auto waiting = std::span(waiting_).first(std::exchange(count_, 0));
  constexpr std::size_t uses_per_cache_line = 64 / sizeof(KeptUse);
  for (const Waiting& w : waiting) {
    if (w.report == 0) continue;
    const std::vector<KeptUse>& uses = reports_[w.report - 1].uses;
    for (std::size_t i = 0; i < uses.size(); i += uses_per_cache_line) __builtin_prefetch(&uses[i], 1);
  }
  for (const Waiting& w : waiting) {
    const auto s = static_cast<std::size_t>(w.sharing);
    ++pairs_[std::uint64_t{w.user.place} << 32 | w.writer.place][s];
    if (w.report == 0) continue;
    Report& line = reports_[w.report - 1];
    ++line.misses[s];
    add_use(line, w.user, w.user_writes);
    add_use(line, w.writer, true);
  }
}

void SharingEvents::add_use(Report& report, const Use& use, bool writes) {
  const std::uint64_t by = std::uint64_t{use.place} << 32 | use.thread << 1 | static_cast<unsigned>(writes);
  // Threads take turns in no order that a processor could guess: looking at all costs less than stopping.
  std::size_t at = report.uses.size();
  for (std::size_t i = 0; i < report.uses.size(); ++i) at = report.uses[i].by == by ? i : at;
  if (at < report.uses.size()) {
    report.uses[at].bytes |= use.bytes;
  } else if (at < most_uses) {
    report.uses.push_back({by, use.bytes});
  }
}

SharedLine SharingEvents::told(const Report& report) {
  SharedLine line{report.address, report.misses};
  for (const KeptUse& use : report.uses) {
    line.uses.push_back({static_cast<std::uint32_t>(use.by) >> 1, static_cast<std::uint32_t>(use.by >> 32), nowhere,
                         (use.by & 1) != 0, use.bytes});
  }
  std::ranges::sort(line.uses);
  return line;
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
  std::vector<const Report*> worst;
  for (const Report& report : reports_) worst.push_back(&report);
  const std::size_t told_of = std::min(told_lines, worst.size());
  std::ranges::partial_sort(worst, worst.begin() + static_cast<std::ptrdiff_t>(told_of),
                            [](const Report* a, const Report* b) {
                              return a->misses != b->misses ? is_worse(a->misses, b->misses) : a->address < b->address;
                            });
  std::vector<SharedLine> lines;
  for (std::size_t i = 0; i < told_of; ++i) lines.push_back(told(*worst[i]));
  return lines;
}

std::uint64_t SharingEvents::memory_bytes() const {
  return pairs_.bucket_count() * 3 * sizeof(std::uint64_t) + reports_.size() * (sizeof(Report) + 4 * sizeof(KeptUse));
}

}  // namespace cachescape::analyze
