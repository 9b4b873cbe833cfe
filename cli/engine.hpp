// How a program is observed: by what was compiled into it, or by an emulator that it runs in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cachescape/result.hpp"

namespace cachescape::cli {

enum class Engine { compiled, valgrind, qemu };

/// The engine that `--engine` asks for; for "auto" the one that the program allows. `program` is a path, or a name that
/// is looked for as a shell would.
Result<Engine> engine_for(const std::string& asked, const std::string& program);

/// LaunchOptions::qemu_parts, for engines that need it.
Result<std::string> parts_for(Engine engine, const std::string& program, const std::string& from,
                              const std::string& until, const std::string& debug_folder);

/// What to execute so that the program joins a session.
struct Launch {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  ///< in addition to what there is
};

/// How a program is launched.
struct LaunchOptions {
  int session = -1;  ///< the descriptor that the program inherits
  bool follow_children = false;
  std::vector<std::string> for_children;  ///< options of their collectors
  std::string qemu_parts;                 ///< what qemu_parts() says of these
  /// What an emulator records, each empty = everything.
  std::string region, from, until;
  bool call_stacks = false;
  bool kernel = false;  ///< and what the kernel accesses too
};

Launch launch_of(Engine engine, const std::vector<std::string>& command, const LaunchOptions& options);

/// What a profile should say of how it was made.
std::vector<std::pair<std::string, std::string>> facts_of(Engine engine);

}  // namespace cachescape::cli
