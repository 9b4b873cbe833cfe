// Code that keeps the counters of a function apart for each stack of calls that leads to it (session/context.h).
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace cachescape::pass {

class ContextWriter {
 public:
  explicit ContextWriter(llvm::Module& module);

  /// `plain` loads the counters of the module at the function's start; its users get the counters of the function's
  /// context instead, or those of the module where there is none. `first` … `end` are the function's own, and
  /// `other_code` is what other instrumented functions may run in.
  void write(llvm::Function& function, llvm::LoadInst* plain, std::uint32_t first, std::uint32_t end,
             const std::vector<llvm::Instruction*>& other_code);

  /// Says which module the functions belong to.
  void define_functions(llvm::Constant* module_start);

 private:
  struct Written {
    llvm::GlobalVariable* function;
    std::uint32_t first, counters, hash;
  };
  struct Looked {
    llvm::Value* caller;
    llvm::Value* own;
  };
  Looked look_up(llvm::LoadInst* plain, const Written& function);

  llvm::Module& module_;
  llvm::Type* pointer_;
  llvm::StructType* function_type_;
  llvm::GlobalVariable* current_;  ///< thread-local, in the runtime
  llvm::FunctionCallee find_;
  std::vector<Written> written_;
};

}  // namespace cachescape::pass
