// Counts how often each basic block runs, with as few counters as the flow of control allows.
//
// Blocks that always run together share a counter; a counter of an innermost loop is added up in a register or, where
// the number of trips is known, added once in front of the loop.
#pragma once

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include "observe/compiled/pass/module_table.hpp"

namespace cachescape::pass {

/// Where one counter is counted.
struct CounterPlan {
  llvm::BasicBlock* block = nullptr;
  std::uint32_t counter = 0;
  llvm::Loop* promoted = nullptr;         ///< added up in a register over this loop
  llvm::Value* trips_less_one = nullptr;  ///< added in front of `hoisted` once
  llvm::Loop* hoisted = nullptr;
};

struct CountPlan {
  std::vector<CounterPlan> counters;
  llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> of_block;
};

/// The earliest block that runs exactly when this one does.
llvm::BasicBlock* representative(llvm::BasicBlock& block, const llvm::DominatorTree& dominators,
                                 const llvm::PostDominatorTree& after, const llvm::LoopInfo& loops);
/// Whether no other instrumented code can run in a loop.
bool runs_alone(const llvm::Loop& loop);

/// Plans, and expands what is needed in front of loops; the control flow is not changed.
CountPlan plan_counts(llvm::Function& function, ModuleTable& table, llvm::DominatorTree& dominators,
                      llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

/// Writes the counting. `counters` is the thread-local pointer to the module's counters; what loads it at the
/// function's start is returned.
llvm::LoadInst* write_counts(llvm::Function& function, const CountPlan& plan, llvm::GlobalVariable* counters);

/// Adds `amount` (64 bits) to a counter.
void add_to_counter(llvm::Instruction* before, llvm::Value* counters, std::uint32_t counter, llvm::Value* amount);

}  // namespace cachescape::pass
