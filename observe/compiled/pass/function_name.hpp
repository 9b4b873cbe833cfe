// What functions are called in tables.
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

namespace cachescape::pass {

/// The linkage name, which the collector makes readable; where its demangler is too old for that, of clang's names for
/// some constructors in std::map for one, the readable name itself.
std::string function_name(llvm::StringRef linkage_name);

}  // namespace cachescape::pass
