#include "analyze/coherence/cache_group.hpp"

#include <utility>

namespace cachescape::analyze {

CacheGroup::CacheGroup(std::uint32_t number, CoherentCounters& counters) : number_(number), counters_(counters) {
  if (counters.levels > 0) sets_.emplace(counters);
}

void CacheGroup::touch(const Touch& t) {
  LineRecord& record = lines_.record(t.number);
  Hold& hold = lines_.hold(t.number);
  Event& e = push();
  e.line = &record;
  e.kind = t.kind;
  e.above = static_cast<std::uint8_t>(recent_.filled());
  e.shared = t.shared;
  e.own = hold == Hold::own;
  e.lost = t.lost;
  if (writes(t.kind)) {
    hold = Hold::own;
  } else if (hold == Hold::none) {
    hold = Hold::held;
  }
  Recent& r = slots_[recent_.oldest()];
  if (recent_.filled() == RecentLines::slots) {
    e.leaving = r.record;
    e.farthest = r.farthest;
  }
  r = {&record, t.ownership, t.number, writes(t.kind), 0};
  recent_.push(t.line.value);
  if (sets_) sets_->touch(t.line, t.number, t.kind, t.lost);
}

void CacheGroup::write_recent(unsigned slot, AccessKind kind, bool shared, Ownership* ownership) {
  const unsigned place = count_recent(slot, kind);
  Recent& r = slots_[slot];
  Event& e = push();
  e.what = What::write;
  e.line = r.record;
  e.above = static_cast<std::uint8_t>(place);
  e.farthest = static_cast<std::uint8_t>(std::max<unsigned>(r.farthest, place));
  e.shared = shared;
  Hold& hold = lines_.hold(r.number);
  e.own = hold == Hold::own;
  hold = Hold::own;
  r.quiet = true;
  r.ownership = ownership;
  r.farthest = 0;
}

void CacheGroup::leave_all() {
  for (unsigned place = recent_.filled(); place-- > 0;) {
    const Recent& r = slots_[recent_.at(place)];
    Event& e = push();
    e.what = What::leave;
    e.leaving = r.record;
    e.farthest = r.farthest;
  }
  recent_.clear();
}

void CacheGroup::take(Line line, std::uint32_t number) {
  if (find_recent(line) != not_recent) leave_all();
  Event& e = push();
  e.what = What::take;
  e.line = &lines_.record(number);
  e.above = static_cast<std::uint8_t>(recent_.filled());
  __builtin_prefetch(e.line, 1);
  lines_.hold(number) = Hold::none;
  if (sets_) sets_->take(line, number);
}

void CacheGroup::clean(Line line, std::uint32_t number) {
  if (find_recent(line) != not_recent) leave_all();
  Event& e = push();
  e.what = What::clean;
  lines_.hold(number) = Hold::held;
  e.line = &lines_.record(number);
  e.above = static_cast<std::uint8_t>(recent_.filled());
  __builtin_prefetch(e.line, 1);
}

void CacheGroup::flush() {
  leave_all();
  settle();
  settle_near();
  if (sets_) sets_->flush();
}

void CacheGroup::settle_near() {
  for (std::size_t k = 0; k < access_kinds; ++k) {
    for (std::uint32_t place = 0; place < RecentLines::slots; ++place) {
      const std::uint64_t times = std::exchange(kept_near_[k][place], 0);
      counters_.kept[k].add(place, times);
      if (sets_ && place == 0) sets_->again(static_cast<AccessKind>(k), times);
    }
  }
  for (std::uint32_t place = 0; place < RecentLines::slots; ++place) {
    for (std::uint32_t greatest = place; greatest < RecentLines::slots; ++greatest) {
      const std::uint64_t times = std::exchange(ended_near_[place][greatest], 0);
      counters_.write_backs.add(greatest, times);
      if (greatest == place) continue;
      counters_.msi_upgrades[0].add(place, times);
      counters_.msi_upgrades[1].add(greatest, times);
    }
  }
}

void CacheGroup::settle() {
  follow();
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < count_; ++i) {
    if (i + ahead < count_) prefetch_counts(pending_[i + ahead], depths_[i + ahead]);
    count(pending_[i], depths_[i]);
  }
  count_ = 0;
}

// How deep each line is when its turn comes, and what that does to the stack.
void CacheGroup::follow() {
  constexpr std::size_t ahead = 12;
  constexpr std::size_t far_ahead = 32;
  for (std::size_t i = 0; i < count_; ++i) {
    if (i + far_ahead < count_) __builtin_prefetch(pending_[i + far_ahead].line, 1);
    if (i + ahead < count_ && pending_[i + ahead].line != nullptr) stack_.prefetch(pending_[i + ahead].line->time);
    const Event& e = pending_[i];
    std::uint32_t depth = cold_distance;
    if (e.line != nullptr && e.line->time != 0) depth = e.above + stack_.depth(e.line->time);
    depths_[i] = depth;
    if (e.what == What::take) {
      stack_.take(std::exchange(e.line->time, 0));
    } else if (e.what == What::touch) {
      stack_.leave(std::exchange(e.line->time, 0));
    }
    if (e.leaving != nullptr) enter(*e.leaving);
  }
}

void CacheGroup::enter(LineRecord& line) {
  if (stack_.full()) [[unlikely]]
    renumber();
  line.time = stack_.enter();
}

void CacheGroup::renumber() {
  const std::size_t scanned = lines_.for_each([this](LineRecord& record, const LineRecord& soon) {
    stack_.prefetch(soon.time);
    if (record.time != 0) record.time = stack_.renumbered(record.time);
  });
  stack_.renew(scanned);
}

// Far depths are spread over all counters.
void CacheGroup::prefetch_counts(const Event& e, std::uint32_t depth) const {
  const auto k = static_cast<std::size_t>(e.kind);
  if (e.what == What::take) {
    counters_.taken.prefetch(depth);
  } else if (e.what == What::touch && e.lost) {
    counters_.lost[k][static_cast<std::size_t>(*e.lost)].prefetch(e.line->mark - 1);
  } else if (e.what == What::touch) {
    counters_.kept[k].prefetch(depth);
  }
}

void CacheGroup::count(const Event& e, std::uint32_t depth) {
  if (e.leaving != nullptr && e.farthest > 0 && e.leaving->mark != 0)
    e.leaving->mark = std::max<std::uint32_t>(e.leaving->mark, e.farthest + 1u);
  switch (e.what) {
    case What::leave:
      break;
    case What::take:
      counters_.taken.add(depth);
      e.line->mark = depth + 1;
      break;
    case What::clean:
      // Larger caches write it back now, the others have done so before.
      ++counters_.always_written_back;
      counters_.remote.add(std::max(e.line->mark - 1, depth));
      e.line->mark = 0;
      break;
    case What::write:
      count_write(e, e.above, e.farthest);
      break;
    case What::touch: {
      const auto k = static_cast<std::size_t>(e.kind);
      if (depth != cold_distance) {
        counters_.kept[k].add(depth);
      } else if (e.lost) {
        counters_.lost[k][static_cast<std::size_t>(*e.lost)].add(e.line->mark - 1);
        e.line->mark = 0;
      } else {
        ++counters_.cold[k];
      }
      if (writes(e.kind)) {
        count_write(e, depth, depth == cold_distance ? 0 : depth);
      } else if (depth != cold_distance && e.line->mark != 0) {
        e.line->mark = std::max(e.line->mark, depth + 1);
      }
    }
  }
}

// A write of a line that has been `greatest` deep since it was last touched.
void CacheGroup::count_write(const Event& e, std::uint32_t depth, std::uint32_t greatest) {
  const std::uint32_t before = std::exchange(e.line->mark, 1);
  if (before != 0) {
    greatest = std::max(greatest, before - 1);
    counters_.write_backs.add(greatest);
  }
  if (depth == cold_distance) return;
  if (e.shared) counters_.upgrades.add(depth);
  // Caches that held the line since it was written need not ask again.
  if (!e.own) {
    counters_.msi_upgrades[0].add(depth);
  } else if (greatest > depth) {
    counters_.msi_upgrades[0].add(depth);
    counters_.msi_upgrades[1].add(greatest);
  }
}

void CacheGroup::seed(std::span<const Known> known) {
  for (const Known& k : known) {
    LineRecord& record = lines_.record(k.number);
    enter(record);
    const bool written = k.greatest != WriteEpochs::no_epoch;
    if (written) record.mark = k.greatest + 1;
    lines_.hold(k.number) = written ? Hold::own : Hold::held;
    if (sets_) sets_->touch(k.line, k.number, AccessKind::read, std::nullopt);
  }
}

void CacheGroup::finish(CoherentCounters& counters) const {
  lines_.for_each([&](const LineRecord& record, const LineRecord& soon) {
    stack_.prefetch(soon.time);
    // What others have taken is marked too.
    if (record.time != 0 && record.mark != 0)
      counters.write_backs.add(std::max(record.mark - 1, stack_.depth(record.time)));
  });
}

std::uint64_t CacheGroup::memory_bytes() const {
  return sizeof *this + lines_.memory_bytes() + stack_.memory_bytes() + (sets_ ? sets_->memory_bytes() : 0);
}

}  // namespace cachescape::analyze
