// The load graph of a loop or a function, from LLVM's intermediate code.
#pragma once

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include "observe/compiled/pass/load_graph.hpp"

namespace cachescape::pass {

/// A loop without the loops in it, or what of a function lies in no loop.
struct Region {
  const llvm::Loop* loop = nullptr;                 ///< none: the function
  std::vector<const llvm::BasicBlock*> blocks;      ///< its own, in the order in which they may run
  std::vector<const llvm::BasicBlock*> all_blocks;  ///< with those of loops in it
};

/// Every block is in one of them. A region without blocks of its own is left out.
std::vector<Region> regions_of(const llvm::Function& function, const llvm::LoopInfo& loops);

/// Values of inner loops are in it, without their loads and without what their iterations hand to each other. Values
/// are followed through everything that computes, through merging control flow, from arguments to results of calls, and
/// through memory that is stored to and loaded from by one pointer which stays the same; not through other memory. A
/// function hands arguments to itself where it calls itself.
LoadGraph region_graph(const llvm::Function& function, const Region& region, const llvm::DominatorTree& dominators);

}  // namespace cachescape::pass
