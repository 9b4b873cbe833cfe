// How long loads wait for each other: the counter `loads.serial`.
#pragma once

#include <cstdint>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace cachescape::pass {

/// A processor looks so many instructions ahead for loads that need not wait: a reorder buffer of the 2010s.
inline constexpr double window_instructions = 200;

/// By block, what one execution of it takes if all that took time were loads, and each took 1000, and they waited for
/// nothing but their addresses and the window. Blocks that take nothing are left out.
using SerialLoads = llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t>;

SerialLoads serial_loads(const llvm::Function& function, const llvm::LoopInfo& loops,
                         const llvm::DominatorTree& dominators);

}  // namespace cachescape::pass
