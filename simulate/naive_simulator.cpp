#include "simulate/naive_simulator.hpp"

#include <algorithm>
#include <utility>

#include "simulate/random.hpp"

namespace cachescape::simulate {

using machine::Coherence;
using machine::Inclusion;
using machine::WritePolicy;
using naive::ByteRange;
using naive::bytes_of;

NaiveSimulator::NaiveSimulator(machine::Machine machine, Options options)
    : machine_(std::move(machine)), options_(options), levels_(machine_.levels.size()) {
  Instance* parent = nullptr;
  for (std::size_t depth = levels_.size(); depth-- > 0;) {
    if (machine_.levels[depth].shared_by != machine::shared_by_all) break;
    parent = &instance(depth, 0, parent);
  }
}

void NaiveSimulator::consume(const Access& access) {
  ++accesses_;
  const Path path = path_of(core_of(access.thread));
  const LineSize line_size = path.front()->level.line;
  const ByteRange bytes{access.address, last_byte(access.address, access.size)};
  for (Line line : lines_in(bytes, line_size)) {
    touch(path, line, common_bytes(bytes, bytes_of(line, line_size)), access.kind);
  }
}

HierarchyOutcome NaiveSimulator::outcome() const {
  HierarchyOutcome result;
  result.accesses = accesses_;
  result.threads = order_of_thread_.size();
  result.cores = machine_.cores == 0 ? order_of_thread_.size() : machine_.cores;
  result.classified = options_.classify;
  for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
    LevelOutcome sum;
    sum.name = machine_.levels[depth].name;
    sum.instances = levels_[depth].size();
    for (const auto& [index, x] : levels_[depth]) {
      sum.reads += x.counters.reads;
      sum.writes += x.counters.writes;
      sum.write_backs += x.counters.write_backs;
      sum.upgrades += x.counters.upgrades;
      sum.invalidations += x.counters.invalidations;
      sum.remote_hits += x.counters.remote_hits;
      sum.bytes_in += x.counters.bytes_in;
      sum.bytes_out += x.counters.bytes_out;
    }
    result.levels.push_back(sum);
  }
  return result;
}

std::uint64_t NaiveSimulator::core_of(ThreadId thread) {
  const std::uint64_t order = order_of_thread_.try_emplace(thread, order_of_thread_.size()).first->second;
  return machine_.cores == 0 ? order : order % machine_.cores;
}

NaiveSimulator::Path NaiveSimulator::path_of(std::uint64_t core) {
  Path path(levels_.size());
  Instance* parent = nullptr;
  for (std::size_t depth = levels_.size(); depth-- > 0;) {
    const std::uint32_t shared_by = machine_.levels[depth].shared_by;
    const std::uint64_t index = shared_by == machine::shared_by_all ? 0 : core / shared_by;
    parent = &instance(depth, index, parent);
    path[depth] = parent;
  }
  return path;
}

NaiveSimulator::Instance& NaiveSimulator::instance(std::size_t depth, std::uint64_t index, Instance* parent) {
  const auto known = levels_[depth].find(index);
  if (known != levels_[depth].end()) return known->second;
  const machine::Level& level = machine_.levels[depth];
  Instance fresh{.level = level,
                 .depth = depth,
                 .parent = parent,
                 .cache = NaiveCache(level, generator_for(options_.seed, depth + 1, index)),
                 .history = NaiveHistory(level.line, level.lines()),
                 .counters = {}};
  return levels_[depth].emplace(index, std::move(fresh)).first->second;
}

std::vector<NaiveSimulator::Instance*> NaiveSimulator::siblings(const Instance& x) {
  std::vector<Instance*> result;
  for (auto& [index, other] : levels_[x.depth]) {
    if (&other != &x && other.parent == x.parent) result.push_back(&other);
  }
  return result;
}

std::vector<NaiveSimulator::Instance*> NaiveSimulator::below(Instance& root) {
  std::vector<Instance*> result;
  for (std::size_t depth = 0; depth < root.depth; ++depth) {
    for (auto& [index, x] : levels_[depth]) {
      const Instance* ancestor = &x;
      while (ancestor->depth < root.depth) ancestor = ancestor->parent;
      if (ancestor == &root) result.push_back(&x);
    }
  }
  return result;
}

std::vector<NaiveSimulator::Instance*> NaiveSimulator::subtree(Instance& root) {
  std::vector<Instance*> result = below(root);
  result.push_back(&root);
  return result;
}

bool NaiveSimulator::look_up(Instance& x, Line line, ByteRange used, AccessKind kind) {
  Tally& tally = kind == AccessKind::write ? x.counters.writes : x.counters.reads;
  ++tally.accesses;
  const bool hit = x.cache.find(line) != nullptr;
  if (hit) {
    x.cache.use(line);
  } else {
    ++tally.misses;
    if (options_.classify) x.history.classify(line, used, tally.classes);
  }
  x.history.requested(line);
  if (hit) x.history.inserted(line);
  return hit;
}

void NaiveSimulator::touch(const Path& path, Line line, ByteRange used, AccessKind kind) {
  Instance& x = *path.front();
  if (look_up(x, line, used, kind)) {
    if (writes(kind) && coherent() && !x.cache.find(line)->writable) {
      ++x.counters.upgrades;
      invalidate_peers(path, line);
      own(path, line);
    }
  } else {
    if (writes(kind) && coherent()) invalidate_peers(path, line);
    const bool store = kind == AccessKind::write;
    if (!store || x.level.write_allocate) fetch(x, line, used, kind);
    if (writes(kind) && coherent()) own(path, line);
  }
  if (!writes(kind)) return;

  ResidentLine* held = x.cache.find(line);
  if (held != nullptr && x.level.write == WritePolicy::back) {
    held->dirty = true;
  } else {
    push(x, used);
  }
  for (auto& instances : levels_) {
    for (auto& [index, other] : instances) {
      if (std::ranges::find(path, &other) == path.end()) other.history.written_elsewhere(used);
    }
  }
}

NaiveSimulator::Fetched NaiveSimulator::fetch(Instance& x, Line line, ByteRange used, AccessKind kind) {
  const ByteRange range = bytes_of(line, x.level.line);
  Found peers;
  if (coherent()) {
    for (Instance* sibling : siblings(x)) {
      const Found found = downgrade_subtree(*sibling, range);
      peers.any |= found.any;
      peers.dirty |= found.dirty;
    }
    if (peers.dirty) ++x.counters.remote_hits;
  }

  bool granted = true;
  bool dirty = false;
  if (x.parent == nullptr) {
    granted = machine_.coherence != Coherence::msi;
  } else {
    for (Line asked : lines_in(range, x.parent->level.line)) {
      const Answer answer = request(*x.parent, asked, used, kind);
      granted &= answer.granted;
      dirty |= answer.dirty;
    }
  }

  x.counters.bytes_in += x.level.line.bytes();
  const bool writable = !coherent() || (granted && !peers.any);
  if (x.level.inclusion == Inclusion::exclusive) return {.writable = writable, .dirty = dirty};
  insert(x, line, dirty, writable);
  return {.writable = writable, .dirty = false};
}

NaiveSimulator::Answer NaiveSimulator::request(Instance& p, Line line, ByteRange used, AccessKind kind) {
  if (!look_up(p, line, used, kind)) {
    const Fetched fetched = fetch(p, line, used, kind);
    return {.granted = fetched.writable, .dirty = fetched.dirty};
  }
  const ResidentLine held = *p.cache.find(line);
  if (p.level.inclusion != Inclusion::exclusive) return {.granted = held.writable, .dirty = false};
  p.cache.remove(line);
  p.history.handed_over(line);
  return {.granted = held.writable, .dirty = held.dirty};
}

void NaiveSimulator::push(Instance& x, ByteRange used) {
  ++x.counters.write_backs;
  x.counters.bytes_out += used.size();
  if (x.parent == nullptr) return;
  Instance& p = *x.parent;
  for (Line line : lines_in(used, p.level.line)) {
    const ByteRange part = common_bytes(used, bytes_of(line, p.level.line));
    if (!look_up(p, line, part, AccessKind::write)) {
      if (!p.level.write_allocate || p.level.inclusion == Inclusion::exclusive) {
        push(p, part);
        continue;
      }
      fetch(p, line, part, AccessKind::write);
      p.cache.find(line)->writable = true;
    }
    if (p.level.write == WritePolicy::back) {
      p.cache.find(line)->dirty = true;
    } else {
      push(p, part);
    }
  }
}

void NaiveSimulator::insert(Instance& x, Line line, bool dirty, bool writable) {
  if (const auto victim = x.cache.choose_victim(line)) evict(x, *victim);
  x.cache.insert(line, dirty, writable);
  x.history.inserted(line);
}

void NaiveSimulator::evict(Instance& x, Line victim) {
  if (x.level.inclusion == Inclusion::inclusive) remove_for_inclusion(x, bytes_of(victim, x.level.line));
  // Copied only now: what was removed below may have made it dirty.
  const ResidentLine leaving = *x.cache.find(victim);
  if (x.parent != nullptr && x.parent->level.inclusion == Inclusion::exclusive) {
    move_to_exclusive(x, *x.parent, leaving);
  } else if (leaving.dirty) {
    write_back(x, victim);
  }
  x.cache.remove(victim);
}

void NaiveSimulator::remove_for_inclusion(Instance& x, ByteRange range) {
  for (Instance* y : below(x)) {
    for (Line line : lines_in(range, y->level.line)) {
      const ResidentLine* held = y->cache.find(line);
      if (held == nullptr) continue;
      if (held->dirty) write_back(*y, line);
      y->cache.remove(line);
      y->history.removed_by_inclusion(line);
    }
  }
}

void NaiveSimulator::move_to_exclusive(Instance& x, Instance& p, const ResidentLine& victim) {
  x.counters.bytes_out += x.level.line.bytes();
  if (victim.dirty) ++x.counters.write_backs;
  ResidentLine* held = p.cache.find(victim.line);
  if (held == nullptr) {
    insert(p, victim.line, victim.dirty, victim.writable);
    return;
  }
  held->dirty |= victim.dirty;
  p.cache.use(victim.line);
  p.history.inserted(victim.line);
}

void NaiveSimulator::write_back(Instance& x, Line line) {
  ++x.counters.write_backs;
  x.counters.bytes_out += x.level.line.bytes();
  arrive(x.parent, bytes_of(line, x.level.line));
}

void NaiveSimulator::arrive(Instance* p, ByteRange range) {
  if (p == nullptr) return;
  for (Line line : lines_in(range, p->level.line)) {
    ResidentLine* held = p->cache.find(line);
    if (held != nullptr && p->level.write == WritePolicy::back) {
      held->dirty = true;
      continue;
    }
    ++p->counters.write_backs;
    p->counters.bytes_out += std::min(p->level.line.bytes(), range.size());
    arrive(p->parent, common_bytes(range, bytes_of(line, p->level.line)));
  }
}

void NaiveSimulator::invalidate_peers(const Path& path, Line line) {
  ByteRange range = bytes_of(line, path.front()->level.line);
  for (std::size_t k = 0; k < path.size(); ++k) {
    range = widened(range, path[k]->level.line);
    bool lost_dirty = false;
    for (Instance* sibling : siblings(*path[k])) lost_dirty |= invalidate_subtree(*sibling, range).dirty;
    if (lost_dirty) ++path[k]->counters.remote_hits;

    if (k + 1 == path.size()) return;
    Instance& outer = *path[k + 1];
    const bool owned = std::ranges::all_of(lines_in(range, outer.level.line), [&](Line l) {
      const ResidentLine* held = outer.cache.find(l);
      return held != nullptr && held->writable;
    });
    if (owned) return;
  }
}

void NaiveSimulator::own(const Path& path, Line line) {
  const ByteRange bytes = bytes_of(line, path.front()->level.line);
  for (Instance* x : path) {
    for (Line l : lines_in(bytes, x->level.line)) {
      if (ResidentLine* held = x->cache.find(l)) held->writable = true;
    }
  }
}

NaiveSimulator::Found NaiveSimulator::invalidate_subtree(Instance& root, ByteRange range) {
  Found found;
  for (Instance* x : subtree(root)) {
    for (Line line : lines_in(range, x->level.line)) {
      const ResidentLine* held = x->cache.find(line);
      if (held == nullptr) continue;
      found.any = true;
      if (held->dirty) {
        found.dirty = true;
        write_back(*x, line);
      }
      x->cache.remove(line);
      ++x->counters.invalidations;
      x->history.invalidated(line);
    }
  }
  return found;
}

NaiveSimulator::Found NaiveSimulator::downgrade_subtree(Instance& root, ByteRange range) {
  Found found;
  for (Instance* x : subtree(root)) {
    for (Line line : lines_in(range, x->level.line)) {
      ResidentLine* held = x->cache.find(line);
      if (held == nullptr) continue;
      found.any = true;
      if (held->dirty) {
        found.dirty = true;
        write_back(*x, line);
        held->dirty = false;
      }
      held->writable = false;
    }
  }
  return found;
}

}  // namespace cachescape::simulate
