// What an instruction of LLVM's intermediate code does to memory.
#pragma once

#include <cstdint>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instruction.h>

#include "session/record.h"

namespace cachescape::pass {

/// One static access, and where a record keeps its address once that is planned.
struct StaticAccess {
  llvm::Instruction* instruction = nullptr;
  llvm::Value* pointer = nullptr;  ///< or a vector of pointers
  std::uint64_t size = 0;          ///< bytes; of each lane where there are several
  llvm::Value* dynamic_size = nullptr;
  llvm::Value* mask = nullptr;
  std::uint8_t kind = CACHESCAPE_READ;
  unsigned lanes = 1;
  bool side_by_side = false;  ///< lanes that follow one another in memory
  bool packed = false;        ///< those that the mask leaves, without gaps
  /// Of a gather or scatter whose lanes are at pointer + index × scale.
  llvm::Value* index = nullptr;
  std::uint64_t scale = 1;
  bool mask_by_sign = false;  ///< the mask has elements whose sign bit counts

  unsigned slot = 0;  ///< or the number of a base, where strided
  std::int64_t offset = 0;
  std::int64_t step = 0;
  bool strided = false;

  bool simple() const { return dynamic_size == nullptr && mask == nullptr && lanes == 1; }
  /// Words of a record that it needs for itself.
  unsigned words() const {
    return (side_by_side ? 1 : lanes) + (dynamic_size != nullptr ? 1 : 0) + (mask != nullptr ? 1 : 0);
  }
};

using AccessList = llvm::SmallVector<StaticAccess, 16>;

/// Appends the accesses of an instruction, reads before writes.
void append_accesses(llvm::Instruction& instruction, const llvm::DataLayout& layout, AccessList& to);

/// The type of what a load, store, atomic or vector intrinsic accesses.
const llvm::Type* accessed_type(const llvm::Instruction& instruction);

/// Whether other instrumented code may run during the instruction, or control may leave the function.
bool may_run_other_code(const llvm::Instruction& instruction);

/// Whether what other threads have written is seen from there on: accesses behind it belong behind theirs.
bool acquires(const llvm::Instruction& instruction);

}  // namespace cachescape::pass
