// The simulator's coherence: who holds what, who loses it, who may write (docs/design/simulator.md, "Coherence").
#include <algorithm>

#include "simulate/simulator.hpp"

namespace cachescape::simulate {

Simulator::Range Simulator::below(const Node& root, std::size_t level) const {
  const std::uint64_t cores = levels_[root.level].cores_per_instance;
  const std::uint64_t inner = levels_[level].cores_per_instance;
  const std::uint64_t existing = levels_[level].nodes.size();
  return {std::min(root.instance * cores / inner, existing), std::min((root.instance + 1) * cores / inner, existing)};
}

Simulator::Range Simulator::family(const Node& node) const {
  if (node.parent == nullptr) return {0, levels_[node.level].nodes.size()};
  return below(*node.parent, node.level);
}

bool Simulator::invalidate_subtree(Node& root, ByteRange range) {
  bool lost_dirty = false;
  for_resident(root, root.level + 1, range, [&](Node& node, Line line, std::uint32_t slot) {
    if (node.cache.dirty(slot)) {
      lost_dirty = true;
      write_back(node, ByteRange::of(line, levels_[node.level].config.line));
    }
    node.cache.remove(slot);
    ++levels_[node.level].counts.invalidations;
    if (node.classifier) node.classifier->invalidated(line);
  });
  return lost_dirty;
}

Simulator::Found Simulator::downgrade_subtree(Node& root, ByteRange range) {
  Found found;
  for_resident(root, root.level + 1, range, [&](Node& node, Line line, std::uint32_t slot) {
    found.any = true;
    if (node.cache.dirty(slot)) {
      found.dirty = true;
      write_back(node, ByteRange::of(line, levels_[node.level].config.line));
      node.cache.set_dirty(slot, false);
    }
    node.cache.set_writable(slot, false);
  });
  return found;
}

bool Simulator::holds_all_writable(const Node& node, ByteRange range) const {
  bool all = true;
  for_lines(range, levels_[node.level].config.line, [&](Line line) {
    const std::uint32_t slot = node.cache.find(line);
    all = all && slot != no_slot && node.cache.writable(slot);
  });
  return all;
}

void Simulator::invalidate_peers(const Path& path, Line line) {
  ByteRange range = ByteRange::of(line, levels_.front().config.line);
  for (std::size_t k = 0; k < path.size(); ++k) {
    LevelState& level = levels_[k];
    range = range.widened(level.config.line);
    const Range siblings = family(*path[k]);
    bool lost_dirty = false;
    for (std::uint64_t i = siblings.begin; i < siblings.end; ++i) {
      if (i != path[k]->instance) lost_dirty |= invalidate_subtree(level.nodes[i], range);
    }
    if (lost_dirty) ++level.counts.remote_hits;
    if (k + 1 < path.size() && holds_all_writable(*path[k + 1], range)) break;
  }
}

void Simulator::own(const Path& path, Line line) {
  const ByteRange bytes = ByteRange::of(line, levels_.front().config.line);
  for (Node* node : path) {
    for_lines(bytes, levels_[node->level].config.line, [&](Line l) {
      if (const std::uint32_t slot = node->cache.find(l); slot != no_slot) node->cache.set_writable(slot, true);
    });
  }
}

void Simulator::note_write(const Path& path, ByteRange used) {
  if (!options_.classify) return;
  for (LevelState& level : levels_) {
    for (Node& node : level.nodes) {
      if (path[node.level] != &node) node.classifier->written_elsewhere(used);
    }
  }
}

}  // namespace cachescape::simulate
