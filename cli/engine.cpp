#include "cli/engine.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/library_folder.hpp"
#include "cli/qemu.hpp"
#include "observe/collect/program_file.hpp"
#include "session/session.h"

namespace cachescape::cli {
namespace {

constexpr const char* tool = "valgrind/cachescape-amd64-linux";

/// Whether the system would give it rights that whoever runs it has not.
bool brings_rights(const std::string& path) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) return false;
  return (about.st_mode & (S_ISUID | S_ISGID)) != 0 || getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

Result<void> valgrind_can_run(const std::string& program, const std::string& path, const collect::ProgramFile& about) {
  if (about.elf && about.processor != collect::Processor::x86_64) {
    return failure(ErrorKind::unsupported, "Valgrind runs programs for x86-64 here, and this is none", program,
                   "leave --engine away: programs for aarch64 and riscv64 run in QEMU");
  }
  if (brings_rights(path)) {
    return failure(ErrorKind::unsupported,
                   "brings rights of its own (set-user-id or the like), and Valgrind refuses it", program,
                   "add --engine qemu, or record a copy of the file: both run without these rights");
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
  return {};
}

}  // namespace

Result<Engine> engine_for(const std::string& asked, const std::string& program) {
  if (asked == "compiled") return Engine::compiled;
  // One that cannot be found or read is for the system to refuse.
  const auto path = path_of(program);
  if (!path || access(path->c_str(), X_OK) != 0 || std::filesystem::is_directory(*path)) return Engine::compiled;
  const collect::ProgramFile about = collect::look_at_program(*path);
  if (asked == "auto" && about.instrumented) return Engine::compiled;
  const bool foreign = about.elf && about.processor != collect::Processor::x86_64;
  if (asked == "qemu" || (asked == "auto" && foreign)) {
    CACHESCAPE_CHECK(qemu_can_run(*path, about));
    return Engine::qemu;
  }
  CACHESCAPE_CHECK(valgrind_can_run(program, *path, about));
  return Engine::valgrind;
}

Result<std::string> parts_for(Engine engine, const std::string& program, const std::string& from,
                              const std::string& until, const std::string& debug_folder) {
  if (engine != Engine::qemu) return std::string();
  return qemu_parts(path_of(program).value_or(program), from, until, debug_folder);
}

Launch launch_of(Engine engine, const std::vector<std::string>& command, const LaunchOptions& options) {
  if (engine != Engine::valgrind) {
    Launch launch;
    std::string words;
    for (const std::string& word : options.for_children) words += (words.empty() ? "" : " ") + word;
    if (!words.empty()) launch.environment.emplace_back("CACHESCAPE_OPTIONS", words);
    if (engine == Engine::compiled) {
      launch.command = command;
      launch.environment.emplace_back(CACHESCAPE_SESSION_VARIABLE, std::to_string(options.session));
      if (options.follow_children) launch.environment.emplace_back("CACHESCAPE_FOLLOW", "children");
    } else {
      const std::string path = path_of(command[0]).value_or(command[0]);
      launch.command = qemu_command(path, collect::look_at_program(path), command, options.session,
                                    options.follow_children, options.qemu_parts);
    }
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
  if (options.call_stacks) launch.command.push_back("--call-stacks=yes");
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
  if (engine == Engine::qemu)
    return {{"observer", "qemu"},
            {"thread_order", "by blocks of up to 2,045 accesses, in the order of their beginnings"}};
  return {{"observer", "valgrind"}, {"thread_order", "exact: one thread runs at a time"}};
}

}  // namespace cachescape::cli
