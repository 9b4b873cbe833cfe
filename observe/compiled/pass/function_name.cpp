#include "observe/compiled/pass/function_name.hpp"

#include <cxxabi.h>
#include <cstdlib>

#include <llvm/Demangle/Demangle.h>

namespace cachescape::pass {
namespace {

// Names that are longer are mangled in reports, too.
constexpr std::size_t longest_name = 16384;

bool collector_can_read(const std::string& linkage_name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status);
  std::free(text);
  return text != nullptr;
}

}  // namespace

std::string function_name(llvm::StringRef linkage_name) {
  std::string name = linkage_name.str();
  if (!linkage_name.starts_with("_Z") || name.size() > longest_name || collector_can_read(name)) return name;
  return llvm::demangle(name);
}

}  // namespace cachescape::pass
