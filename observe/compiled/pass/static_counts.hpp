// What one execution of a basic block adds to each counter of docs/reference/counters.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instruction.h>

namespace cachescape::pass {

/// Whether an instruction is one of those that `instructions` counts: not those that leave no code.
bool counts_as_instruction(const llvm::Instruction& instruction);

/// Metric → amount. Calls of functions are "call.NAME"; ranges of memory whose length is not constant are not in it.
std::map<std::string, std::uint64_t> static_counts(const llvm::BasicBlock& block);

}  // namespace cachescape::pass
