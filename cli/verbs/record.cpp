// `cachescape record`: runs a program and profiles it; `cachescape collect`: the same for one that is running already.
#include <cerrno>
#include <csignal>
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
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/recording.hpp"
#include "cli/verb.hpp"
#include "product/report/number_text.hpp"
#include "session/session_atomic.h"

namespace cachescape::cli {
namespace {

constexpr int command_not_found = 127;

struct RecordOptions {
  RecordingOptions recording;
  std::string follow;
  std::vector<std::string> command;
};

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

pid_t child_of_signals = 0;
void pass_on(int signal) {
  if (child_of_signals > 0) kill(child_of_signals, signal);
}

/// Only returns where the program cannot be started.
int become(const std::vector<std::string>& command, int session, bool follow) {
  const int inherited = dup(session);
  setenv(CACHESCAPE_SESSION_VARIABLE, std::to_string(inherited).c_str(), 1);
  if (follow) setenv("CACHESCAPE_FOLLOW", "children", 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  execvp(arguments[0], arguments.data());
  return errno;
}

struct Child {
  pid_t pid;
  int start_failed;  ///< descriptor from which errno comes where it cannot be started
};

Result<Child> start(const RecordOptions& options, int session) {
  int failed[2];
  if (pipe2(failed, O_CLOEXEC) != 0) return failure(ErrorKind::io, fmt::format("pipe: {}", std::strerror(errno)));
  const pid_t pid = fork();
  if (pid < 0) return failure(ErrorKind::io, fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    const int why = become(options.command, session, !options.follow.empty());
    if (write(failed[1], &why, sizeof why) < 0) _exit(command_not_found);
    _exit(command_not_found);
  }
  close(failed[1]);
  return Child{pid, failed[0]};
}

Result<int> run(RecordOptions& options) {
  if (options.command.empty())
    return failure(ErrorKind::usage, "which program? none is given", {}, "cachescape record -- ./program arguments");
  if (options.recording.output.empty()) options.recording.output = base_name(options.command[0]) + ".cscape";
  if (!options.recording.output.ends_with(".cscape"))
    return failure(ErrorKind::usage, "the profile's name must end in .cscape", "-o " + options.recording.output);
  CACHESCAPE_TRY(auto session,
                 collect::SessionFile::create(options.recording.counters_only ? 0 : CACHESCAPE_WANT_ACCESSES));
  CACHESCAPE_TRY(const Child child, start(options, session.descriptor()));
  // The terminal sends these to the program too; we stay until it has ended.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  child_of_signals = child.pid;
  std::signal(SIGTERM, pass_on);
  std::signal(SIGHUP, pass_on);

  int why = 0;
  const bool not_started = read(child.start_failed, &why, sizeof why) == static_cast<ssize_t>(sizeof why);
  close(child.start_failed);
  if (not_started) {
    waitpid(child.pid, nullptr, 0);
    return failure(ErrorKind::io, fmt::format("cannot be started: {}", std::strerror(why)), options.command[0]);
  }
  options.recording.facts.emplace_back("command", joined(options.command));
  options.recording.show_progress = true;
  int status = 0;
  bool over = false;
  const auto is_over = [&] {
    if (!over) over = waitpid(child.pid, &status, WNOHANG) == child.pid;
    return over;
  };
  const auto recorded = record_session(session, options.recording, is_over);
  if (!over) waitpid(child.pid, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!recorded) return std::unexpected(recorded.error());
  if (!recorded->joined) {
    if (!options.recording.only_trace) unlink(options.recording.output.c_str());
    return failure(ErrorKind::unsupported, "it is not instrumented, so nothing was observed", options.command[0],
                   fmt::format("build it with cachescape cc, c++ or fortran; the program itself ended with {}", code));
  }
  if (WIFSIGNALED(status))
    note(fmt::format("{}: ended by signal {} ({}); the profile holds what it did until then", options.command[0],
                     WTERMSIG(status), strsignal(WTERMSIG(status))));
  note(fmt::format(
      "{}: {} by {}, {:.1f} s", options.recording.only_trace ? options.recording.trace : options.recording.output,
      report::counted(recorded->accesses, "access"), report::counted(recorded->threads, "thread"), recorded->seconds));
  return code;
}

struct CollectOptions {
  RecordingOptions recording;
  int session = 3;
};

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
                                                       : base_name(link_target(fmt::format("/proc/{}/exe", pid)));
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
  options.recording.facts.emplace_back("command", command_line(pid));
  if (options.recording.counters_only) header.wants &= ~static_cast<std::uint32_t>(CACHESCAPE_WANT_ACCESSES);
  cachescape_store32(&header.collector_pid, static_cast<std::uint32_t>(getpid()));
  const auto is_over = [&] {
    pollfd waiting{program, POLLIN, 0};
    return program < 0 ? kill(static_cast<pid_t>(pid), 0) != 0 : poll(&waiting, 1, 0) == 1;
  };
  CACHESCAPE_CHECK(record_session(session, options.recording, is_over));
  return exit_success;
}

}  // namespace

void add_record(Program& program) {
  CLI::App& verb = program.add_verb("record", "Run a program and profile its memory accesses");
  auto options = std::make_shared<RecordOptions>();
  verb.add_option("-o,--output", options->recording.output, "The .cscape to write; default: the program's name");
  verb.add_option("--follow", options->follow, "children: forked children get profiles of their own")
      ->check(CLI::IsMember({"children"}));
  add_recording_options(verb, options->recording);
  verb.add_option("program", options->command, "The program and its arguments, after --")
      ->type_name("PROGRAM [ARGUMENTS]");
  set_examples(verb, {{"cachescape record -- ./solver input.dat",
                       "Writes solver.cscape; the program was built by cachescape cc"},
                      {"cachescape record -o s.cscape --lines 64 -- ./solver", "Only 64-byte lines: faster"},
                      {"cachescape record --trace s.cstrace -- ./solver", "Keep every access too"}});
  program.on(verb, [options, &program] {
    options->command.insert(options->command.end(), program.command().begin(), program.command().end());
    return run(*options);
  });
}

void add_collect(Program& program) {
  CLI::App& verb = program.add_verb("collect", "Profile a program that has started this by itself");
  auto options = std::make_shared<CollectOptions>();
  verb.add_option("--session", options->session, "Descriptor of the session");
  verb.add_option("-o,--output", options->recording.output, "The .cscape to write; default: the program's name");
  add_recording_options(verb, options->recording);
  verb.group("");
  program.on(verb, [options] { return collect_running(*options); });
}

}  // namespace cachescape::cli
