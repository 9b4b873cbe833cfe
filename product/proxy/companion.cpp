#include "product/proxy/companion.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "product/proxy/processor.hpp"

namespace cachescape::proxy {
namespace {

/// A child whose parent is gone would run for ever.
void die_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

Error no_process() { return {ErrorKind::io, fmt::format("cannot start a process: {}", std::strerror(errno)), {}, {}}; }

[[noreturn]] void become_companion(const Companion::Work& work, unsigned processor, int ready) {
  const Result<Binding> binding = Binding::to(processor);
  const Result<void> prepared = binding ? work.prepare() : Result<void>(std::unexpected(binding.error()));
  const std::string message = prepared ? "+" : "-" + prepared.error().what;
  if (write(ready, message.data(), message.size()) < 0 || !prepared) _exit(1);
  close(ready);
  while (work.once()) continue;
  _exit(1);
}

std::string rest_of(int file) {
  std::string text;
  char buffer[512];
  for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

void end(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace

Result<Companion> Companion::start(const Work& work, unsigned processor) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return std::unexpected(no_process());
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    close(ready[0]);
    close(ready[1]);
    return std::unexpected(no_process());
  }
  if (pid == 0) {
    close(ready[0]);
    die_with_parent(parent);
    // A group of its own, so that what it starts ends with it.
    setpgid(0, 0);
    become_companion(work, processor, ready[1]);
  }
  close(ready[1]);
  // "+" says that it begins; "-" and a message say why not.
  char first = 0;
  ssize_t n = 0;
  do n = read(ready[0], &first, 1);
  while (n < 0 && errno == EINTR);
  const bool begins = n == 1 && first == '+';
  const std::string why = begins ? std::string{} : rest_of(ready[0]);
  close(ready[0]);
  if (begins) return Companion(pid);
  end(pid);
  return failure(ErrorKind::unsupported,
                 why.empty() ? fmt::format("what was to run on processor {} died", processor) : why);
}

Companion::Companion(Companion&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}

bool Companion::running() const {
  // Looks without reaping, which the destructor does.
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

Companion::~Companion() {
  if (pid_ != 0) end(pid_);
}

Result<void> run_command(const std::string& command) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return std::unexpected(no_process());
  if (pid == 0) {
    die_with_parent(parent);
    const int null = open("/dev/null", O_RDWR);
    for (int stream = 0; stream <= 2; ++stream) dup2(null, stream);
    // Those that writing to a file may bring, whatever they are to us.
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  pid_t ended = 0;
  do ended = waitpid(pid, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return failure(ErrorKind::unsupported,
                 WIFSIGNALED(status) ? fmt::format("it was ended by signal {}", WTERMSIG(status))
                                     : fmt::format("it ended with exit code {}", WEXITSTATUS(status)),
                 command, "a program that runs beside others must succeed, as often as it is run");
}

}  // namespace cachescape::proxy
