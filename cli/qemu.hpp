// Programs that run in QEMU: those for other processors, and any for this one.
#pragma once

#include <string>
#include <vector>

#include "cachescape/result.hpp"
#include "observe/collect/program_file.hpp"

namespace cachescape::cli {

/// Whether QEMU, our plugin for it and the program's dynamic linker are there; `path` is the program's.
Result<void> qemu_can_run(const std::string& path, const collect::ProgramFile& about);

/// The command that runs the program at `path` in QEMU; `command` is what it was called by, and its arguments. The
/// plugin is its last option, and "-0" follows.
std::vector<std::string> qemu_command(const std::string& path, const collect::ProgramFile& about,
                                      const std::vector<std::string>& command, int session, bool follow_children,
                                      const std::string& parts);

/// What the plugin is told of functions of the program whose calls begin and end what is recorded; either may be empty.
Result<std::string> qemu_parts(const std::string& path, const std::string& from, const std::string& until,
                               const std::string& debug_folder);

}  // namespace cachescape::cli
