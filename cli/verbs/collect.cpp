// `cachescape collect`: profiles a program that runs already and has started this by itself.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/engine.hpp"
#include "cli/exit_code.hpp"
#include "cli/recording.hpp"
#include "cli/thread_order.hpp"
#include "cli/verb.hpp"
#include "observe/collect/collector.hpp"
#include "session/session_atomic.h"

namespace cachescape::cli {
namespace {

struct CollectOptions {
  RecordingOptions recording;
  int session = 3;
  std::string program;  ///< where the process runs in an emulator, which would be found instead
  std::string command;
  std::string observer = "valgrind";  ///< that emulator
};

Engine engine_of(const CollectOptions& options) {
  if (options.command.empty()) return Engine::compiled;
  return options.observer == "qemu" ? Engine::qemu : Engine::valgrind;
}

std::string link_target(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t n = readlink(path.c_str(), target.data(), target.size());
  target.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return target;
}

std::string command_line(std::uint32_t pid) {
  std::string text;
  const int file = open(fmt::format("/proc/{}/cmdline", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  text.resize(4096);
  const ssize_t n = read(file, text.data(), text.size());
  close(file);
  text.resize(n <= 0 ? 0 : static_cast<std::size_t>(n));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text)
    if (c == '\0') c = ' ';
  return text;
}

/// The rank of a process of an MPI program, as its launcher tells it.
std::string rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* value = std::getenv(variable)) return value;
  return {};
}

std::string output_name(const CollectOptions& options, std::uint32_t pid) {
  const char* const asked = std::getenv("CACHESCAPE_OUTPUT");
  std::string name = !options.recording.output.empty() ? options.recording.output
                     : asked != nullptr                ? std::string(asked)
                     : !options.program.empty()        ? program_name(options.program)
                                                       : program_name(link_target(fmt::format("/proc/{}/exe", pid)));
  if (name.ends_with(".cscape")) name.resize(name.size() - std::strlen(".cscape"));
  if (const std::string r = rank(); !r.empty()) name += ".rank" + r;
  if (std::getenv("CACHESCAPE_FOLLOW") != nullptr) name += fmt::format(".{}", pid);
  return name + ".cscape";
}

/// Whether no other collector writes this profile now. The name of a socket is reserved for it: unlike a file it goes
/// away with this process, however that ends.
bool reserve(const std::string& output) {
  std::string folder(4096, '\0');
  if (getcwd(folder.data(), folder.size()) == nullptr) return true;
  folder.resize(folder.find('\0'));
  const std::string path = output.starts_with('/') ? output : folder + '/' + output;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = fmt::format("cachescape {:x}", std::hash<std::string>{}(path));
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return socket < 0 || bind(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0 || errno != EADDRINUSE;
}

Result<int> collect_running(CollectOptions& options) {
  CACHESCAPE_TRY(auto session, collect::SessionFile::open(options.session));
  cachescape_session& header = session.header();
  const std::uint32_t pid = cachescape_load32(&header.owner_pid);
  // Opened before the program goes on, so that its end cannot be missed.
  const int program = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  options.recording.output = output_name(options, pid);
  // Several processes of one program at a time: the first has the plain name.
  if (const std::string plain = options.recording.output; !reserve(plain))
    options.recording.output = fmt::format("{}.{}.cscape", plain.substr(0, plain.rfind(".cscape")), pid);
  options.recording.facts.emplace_back("command", options.command.empty() ? command_line(pid) : options.command);
  const Engine engine = engine_of(options);
  options.recording.emulated = engine == Engine::valgrind;
  for (const auto& fact : facts_of(engine)) options.recording.facts.push_back(fact);
  if (options.recording.counters_only) header.wants &= ~static_cast<std::uint32_t>(CACHESCAPE_WANT_ACCESSES);
  ask_for_order(header, options.recording.order);
  cachescape_store32(&header.collector_pid, static_cast<std::uint32_t>(getpid()));
  const auto is_over = [&] {
    pollfd waiting{program, POLLIN, 0};
    return program < 0 ? kill(static_cast<pid_t>(pid), 0) != 0 : poll(&waiting, 1, 0) == 1;
  };
  const auto recorded = record_session(session, options.recording, is_over);
  if (recorded) return exit_success;
  collect::let_program_go(session);
  return std::unexpected(recorded.error());
}

}  // namespace

void add_collect(Program& program) {
  CLI::App& verb = program.add_verb("collect", "Profile a program that has started this by itself");
  auto options = std::make_shared<CollectOptions>();
  verb.add_option("--session", options->session, "Descriptor of the session");
  verb.add_option("--program", options->program, "The program that runs in an emulator");
  verb.add_option("--command", options->command, "And its arguments");
  verb.add_option("--observer", options->observer, "And the emulator")->check(CLI::IsMember({"valgrind", "qemu"}));
  verb.add_option("-o,--output", options->recording.output, "The .cscape to write; default: the program's name");
  add_recording_options(verb, options->recording);
  verb.group("");
  program.on(verb, [options] { return collect_running(*options); });
}

}  // namespace cachescape::cli
