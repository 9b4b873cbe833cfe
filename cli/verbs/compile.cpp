// `cachescape cc`, `c++` and `fortran`: the compilers, with instrumentation.
#include "cli/verbs/compile.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/compiler_call.hpp"
#include "cli/exit_code.hpp"
#include "cli/file_signals.hpp"
#include "cli/library_folder.hpp"
#include "cli/verb.hpp"

namespace cachescape::cli {
namespace {

constexpr std::string_view own_prefix = "--cachescape-";

struct Compiler {
  const char* verb;
  const char* command;   ///< as a program of its own
  const char* variable;  ///< that names another compiler
  const char* usual;
  const char* what;
};

constexpr Compiler compilers[] = {
    {"cc", "cachescape-cc", "CACHESCAPE_CC", "clang-19", "Compile C so that running the program yields a profile"},
    {"c++", "cachescape-c++", "CACHESCAPE_CXX", "clang++-19",
     "Compile C++ so that running the program yields a profile"},
    {"fortran", "cachescape-fortran", "CACHESCAPE_FC", "flang-new-19",
     "Compile Fortran so that running the program yields a profile"},
};

int compile(const Compiler& compiler, std::vector<std::string> arguments) {
  std::string settings = std::getenv("CACHESCAPE_PASS") == nullptr ? "" : std::getenv("CACHESCAPE_PASS");
  std::erase_if(arguments, [&](const std::string& a) {
    if (!a.starts_with(own_prefix)) return false;
    settings += ";" + a.substr(own_prefix.size());
    return true;
  });
  // Whoever asks for no frame pointers gets none.
  for (const std::string& a : arguments) {
    if (a == "-fomit-frame-pointer") settings += ";frames=off";
    if (a == "-fno-omit-frame-pointer") settings += ";frames=on";
  }
  setenv("CACHESCAPE_PASS", settings.c_str(), 1);

  const char* const other = std::getenv(compiler.variable);
  std::vector<std::string> command{other == nullptr ? compiler.usual : other};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const CompilerCall call = compiler_call(arguments);
  const auto folder = library_folder("cachescape_pass.so");
  if (!folder && !call.foreign && (call.compiles || call.links)) {
    std::fputs(
        "cachescape: the instrumentation (lib/cachescape/cachescape_pass.so) is not where this program is\n"
        "  hint: it needs LLVM 19 (llvm-19-dev) when cachescape is built\n",
        stderr);
    return exit_unsupported;
  }
  // For <cachescape/mark.h>, after every folder of the program's own. Fortran has no such header.
  if (call.reads && folder && std::string_view(compiler.verb) != "fortran")
    command.push_back("-idirafter" + *folder + "/include");
  if (call.compiles && !call.foreign) command.push_back("-fpass-plugin=" + *folder + "/cachescape_pass.so");
  if (call.links && !call.foreign) {
    if (call.link_time) {
      command.push_back("-fuse-ld=lld");
      command.push_back("-Wl,--load-pass-plugin=" + *folder + "/cachescape_pass.so");
    }
    if (call.fully_static) {
      command.push_back(*folder + "/libcachescape_runtime.a");
    } else {
      // Bound at once: binding lazily does not preserve all registers.
      for (const std::string& a :
           {"-L" + *folder, std::string("-lcachescape_runtime"), "-Wl,-rpath," + *folder, std::string("-Wl,-z,now")})
        command.push_back(a);
      // Records refer to the library's tables until the profile is complete.
      if (call.shared) command.push_back("-Wl,-z,nodelete");
    }
  }
  std::vector<char*> raw;
  for (std::string& word : command) raw.push_back(word.data());
  raw.push_back(nullptr);
  restore_file_signals();
  execvp(raw[0], raw.data());
  std::fputs(fmt::format("cachescape: {}: cannot be started: {}\n  hint: install it, or name another in {}\n",
                         command[0], std::strerror(errno), compiler.variable)
                 .c_str(),
             stderr);
  return exit_unsupported;
}

}  // namespace

std::optional<int> compile_if_asked(int argc, char** argv) {
  const std::string_view path = argv[0];
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Compiler& compiler : compilers) {
    if (name == compiler.command) return compile(compiler, {argv + 1, argv + argc});
    if (argc >= 2 && std::string_view(argv[1]) == compiler.verb) {
      const bool help = argc == 3 && (std::string_view(argv[2]) == "--help" || std::string_view(argv[2]) == "-h");
      if (!help) return compile(compiler, {argv + 2, argv + argc});
    }
  }
  return std::nullopt;
}

void add_compile(Program& program) {
  for (const Compiler& compiler : compilers) {
    CLI::App& verb = program.add_verb(compiler.verb, compiler.what);
    verb.add_option("--cachescape-accesses",
                    "on|clock|off: observe accesses (default on); clock: only count them, for samplers");
    verb.add_option("--cachescape-counters",
                    "on|stack|off: count executions of blocks (default on); stack: apart for each call stack");
    verb.add_option("--cachescape-frames",
                    "on|off: keep frame pointers, and tell heap objects by the calls that made them (default on)");
    verb.add_option("--cachescape-view", "source: before vectorisation (default); machine: after it");
    verb.add_option("--cachescape-only", "Only functions whose name matches this regular expression");
    verb.add_option("--cachescape-except", "No function whose name matches this regular expression");
    verb.add_option("--cachescape-only-file", "Only functions from source files that match");
    verb.add_option("--cachescape-except-file", "No function from source files that match");
    const std::string example = std::string(compiler.verb) == "fortran" ? "x.f90"
                                : std::string(compiler.verb) == "cc"    ? "x.c"
                                                                        : "x.cpp";
    set_examples(
        verb,
        {{fmt::format("cachescape {} -O2 -g {} -o x && ./x && cachescape report x.cscape", compiler.verb, example),
          "Build, run, read"},
         {fmt::format("cmake -DCMAKE_{}_COMPILER={} …",
                      std::string(compiler.verb) == "cc"    ? "C"
                      : std::string(compiler.verb) == "c++" ? "CXX"
                                                            : "Fortran",
                      compiler.command),
          "A whole project"}});
    program.on(verb, []() -> Result<int> { return exit_success; });
  }
}

}  // namespace cachescape::cli
