// What of a module is instrumented, as the compiler wrapper asks for it.
#pragma once

#include <string>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/Regex.h>

namespace cachescape::pass {

struct PassOptions {
  bool accesses = true;  ///< record them
  bool clock = false;    ///< only count them down
  bool counters = true;
  bool stacks = false;  ///< counters for each stack of calls
  bool frames = true;   ///< keep frame pointers, and tell allocations by their stacks of calls
  bool late = false;    ///< after vectorisation: what the machine does, rather than what the source says
  std::string only_functions, except_functions, only_files, except_files;  ///< regular expressions, empty = none

  /// From the environment variable CACHESCAPE_PASS: "key=value" separated by semicolons. Unknown keys and broken
  /// expressions are errors.
  static llvm::Expected<PassOptions> from_environment();
};

class Selection {
 public:
  Selection(llvm::Module& module, const PassOptions& options);
  bool wants(const llvm::Function& function) const;

 private:
  PassOptions options_;
  llvm::SmallPtrSet<const llvm::Function*, 8> ignored_;
};

}  // namespace cachescape::pass
