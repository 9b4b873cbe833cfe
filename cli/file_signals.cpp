#include "cli/file_signals.hpp"

#include <csignal>

namespace cachescape::cli {
namespace {

struct Ignored {
  int signal;
  void (*before)(int);
};
Ignored ignored[] = {{SIGPIPE, SIG_DFL}, {SIGXFSZ, SIG_DFL}};

}  // namespace

void ignore_file_signals() {
  for (Ignored& i : ignored) i.before = std::signal(i.signal, SIG_IGN);
}

void restore_file_signals() {
  for (const Ignored& i : ignored) std::signal(i.signal, i.before);
}

}  // namespace cachescape::cli
