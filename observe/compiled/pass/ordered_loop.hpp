// A second version of a loop, for sessions that keep the order between threads.
//
// One record of a whole loop stands at one point in time, between the accesses of other threads that happened during
// the loop. So the loop is copied: code asks in front of it whether the thread's block is in pieces, and if so runs the
// copy, which writes a record in each trip. The choice is made when the program runs; the loop as such stays as fast as
// it is.
#pragma once

#include <vector>

#include <llvm/IR/GlobalVariable.h>

#include "observe/compiled/pass/record_plan.hpp"

namespace cachescape::pass {

/// Copies the loop's block, and branches to the copy where `limit` of the thread is not null. Returns the records of a
/// trip of the copy; none where the loop is of a kind that is not copied. `plan.before` is from then on the end of a
/// block that only leads to the original loop.
std::vector<SegmentPlan> add_ordered_version(const LoopPlan& plan, llvm::GlobalVariable* limit, llvm::MDNode* unlikely);

}  // namespace cachescape::pass
