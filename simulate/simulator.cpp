#include "simulate/simulator.hpp"

#include <algorithm>
#include <utility>

namespace cachescape::simulate {
namespace {

using machine::Inclusion;
using machine::WritePolicy;

/// More cores than there will ever be: "shared by all" as a number.
constexpr std::uint64_t every_core = std::uint64_t{1} << 32;

}  // namespace

Simulator::Simulator(machine::Machine machine, SimulatorOptions options)
    : machine_(std::move(machine)),
      options_(options),
      coherent_(machine_.coherence != machine::Coherence::none),
      write_back_first_(machine_.levels.front().write == WritePolicy::back) {
  for (const machine::Level& config : machine_.levels) {
    LevelState& level = levels_.emplace_back();
    level.config = config;
    level.cores_per_instance = config.shared_by == machine::shared_by_all ? every_core : config.shared_by;
    level.counts.name = config.name;
  }
  for (std::size_t k = levels_.size(); k-- > 0;) {
    if (levels_[k].cores_per_instance == every_core) node_for(k, 0);
  }
}

Simulator::Node& Simulator::node_for(std::size_t level, std::uint64_t core) {
  LevelState& state = levels_[level];
  const std::uint64_t instance = core / state.cores_per_instance;
  if (instance < state.nodes.size()) return state.nodes[instance];
  Node& node = state.nodes.emplace_back(state.config, generator_for(options_.seed, level + 1, instance));
  if (options_.classify) node.classifier.emplace(state.config);
  node.level = static_cast<std::uint32_t>(level);
  node.instance = instance;
  node.parent = level + 1 < levels_.size() ? &node_for(level + 1, core) : nullptr;
  return node;
}

const Simulator::Path& Simulator::path_of(ThreadId thread) {
  const auto [it, is_new] = cores_.try_emplace(thread.value, 0);
  if (is_new) {
    const std::uint64_t number = threads_++;
    it->second = static_cast<std::uint32_t>(machine_.cores == 0 ? number : number % machine_.cores);
    if (it->second == paths_.size()) {
      Path path;
      for (std::size_t k = 0; k < levels_.size(); ++k) path.push_back(&node_for(k, it->second));
      paths_.push_back(std::move(path));
    }
  }
  return paths_[it->second];
}

void Simulator::consume(const AccessBatch& batch) {
  const auto addresses = batch.addresses();
  const auto sizes = batch.sizes();
  const auto kinds = batch.kinds();
  const auto threads = batch.threads();
  const LineSize line = levels_.front().config.line;
  KindCounts quick{};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const Line first = line.line_of(addresses[i]);
    const bool one_line = line.line_of(last_byte(addresses[i], sizes[i])) == first;
    if (one_line && threads[i] == last_thread_ && hits_quietly(*last_path_->front(), first, kinds[i])) {
      ++quick[static_cast<std::size_t>(kinds[i])];
    } else {
      consume(batch[i]);
    }
  }
  Tally& reads = levels_.front().counts.reads;
  Tally& stores = levels_.front().counts.writes;
  reads.accesses +=
      quick[static_cast<std::size_t>(AccessKind::read)] + quick[static_cast<std::size_t>(AccessKind::modify)];
  stores.accesses += quick[static_cast<std::size_t>(AccessKind::write)];
  for (const std::uint64_t n : quick) accesses_ += n;
}

void Simulator::consume(const Access& access) {
  if (last_thread_ != access.thread) {
    last_path_ = &path_of(access.thread);
    last_thread_ = access.thread;
  }
  ++accesses_;
  const LineSize size = levels_.front().config.line;
  const ByteRange bytes{access.address.value, last_byte(access.address, access.size).value};
  const Line first = size.line_of(Address{bytes.first});
  if (first == size.line_of(Address{bytes.last})) {
    touch(*last_path_, first, bytes, access.kind);
    return;
  }
  for_lines(bytes, size,
            [&](Line line) { touch(*last_path_, line, bytes.common(ByteRange::of(line, size)), access.kind); });
}

std::uint32_t Simulator::look_up(Node& node, Line line, ByteRange used, bool is_store) {
  LevelOutcome& counts = levels_[node.level].counts;
  Tally& tally = is_store ? counts.writes : counts.reads;
  ++tally.accesses;
  if (node.classifier) node.classifier->requested(line);
  const std::uint32_t slot = node.cache.find(line);
  if (slot != no_slot) {
    node.cache.use(slot);
    if (node.classifier) node.classifier->hit(line);
  } else {
    ++tally.misses;
    if (node.classifier) node.classifier->missed(line, used, tally.classes);
  }
  return slot;
}

// What most touches do: hit the first level, with nobody to ask or tell. Does all that touch() would but the counting.
inline bool Simulator::hits_quietly(Node& node, Line line, AccessKind kind) {
  const std::uint32_t slot = node.cache.find(line);
  if (slot == no_slot) return false;
  if (writes(kind)) {
    const bool settled = write_back_first_ && node.cache.dirty(slot) && (!coherent_ || node.cache.writable(slot));
    // Other cores' departure records may want to know of the write.
    if (!settled || (coherent_ && paths_.size() > 1)) return false;
  }
  node.cache.use(slot);
  if (node.classifier) {
    node.classifier->requested(line);
    node.classifier->hit(line);
  }
  return true;
}

void Simulator::touch(const Path& path, Line line, ByteRange used, AccessKind kind) {
  Node& node = *path.front();
  const LevelState& level = levels_.front();
  const bool is_store = kind == AccessKind::write;
  std::uint32_t slot = look_up(node, line, used, is_store);
  if (!writes(kind)) {
    if (slot == no_slot) fetch(node, line, used, is_store);
    return;
  }

  if (slot != no_slot) {
    if (coherent_ && !node.cache.writable(slot)) {
      ++levels_.front().counts.upgrades;
      invalidate_peers(path, line);
      own(path, line);
    }
  } else {
    if (coherent_) invalidate_peers(path, line);
    if (!is_store || level.config.write_allocate) {
      fetch(node, line, used, is_store);
      slot = node.cache.find(line);
    }
    if (coherent_) own(path, line);
  }
  if (slot != no_slot && level.config.write == WritePolicy::back) {
    node.cache.set_dirty(slot, true);
  } else {
    push(node, used);
  }
  if (coherent_) note_write(path, used);
}

Simulator::Grant Simulator::fetch(Node& node, Line line, ByteRange used, bool is_store) {
  LevelState& level = levels_[node.level];
  const ByteRange range = ByteRange::of(line, level.config.line);
  bool shared = false;
  if (coherent_) {
    bool dirty = false;
    const Range family_range = family(node);
    for (std::uint64_t i = family_range.begin; i < family_range.end; ++i) {
      if (i == node.instance) continue;
      const Found found = downgrade_subtree(level.nodes[i], range);
      shared |= found.any;
      dirty |= found.dirty;
    }
    if (dirty) ++level.counts.remote_hits;
  }

  Grant grant;
  if (node.parent != nullptr) {
    for_lines(range, levels_[node.parent->level].config.line, [&](Line outer) {
      const Grant part = request(*node.parent, outer, used, is_store);
      grant.writable &= part.writable;
      grant.dirty |= part.dirty;
    });
  } else {
    grant.writable = machine_.coherence != machine::Coherence::msi;
  }
  grant.writable = !coherent_ || (grant.writable && !shared);

  level.counts.bytes_in += level.config.line.bytes();
  if (level.config.inclusion != Inclusion::exclusive) {
    insert(node, line, {grant.dirty, grant.writable});
    grant.dirty = false;
  }
  return grant;
}

Simulator::Grant Simulator::request(Node& node, Line line, ByteRange used, bool is_store) {
  const std::uint32_t slot = look_up(node, line, used, is_store);
  if (slot == no_slot) return fetch(node, line, used, is_store);
  Grant grant{node.cache.writable(slot), false};
  if (levels_[node.level].config.inclusion == Inclusion::exclusive) {
    grant.dirty = node.cache.dirty(slot);
    node.cache.remove(slot);
    if (node.classifier) node.classifier->handed_over(line);
  }
  return grant;
}

void Simulator::push(Node& node, ByteRange used) {
  LevelOutcome& counts = levels_[node.level].counts;
  ++counts.write_backs;
  counts.bytes_out += Bytes{used.size()};
  if (node.parent == nullptr) return;
  const LineSize size = levels_[node.parent->level].config.line;
  for_lines(used, size, [&](Line line) { push_into(*node.parent, line, used.common(ByteRange::of(line, size))); });
}

void Simulator::push_into(Node& node, Line line, ByteRange used) {
  const machine::Level& config = levels_[node.level].config;
  std::uint32_t slot = look_up(node, line, used, true);
  if (slot == no_slot && config.write_allocate && config.inclusion != Inclusion::exclusive) {
    fetch(node, line, used, true);
    slot = node.cache.find(line);
    node.cache.set_writable(slot, true);
  }
  if (slot != no_slot && config.write == WritePolicy::back) {
    node.cache.set_dirty(slot, true);
  } else {
    push(node, used);
  }
}

void Simulator::insert(Node& node, Line line, LineState state) {
  const Cache::Place place = node.cache.choose(line);
  if (place.victim) {
    evict(node, {place.victim->line, {node.cache.dirty(place.slot), node.cache.writable(place.slot)}});
    node.cache.remove(place.slot);
  }
  node.cache.place(place.slot, line, state);
  if (node.classifier) node.classifier->inserted(line);
}

void Simulator::evict(Node& node, const Victim& victim) {
  LevelState& level = levels_[node.level];
  const ByteRange range = ByteRange::of(victim.line, level.config.line);
  bool dirty = victim.state.dirty;
  if (level.config.inclusion == Inclusion::inclusive) {
    remove_below(node, range);
    // Lines removed nearer to the core may have arrived here with newer data.
    dirty = node.cache.dirty(node.cache.find(victim.line));
  }
  if (node.parent == nullptr || levels_[node.parent->level].config.inclusion != Inclusion::exclusive) {
    if (dirty) write_back(node, range);
    return;
  }
  level.counts.bytes_out += level.config.line.bytes();
  if (dirty) ++level.counts.write_backs;
  Node& outer = *node.parent;
  const std::uint32_t slot = outer.cache.find(victim.line);
  if (slot == no_slot) {
    insert(outer, victim.line, {dirty, victim.state.writable});
    return;
  }
  outer.cache.set_dirty(slot, outer.cache.dirty(slot) || dirty);
  outer.cache.use(slot);
  if (outer.classifier) outer.classifier->inserted(victim.line);
}

void Simulator::remove_below(Node& node, ByteRange range) {
  for_resident(node, node.level, range, [&](Node& inner, Line line, std::uint32_t slot) {
    if (inner.cache.dirty(slot)) write_back(inner, ByteRange::of(line, levels_[inner.level].config.line));
    inner.cache.remove(slot);
    if (inner.classifier) inner.classifier->removed_by_inclusion(line);
  });
}

void Simulator::write_back(Node& node, ByteRange line) {
  LevelOutcome& counts = levels_[node.level].counts;
  ++counts.write_backs;
  counts.bytes_out += Bytes{line.size()};
  arrive(node.parent, line);
}

void Simulator::arrive(Node* node, ByteRange range) {
  if (node == nullptr) return;
  const machine::Level& config = levels_[node->level].config;
  for_lines(range, config.line, [&](Line line) {
    const std::uint32_t slot = node->cache.find(line);
    if (slot != no_slot && config.write == WritePolicy::back) {
      node->cache.set_dirty(slot, true);
    } else {
      write_back(*node, range.common(ByteRange::of(line, config.line)));
    }
  });
}

HierarchyOutcome Simulator::outcome() const {
  HierarchyOutcome result;
  result.accesses = accesses_;
  result.threads = threads_;
  result.cores = machine_.cores == 0 ? threads_ : machine_.cores;
  result.classified = options_.classify;
  for (const LevelState& level : levels_) {
    result.levels.push_back(level.counts);
    result.levels.back().instances = level.nodes.size();
  }
  return result;
}

}  // namespace cachescape::simulate
