// The reference simulator: docs/design/simulator.md, fast. Its twin is naive_simulator.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cachescape/access.hpp"
#include "cachescape/outcome.hpp"
#include "machine/machine.hpp"
#include "simulate/byte_range.hpp"
#include "simulate/cache.hpp"
#include "simulate/classifier.hpp"

namespace cachescape::simulate {

struct SimulatorOptions {
  bool classify = true;    ///< tell miss classes apart; costs a shadow cache per instance
  std::uint64_t seed = 1;  ///< of random replacement
};

/// Exact simulation of one machine. Used by one thread. Memory is bounded by the machine's caches, plus, where
/// misses are classified, the lines ever requested.
class Simulator {
 public:
  /// Precondition: machine::validate(machine) succeeds.
  explicit Simulator(machine::Machine machine, SimulatorOptions options = {});

  void consume(const AccessBatch& batch);
  void consume(const Access& access);

  HierarchyOutcome outcome() const;

 private:
  /// One cache instance in its place in the tree.
  struct Node {
    Node(const machine::Level& level, SplitMix64 generator) : cache(level, generator) {}

    Cache cache;
    std::optional<Classifier> classifier;
    std::uint32_t level = 0;  ///< from 0 here: index into levels_
    std::uint64_t instance = 0;
    Node* parent = nullptr;  ///< nullptr = memory
  };
  struct LevelState {
    machine::Level config;
    std::uint64_t cores_per_instance = 1;
    LevelOutcome counts;
    std::deque<Node> nodes;
  };
  /// How a line was obtained.
  struct Grant {
    bool writable = true;
    bool dirty = false;
  };
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  using Path = std::vector<Node*>;

  const Path& path_of(ThreadId thread);
  Node& node_for(std::size_t level, std::uint64_t core);

  bool hits_quietly(Node& node, Line line, AccessKind kind);
  void touch(const Path& path, Line line, ByteRange used, AccessKind kind);
  Grant fetch(Node& node, Line line, ByteRange used, bool is_store);
  Grant request(Node& node, Line line, ByteRange used, bool is_store);
  void push(Node& node, ByteRange used);
  void push_into(Node& node, Line line, ByteRange used);
  void insert(Node& node, Line line, LineState state);
  void evict(Node& node, const Victim& victim);
  void remove_below(Node& node, ByteRange range);
  void write_back(Node& node, ByteRange line);
  void arrive(Node* node, ByteRange range);

  /// Counts the request; for a miss also its class. Returns the slot, no_slot on a miss.
  std::uint32_t look_up(Node& node, Line line, ByteRange used, bool is_store);

  void invalidate_peers(const Path& path, Line line);
  void own(const Path& path, Line line);
  bool invalidate_subtree(Node& root, ByteRange range);
  struct Found {
    bool any = false;
    bool dirty = false;
  };
  Found downgrade_subtree(Node& root, ByteRange range);
  bool holds_all_writable(const Node& node, ByteRange range) const;
  void note_write(const Path& path, ByteRange used);

  /// The instances of `level` below (or at) `root`.
  Range below(const Node& root, std::size_t level) const;
  /// The instances with the same parent, the node itself included.
  Range family(const Node& node) const;
  /// Calls visit(node, line, slot) for each resident line of the subtree that overlaps the range, nearest level first.
  template <class Visit>
  void for_resident(Node& root, std::size_t levels, ByteRange range, Visit visit);

  machine::Machine machine_;
  SimulatorOptions options_;
  bool coherent_;
  bool write_back_first_;  ///< level 1
  std::vector<LevelState> levels_;
  std::deque<Path> paths_;  ///< by core; a deque, because last_path_ points into it
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> cores_;  ///< thread to core
  std::optional<ThreadId> last_thread_;
  const Path* last_path_ = nullptr;
  std::uint64_t threads_ = 0;
  std::uint64_t accesses_ = 0;
};

template <class Visit>
void Simulator::for_resident(Node& root, std::size_t levels, ByteRange range, Visit visit) {
  for (std::size_t k = 0; k < levels; ++k) {
    const Range instances = below(root, k);
    for (std::uint64_t i = instances.begin; i < instances.end; ++i) {
      Node& node = levels_[k].nodes[i];
      for_lines(range, levels_[k].config.line, [&](Line line) {
        if (const std::uint32_t slot = node.cache.find(line); slot != no_slot) visit(node, line, slot);
      });
    }
  }
}

}  // namespace cachescape::simulate
