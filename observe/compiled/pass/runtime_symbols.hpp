// What instrumented code refers to in the runtime.
#pragma once

#include <llvm/IR/Module.h>

namespace cachescape::pass {

/// Accessed without a call, which general-dynamic access would be.
inline llvm::GlobalVariable* runtime_thread_local(llvm::Module& module, const char* name, llvm::Type* type) {
  if (llvm::GlobalVariable* known = module.getGlobalVariable(name)) return known;
  return new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                  llvm::GlobalValue::InitialExecTLSModel);
}

/// A function that keeps all registers.
inline llvm::FunctionCallee runtime_slow_path(llvm::Module& module, const char* name, llvm::FunctionType* type) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setCallingConv(llvm::CallingConv::PreserveAll);
  function->addFnAttr(llvm::Attribute::Cold);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // The dynamic linker's lazy binding does not preserve all registers.
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  return callee;
}

}  // namespace cachescape::pass
