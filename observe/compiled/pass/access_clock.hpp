// Code that counts accesses down without recording them: a clock for observers that sample.
//
// Accesses of a block are subtracted when they begin, up to the next call; blocks that always run together without
// calls between them are one subtraction, and loops of known trips are one in front of the loop.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "observe/compiled/pass/accesses.hpp"

namespace cachescape::pass {

struct ClockStep {
  llvm::Instruction* before = nullptr;
  std::uint64_t accesses = 0;
  llvm::Value* trips_less_one = nullptr;  ///< of the loop that it stands in front of, or null
};

struct ClockPlan {
  std::vector<ClockStep> steps;
  std::vector<StaticAccess> by_value;  ///< ranges and masks: how many accesses they are is known when they run
};

/// Plans, and expands the trips of loops in front of them; the control flow is not changed. Precondition: loops are in
/// simplified form.
ClockPlan plan_clock(llvm::Function& function, llvm::DominatorTree& dominators, llvm::LoopInfo& loops,
                     llvm::ScalarEvolution& evolution);

class ClockWriter {
 public:
  explicit ClockWriter(llvm::Module& module);
  void write(const ClockPlan& plan);

 private:
  void subtract(llvm::Instruction* before, llvm::Value* accesses);

  llvm::Module& module_;
  llvm::GlobalVariable* left_;  ///< thread-local, in the runtime
  llvm::FunctionCallee tick_;
};

}  // namespace cachescape::pass
