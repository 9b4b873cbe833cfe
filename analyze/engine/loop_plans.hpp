// The plans of the loops that a program runs through, found again by their shape, with what they have come to so far.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyze/engine/loop_plan.hpp"

namespace cachescape::analyze {

struct PlannedLoop {
  PlannedLoop(const LoopShape& s, LineSize size) : shape(s), plan(s, size) {}

  LoopShape shape;
  LoopPlan plan;
  /// Executions that are not counted yet, all of them by these places.
  std::uint64_t loops = 0;
  std::uint64_t periods = 0;
  std::vector<std::uint32_t> places;
  /// The same of set distances, all of them where lines share sets like this (LoopPlan::Crossed, in order).
  std::uint64_t set_loops = 0;
  std::uint64_t set_periods = 0;
  std::vector<std::uint8_t> shared;
};

class LoopPlans {
 public:
  explicit LoopPlans(LineSize size) : size_(size) {}

  /// The plan for a loop, or null: it has no shape, or a program makes so many shapes that planning does not pay.
  PlannedLoop* find(const Loop& loop);
  /// The loop that was found last.
  const ShapedLoop& loop() const { return loop_; }

  std::uint64_t memory_bytes() const { return memory_bytes_; }

  template <class Visit>
  void for_each(Visit visit) {
    for (auto& [hash, planned] : plans_) visit(*planned);
  }

 private:
  LineSize size_;
  ShapedLoop loop_;
  PlannedLoop* last_ = nullptr;
  std::uint64_t asked_ = 0;
  std::uint64_t memory_bytes_ = 0;
  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<PlannedLoop>> plans_;  ///< by a hash of the shape
};

}  // namespace cachescape::analyze
