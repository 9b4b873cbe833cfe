// Which calls give the program memory or take it back.
#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace cachescape::pass {

/// A call, and what it has to do with memory.
struct MemoryCall {
  enum class Kind {
    allocates,          ///< returns the memory
    allocates_aligned,  ///< posix_memalign: stores its address
    maps,               ///< mmap: returns all ones where it fails
    frees,
    unmaps,             ///< munmap: frees pages, which may be a part of what mmap gave
    reallocates,        ///< does both
    allocates_fortran,  ///< a variable with a descriptor
    frees_fortran,
    assigns_fortran,  ///< a whole array, which may be allocated again
  };
  llvm::CallBase* call;
  Kind kind;

  bool frees() const { return kind == Kind::frees || kind == Kind::frees_fortran || kind == Kind::reallocates; }
  bool allocates() const { return kind != Kind::frees && kind != Kind::frees_fortran && kind != Kind::unmaps; }
  /// What names the memory in the source: the call, whose result goes somewhere, or a variable.
  llvm::Value* named_by() const;
};

std::vector<MemoryCall> memory_calls(llvm::Function& function);

/// The memory, as code makes out before or behind the call; the address is null where there is none.
struct Memory {
  llvm::Value* address;
  llvm::Value* bytes;
};

/// What the call is about to free; of an assignment, what it may free.
llvm::Value* freed_memory(const MemoryCall& memory, llvm::IRBuilder<>& before);
/// The pages that the call is about to unmap.
Memory unmapped_memory(const MemoryCall& memory, llvm::IRBuilder<>& before);
/// What the call has allocated.
Memory allocated_memory(const MemoryCall& memory, llvm::IRBuilder<>& behind);

}  // namespace cachescape::pass
