#include "analyze/coherence/cache_group.hpp"

#include <utility>

namespace cachescape::analyze {

CacheGroup::CacheGroup(std::uint32_t number, CoherentCounters& counters) : number_(number), counters_(counters) {
  if (counters.levels > 0) sets_.emplace(counters);
}

void CacheGroup::touch(const Touch& t, LineRecord& record) {
  reorder_sets();
  ++arrivals_;
  Event& e = push();
  e.line = &record;
  e.kind = t.kind;
  e.above = static_cast<std::uint8_t>(recent_.filled());
  e.shared = t.shared;
  e.own = record.hold() == Hold::own;
  e.lost = t.lost;
  record.set_hold(e.own || writes(t.kind) ? Hold::own : Hold::held);
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
  const unsigned place = count_recent(slot, kind, 1);
  Recent& r = slots_[slot];
  Event& e = push();
  e.what = What::write;
  e.line = r.record;
  e.above = static_cast<std::uint8_t>(place);
  e.farthest = static_cast<std::uint8_t>(std::max<unsigned>(r.farthest, place));
  e.shared = shared;
  e.own = r.record->hold() == Hold::own;
  r.record->set_hold(Hold::own);
  r.quiet = true;
  r.ownership = ownership;
  r.farthest = 0;
}

// The line has come to the top from this place.
void CacheGroup::count_in_sets(unsigned place, AccessKind kind, std::uint64_t times) {
  std::array<Line, RecentLines::slots> lines;
  for (unsigned i = 0; i <= place; ++i) lines[i] = Line{recent_.line(recent_.at(i))};
  sets_->touch_recent(lines[0], std::span(lines).subspan(1, place), kind, times);
  reordered_ = std::max(reordered_, place);
}

void CacheGroup::reorder_sets() {
  if (reordered_ == 0) return;
  for (unsigned place = std::exchange(reordered_, 0) + 1; place-- > 0;) {
    const unsigned slot = recent_.at(place);
    sets_->reorder(Line{recent_.line(slot)}, slots_[slot].number);
  }
}

void CacheGroup::leave_all() {
  reorder_sets();
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
  e.line = &lines_[number];
  e.above = static_cast<std::uint8_t>(recent_.filled());
  e.line->set_hold(Hold::none);
  if (sets_) sets_->take(line, number);
}

void CacheGroup::clean(Line line, std::uint32_t number) {
  if (find_recent(line) != not_recent) leave_all();
  Event& e = push();
  e.what = What::clean;
  e.line = &lines_[number];
  e.line->set_hold(Hold::held);
  e.above = static_cast<std::uint8_t>(recent_.filled());
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
  switch (e.what) {
    case What::leave:
    case What::write:
      break;
    case What::take:
      counters_.taken.prefetch(depth);
      break;
    case What::clean:
      counters_.remote.prefetch(std::max<std::uint32_t>(e.line->mark - 1u, depth));
      break;
    case What::touch:
      if (e.lost) {
        counters_.lost[k][static_cast<std::size_t>(*e.lost)].prefetch(e.line->mark - 1u);
      } else {
        counters_.kept[k].prefetch(depth);
        if (!writes(e.kind)) break;
        counters_.upgrades.prefetch(depth);
        counters_.msi_upgrades[0].prefetch(depth);
        counters_.write_backs.prefetch(std::max<std::uint32_t>(e.line->mark - 1u, depth));
      }
  }
}

void CacheGroup::count(const Event& e, std::uint32_t depth) {
  if (e.leaving != nullptr && e.leaving->mark != 0 && e.leaving->mark <= e.farthest) e.leaving->set_mark(e.farthest);
  switch (e.what) {
    case What::leave:
      break;
    case What::take:
      counters_.taken.add(depth);
      e.line->set_mark(depth);
      break;
    case What::clean:
      // Larger caches write it back now, the others have done so before.
      ++counters_.always_written_back;
      counters_.remote.add(std::max<std::uint32_t>(e.line->mark - 1u, depth));
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
        counters_.lost[k][static_cast<std::size_t>(*e.lost)].add(e.line->mark - 1u);
        e.line->mark = 0;
      } else {
        ++counters_.cold[k];
      }
      if (writes(e.kind)) {
        count_write(e, depth, depth == cold_distance ? 0 : depth);
      } else if (depth != cold_distance && e.line->mark != 0 && e.line->mark <= depth) {
        e.line->set_mark(depth);
      }
    }
  }
}

// A write of a line that has been `greatest` deep since it was last touched.
void CacheGroup::count_write(const Event& e, std::uint32_t depth, std::uint32_t greatest) {
  const std::uint32_t before = e.line->mark;
  e.line->set_mark(0);
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
    LineRecord& record = lines_[k.number];
    enter(record);
    const bool written = k.greatest != WriteEpochs::no_epoch;
    if (written) record.set_mark(k.greatest);
    record.set_hold(written ? Hold::own : Hold::held);
    if (sets_) sets_->touch(k.line, k.number, AccessKind::read, std::nullopt);
  }
}

void CacheGroup::finish(CoherentCounters& counters) const {
  lines_.for_each([&](const LineRecord& record, const LineRecord& soon) {
    stack_.prefetch(soon.time);
    // What others have taken is marked too.
    if (record.time != 0 && record.mark != 0)
      counters.write_backs.add(std::max<std::uint32_t>(record.mark - 1u, stack_.depth(record.time)));
  });
}

std::uint64_t CacheGroup::memory_bytes() const {
  return sizeof *this + lines_.memory_bytes() + stack_.memory_bytes() + (sets_ ? sets_->memory_bytes() : 0);
}

}  // namespace cachescape::analyze
