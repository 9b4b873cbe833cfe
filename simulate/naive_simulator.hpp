// The reference simulator's twin: docs/design/simulator.md, word for word, with the standard containers
// and plain recursion. It exists to be obviously right, so that the fast simulator can be compared with
// it counter by counter; each touch costs time proportional to the sizes of sets, shadows and the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "cachescape/access.hpp"
#include "cachescape/outcome.hpp"
#include "machine/machine.hpp"
#include "simulate/naive_bytes.hpp"
#include "simulate/naive_cache.hpp"
#include "simulate/naive_history.hpp"

namespace cachescape::simulate {

/// Not thread-safe. Memory grows with the number of distinct lines requested.
class NaiveSimulator {
 public:
  struct Options {
    bool classify = true;    ///< tell the misses' classes apart; nothing else depends on it
    std::uint64_t seed = 1;  ///< of random replacement
  };

  /// Precondition: the machine is valid in the sense of docs/design/simulator.md.
  NaiveSimulator(machine::Machine machine, Options options);
  NaiveSimulator(const NaiveSimulator&) = delete;
  NaiveSimulator& operator=(const NaiveSimulator&) = delete;
  NaiveSimulator(NaiveSimulator&&) = delete;
  NaiveSimulator& operator=(NaiveSimulator&&) = delete;
  ~NaiveSimulator() = default;

  void consume(const Access& access);

  /// Everything counted so far.
  HierarchyOutcome outcome() const;

 private:
  struct Instance {
    const machine::Level& level;
    std::size_t depth;  ///< position of its level in the machine: 0 = nearest to the core
    Instance* parent;   ///< null = memory
    NaiveCache cache;
    NaiveHistory history;
    LevelOutcome counters;
  };
  /// A core's instances, nearest first.
  using Path = std::vector<Instance*>;
  struct Fetched {
    bool writable = false;
    bool dirty = false;  ///< only ever set by an exclusive instance, which does not keep the line
  };
  struct Answer {
    bool granted = false;
    bool dirty = false;
  };

  // The tree.
  std::uint64_t core_of(ThreadId thread);
  Path path_of(std::uint64_t core);
  Instance& instance(std::size_t depth, std::uint64_t index, Instance* parent);
  std::vector<Instance*> siblings(const Instance& x);
  std::vector<Instance*> subtree(Instance& root);
  std::vector<Instance*> below(Instance& root);
  bool coherent() const { return machine_.coherence != machine::Coherence::none; }

  // An access, in the specification's words.
  bool look_up(Instance& x, Line line, naive::ByteRange used, AccessKind kind);
  void touch(const Path& path, Line line, naive::ByteRange used, AccessKind kind);
  Fetched fetch(Instance& x, Line line, naive::ByteRange used, AccessKind kind);
  Answer request(Instance& p, Line line, naive::ByteRange used, AccessKind kind);
  void push(Instance& x, naive::ByteRange used);
  void insert(Instance& x, Line line, bool dirty, bool writable);
  void evict(Instance& x, Line victim);
  void remove_for_inclusion(Instance& x, naive::ByteRange range);
  void move_to_exclusive(Instance& x, Instance& p, const ResidentLine& victim);
  void write_back(Instance& x, Line line);
  void arrive(Instance* p, naive::ByteRange range);

  // Coherence.
  struct Found {
    bool any = false;
    bool dirty = false;
  };
  void invalidate_peers(const Path& path, Line line);
  void own(const Path& path, Line line);
  Found invalidate_subtree(Instance& root, naive::ByteRange range);
  Found downgrade_subtree(Instance& root, naive::ByteRange range);

  machine::Machine machine_;
  Options options_;
  std::vector<std::map<std::uint64_t, Instance>> levels_;
  std::map<ThreadId, std::uint64_t> order_of_thread_;
  std::uint64_t accesses_ = 0;
};

}  // namespace cachescape::simulate
