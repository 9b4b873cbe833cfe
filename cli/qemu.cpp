#include "cli/qemu.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/library_folder.hpp"
#include "observe/symbols/function_offsets.hpp"

namespace cachescape::cli {
namespace {

constexpr const char* plugin = "cachescape_qemu.so";
constexpr const char* prefix_variable = "QEMU_LD_PREFIX";  // QEMU's own

struct Emulated {
  collect::Processor processor;
  const char* program;
  const char* libraries;  ///< where Debian's packages for cross compiling put them
  const char* package;    ///< that has them
  /// All that QEMU knows, but for the feature by which the C library would move memory byte by byte (x86-64), and one
  /// whose accesses QEMU does not tell (aarch64).
  const char* model;
};
constexpr std::array<Emulated, 3> emulated{{
    {collect::Processor::x86_64, "qemu-x86_64", "", "", "max,-erms"},
    {collect::Processor::aarch64, "qemu-aarch64", "/usr/aarch64-linux-gnu", "libc6-arm64-cross", "max,sve=off"},
    {collect::Processor::riscv64, "qemu-riscv64", "/usr/riscv64-linux-gnu", "libc6-riscv64-cross", ""},
}};

const Emulated* find(collect::Processor processor) {
  for (const Emulated& e : emulated)
    if (e.processor == processor) return &e;
  return nullptr;
}

/// Empty where QEMU asks its variable, or there is none.
std::string libraries_of(const Emulated& by) {
  return std::getenv(prefix_variable) == nullptr && *by.libraries != '\0' && access(by.libraries, X_OK) == 0
             ? by.libraries
             : "";
}

/// As a part of an option of QEMU's, where a comma ends it.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == ',' ? std::string(",,") : std::string(1, c);
  return result;
}

}  // namespace

Result<void> qemu_can_run(const std::string& path, const collect::ProgramFile& about) {
  if (!about.elf)
    return failure(ErrorKind::unsupported, "QEMU runs machine code, and this is none", path,
                   "of a script, give its interpreter and the script: cachescape record -- /bin/sh script");
  const Emulated* const by = find(about.processor);
  if (by == nullptr)
    return failure(ErrorKind::unsupported,
                   "only programs for x86-64, and in QEMU for aarch64 and riscv64, can be observed as they are", path);
  if (!library_folder(plugin))
    return failure(ErrorKind::unsupported,
                   fmt::format("the plugin for QEMU (lib/cachescape/{}) is not where cachescape is", plugin), path,
                   "build or install cachescape again");
  if (!path_of(by->program))
    return failure(ErrorKind::unsupported,
                   fmt::format("{}, in which such programs are observed, is not installed", by->program), path,
                   "install the package qemu-user (qemu-user-static has no plugins)");
  if (about.interpreter.empty() || access(about.interpreter.c_str(), R_OK) == 0) return {};
  const char* const asked = std::getenv(prefix_variable);
  const std::string prefix = asked != nullptr ? asked : by->libraries;
  if (!prefix.empty() && access((prefix + about.interpreter).c_str(), R_OK) == 0) return {};
  return failure(ErrorKind::unsupported,
                 fmt::format("needs the dynamic linker {}, which is not here, nor below {}", about.interpreter, prefix),
                 path,
                 fmt::format("install the package {}, or set {} to the folder of the libraries that it needs",
                             by->package, prefix_variable));
}

Result<std::string> qemu_parts(const std::string& path, const std::string& from, const std::string& until,
                               const std::string& debug_folder) {
  std::string options;
  for (const auto& [option, name] : {std::pair{"from", from}, {"until", until}}) {
    if (name.empty()) continue;
    CACHESCAPE_TRY(const auto offsets, debug_folder.empty() ? symbols::function_offsets(path, name)
                                                            : symbols::function_offsets(path, name, debug_folder));
    if (offsets.empty())
      return failure(
          ErrorKind::unsupported, fmt::format("the program has no function {}", name), path,
          "in QEMU only functions of the program's own file are seen; it may be inlined, or have another name");
    options += fmt::format(",{}={}", option, fmt::join(offsets, ":"));
  }
  return options;
}

std::vector<std::string> qemu_command(const std::string& path, const collect::ProgramFile& about,
                                      const std::vector<std::string>& command, int session, bool follow_children,
                                      const std::string& parts) {
  const Emulated& by = *find(about.processor);
  std::vector<std::string> words{by.program};
  if (const std::string libraries = libraries_of(by); !libraries.empty()) words.insert(words.end(), {"-L", libraries});
  if (*by.model != '\0' && std::getenv("QEMU_CPU") == nullptr) words.insert(words.end(), {"-cpu", by.model});
  std::string options = fmt::format("{}/{},session={}", quoted(*library_folder(plugin)), plugin, session);
  if (follow_children) options += fmt::format(",collector={}/cachescape", quoted(own_folder()));
  options += parts;
  words.insert(words.end(), {"-plugin", options, "-0", command[0], path});
  words.insert(words.end(), command.begin() + 1, command.end());
  return words;
}

}  // namespace cachescape::cli
