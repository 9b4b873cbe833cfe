// What the source calls the data that an instruction accesses.
#pragma once

#include <string>

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

namespace cachescape::pass {

class SourceNames {
 public:
  explicit SourceNames(const llvm::Module& module);

  /// "variable", "variable[]", "struct.field", or empty where nothing tells. Of a call that allocates, whose pointer is
  /// the call itself, what it is stored into.
  std::string accessed(const llvm::Instruction& access, llvm::Value* pointer) const;
  /// Of the value that an access moves: i64, f64, ptr, <4 x f64>.
  static std::string type(const llvm::Type* type);

 private:
  std::string field(const llvm::Instruction& access) const;
  std::string variable(const llvm::Instruction& access, llvm::Value* pointer, unsigned depth) const;
  std::string stored_into(const llvm::Value& value, unsigned depth) const;

  llvm::StringMap<const llvm::DICompositeType*> structures_;
};

}  // namespace cachescape::pass
