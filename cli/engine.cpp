#include "cli/engine.hpp"

#include <cstdlib>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/library_folder.hpp"
#include "observe/collect/program_file.hpp"
#include "session/session.h"

namespace cachescape::cli {
namespace {

constexpr const char* tool = "valgrind/cachescape-amd64-linux";

/// Where a shell would find it.
std::optional<std::string> path_of(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

Result<Engine> emulator_for(const std::string& program, const collect::ProgramFile& about) {
  if (about.elf && !about.x86_64) {
    return failure(ErrorKind::unsupported, "only programs for x86-64 can be observed as they are", program,
                   "build it with cachescape cc, c++ or fortran");
  }
  if (!library_folder(tool)) {
    return failure(ErrorKind::unsupported,
                   fmt::format("the emulated observer (lib/cachescape/{}) is not where cachescape is", tool), program,
                   "install the package valgrind and build cachescape again, or build the program with cachescape cc");
  }
  if (!path_of("valgrind")) {
    return failure(ErrorKind::unsupported, "valgrind, in which programs are observed as they are, is not installed",
                   program, "install the package valgrind, or build the program with cachescape cc, c++ or fortran");
  }
  return Engine::valgrind;
}

}  // namespace

Result<Engine> engine_for(const std::string& asked, const std::string& program) {
  if (asked == "compiled") return Engine::compiled;
  // One that cannot be found or read is for the system to refuse.
  const auto path = path_of(program);
  if (!path || access(path->c_str(), X_OK) != 0) return Engine::compiled;
  const collect::ProgramFile about = collect::look_at_program(*path);
  if (asked == "auto" && about.instrumented) return Engine::compiled;
  return emulator_for(program, about);
}

Launch launch_of(Engine engine, const std::vector<std::string>& command, const LaunchOptions& options) {
  if (engine == Engine::compiled) {
    Launch launch{command, {{CACHESCAPE_SESSION_VARIABLE, std::to_string(options.session)}}};
    if (options.follow_children) launch.environment.emplace_back("CACHESCAPE_FOLLOW", "children");
    std::string words;
    for (const std::string& word : options.for_children) words += (words.empty() ? "" : " ") + word;
    if (!words.empty()) launch.environment.emplace_back("CACHESCAPE_OPTIONS", words);
    return launch;
  }
  Launch launch;
  launch.command = {"valgrind",
                    "--command-line-only=yes",  // whatever VALGRIND_OPTS and .valgrindrc say
                    "--tool=cachescape",
                    "--quiet",
                    "--log-file=/dev/zero",  // the standard error is the program's own; what is written there is gone
                    "--vgdb=no",
                    "--demangle=no",
                    "--fair-sched=try",
                    fmt::format("--session={}", options.session)};
  if (!options.region.empty()) launch.command.push_back("--region=" + options.region);
  if (!options.from.empty()) launch.command.push_back("--from=" + options.from);
  if (!options.until.empty()) launch.command.push_back("--until=" + options.until);
  if (options.kernel) launch.command.push_back("--kernel=yes");
  if (options.follow_children) {
    launch.command.push_back("--trace-children=yes");
    launch.command.push_back(fmt::format("--collector={}/cachescape", own_folder()));
    for (const std::string& word : options.for_children) launch.command.push_back("--collect=" + word);
  }
  launch.command.insert(launch.command.end(), command.begin(), command.end());
  launch.environment.emplace_back("VALGRIND_LIB", *library_folder(tool) + "/valgrind");
  return launch;
}

std::vector<std::pair<std::string, std::string>> facts_of(Engine engine) {
  if (engine == Engine::compiled) return {{"observer", "compiled"}};
  return {{"observer", "valgrind"}, {"thread_order", "exact: one thread runs at a time"}};
}

}  // namespace cachescape::cli
