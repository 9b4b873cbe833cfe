// One cache instance: which lines it holds, their flags, and whom it evicts. Knows nothing of other caches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/machine.hpp"
#include "simulate/line_index.hpp"
#include "simulate/random.hpp"
#include "simulate/recency_list.hpp"

namespace cachescape::simulate {

/// A resident line's flags.
struct LineState {
  bool dirty = false;
  bool writable = false;
};

struct Victim {
  Line line;
  LineState state;
};

/// Sets × ways lines under one replacement policy; docs/design/simulator.md defines each. A slot number names a
/// resident line until it is removed or evicted. Searching costs O(ways) up to 32 ways and O(1) beyond.
class Cache {
 public:
  Cache(const machine::Level& level, SplitMix64 generator);

  /// The line's slot, or no_slot. Not a use.
  std::uint32_t find(Line line) const {
    if (index_) return index_->find(line.value);
    const std::size_t set = set_of(line);
    const std::size_t base = set * ways_;
    // Most hits are where the set's last one was, which the branch predictor learns and the search order does not.
    if (const std::uint32_t w = hints_[set]; holds(base + w, line)) return static_cast<std::uint32_t>(base + w);
    for (std::uint32_t w = 0; w < ways_; ++w) {
      if (!holds(base + w, line)) continue;
      hints_[set] = static_cast<std::uint8_t>(w);
      return static_cast<std::uint32_t>(base + w);
    }
    return no_slot;
  }

  /// The policy's reaction to a hit.
  void use(std::uint32_t slot) {
    switch (policy_) {
      case machine::Replacement::lru:
        if (index_) {
          links_->renew(lists_[set_of_slot(slot)], slot);
        } else {
          stamps_[slot] = ++clock_;
        }
        break;
      case machine::Replacement::plru:
        point_away(slot);
        break;
      case machine::Replacement::srrip:
        intervals_[slot] = 0;
        break;
      case machine::Replacement::fifo:
      case machine::Replacement::random:
        break;
    }
  }

  /// The slot that an insertion of `line` will take, and who must leave it. Advances the policy (random numbers,
  /// SRRIP's ageing), so ask once per insertion and then place(). Precondition: the line is not resident.
  struct Place {
    std::uint32_t slot = no_slot;
    std::optional<Victim> victim;
  };
  Place choose(Line line);
  /// Puts the line into the slot chosen for it. Precondition: the slot is free (its victim was removed).
  void place(std::uint32_t slot, Line line, LineState state);
  void remove(std::uint32_t slot);

  bool dirty(std::uint32_t slot) const { return (flags_[slot] & dirty_bit) != 0; }
  bool writable(std::uint32_t slot) const { return (flags_[slot] & writable_bit) != 0; }
  void set_dirty(std::uint32_t slot, bool on) { set(slot, dirty_bit, on); }
  void set_writable(std::uint32_t slot, bool on) { set(slot, writable_bit, on); }

 private:
  static constexpr std::uint8_t resident = 1;
  static constexpr std::uint8_t dirty_bit = 2;
  static constexpr std::uint8_t writable_bit = 4;

  std::size_t set_of(Line line) const { return set_mask_ ? line.value & *set_mask_ : line.value % sets_; }
  /// By the line in it: cheaper than a division by the number of ways.
  std::size_t set_of_slot(std::uint32_t slot) const { return set_of(Line{lines_[slot]}); }
  bool holds(std::size_t slot, Line line) const { return lines_[slot] == line.value && (flags_[slot] & resident) != 0; }
  void set(std::uint32_t slot, std::uint8_t bit, bool on) {
    flags_[slot] = static_cast<std::uint8_t>(on ? flags_[slot] | bit : flags_[slot] & ~bit);
  }
  std::uint32_t choose_victim(std::size_t set);
  void point_away(std::uint32_t slot);
  std::uint32_t plru_victim(std::size_t set) const;
  std::uint32_t srrip_victim(std::size_t set);

  machine::Replacement policy_;
  std::size_t sets_;
  std::uint32_t ways_;
  std::optional<std::uint64_t> set_mask_;  ///< where the number of sets is a power of two
  std::vector<std::uint64_t> lines_;
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint32_t> residents_;     ///< per set
  mutable std::vector<std::uint8_t> hints_;  ///< per set, in narrow caches: the way found last; speed only

  // LRU and FIFO: time of last use or insertion in narrow caches, linked lists in wide ones.
  std::vector<std::uint64_t> stamps_;
  std::uint64_t clock_ = 0;
  std::optional<LineIndex> index_;
  std::optional<RecencyLinks> links_;
  std::vector<RecencyLinks::List> lists_;

  std::size_t leaves_ = 1;               ///< tree-PLRU: of each set's tree
  std::vector<std::uint8_t> tree_;       ///< tree-PLRU: leaves_ nodes per set, in heap order
  std::vector<std::uint8_t> intervals_;  ///< SRRIP: re-reference prediction per slot
  SplitMix64 generator_;
};

}  // namespace cachescape::simulate
