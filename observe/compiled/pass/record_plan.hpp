// Which records a function will write: segments of straight code and whole affine loops.
#pragma once

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>

#include "observe/compiled/pass/accesses.hpp"

namespace cachescape::pass {

/// Accesses of one block between which nothing else can run and the thread does not wait for others. The record is
/// begun at the first and completed by the last; accesses at constant distances from each other share a slot.
struct SegmentPlan {
  llvm::BasicBlock* block = nullptr;
  AccessList accesses;
  unsigned slots = 0;
};

/// An innermost loop of one block whose number of trips is known when it begins. Accesses that move by a constant step
/// are told by their address in the first trip; the others write a slot in each trip.
struct LoopPlan {
  llvm::Loop* loop = nullptr;
  llvm::BasicBlock* body = nullptr;
  llvm::Instruction* before = nullptr;  ///< the end of the block in front of it
  const llvm::SCEV* trips_less_one = nullptr;
  AccessList accesses;
  llvm::SmallVector<const llvm::SCEV*, 8> starts;  ///< one per base
  unsigned slots = 0;                              ///< per trip
  std::vector<SegmentPlan> trip;                   ///< the same accesses by segments

  llvm::Value* trip_value = nullptr;  ///< once expanded: trips less one
  llvm::SmallVector<llvm::Value*, 8> base_values;
};

struct RecordPlan {
  std::vector<SegmentPlan> segments;
  std::vector<LoopPlan> loops;

  bool empty() const { return segments.empty() && loops.empty(); }
};

/// Plans the records of a function, and expands what loops need in front of them. Precondition: loops are in simplified
/// form. The control flow is not changed, so that later plans may ask the same analyses.
RecordPlan plan_records(llvm::Function& function, llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace cachescape::pass
