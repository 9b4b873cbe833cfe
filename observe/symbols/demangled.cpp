#include "observe/symbols/demangled.hpp"

#include <cxxabi.h>
#include <cstdlib>
#include <memory>
#include <utility>

#include "observe/symbols/fortran_name.hpp"

namespace cachescape::symbols {

namespace {
/// The demangler recurses with the name's nesting and can square its length: names from damaged files are not given to
/// it at any size.
constexpr std::size_t longest_name = 16384;
}  // namespace

std::string demangled(const std::string& name) {
  if (auto fortran = fortran_name(name)) return *std::move(fortran);
  if (!name.starts_with("_Z") || name.size() > longest_name) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return text == nullptr ? name : std::string(text.get());
}

}  // namespace cachescape::symbols
