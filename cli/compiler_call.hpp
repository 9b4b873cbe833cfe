// What a command line asks a compiler to do.
#pragma once

#include <string>
#include <vector>

namespace cachescape::cli {

struct CompilerCall {
  bool reads = false;     ///< sources or headers that may include others, whatever it does with them
  bool compiles = false;  ///< makes code from sources
  bool links = false;
  bool shared = false;
  bool fully_static = false;
  bool link_time = false;  ///< optimisation at link time
  bool foreign = false;    ///< for processors or systems that compiled programs are not observed on
};

/// The arguments as clang and flang take them, without the compiler's own name; @files among them are read.
CompilerCall compiler_call(const std::vector<std::string>& arguments);

}  // namespace cachescape::cli
