// Something that runs on a processor of its own, again and again, until it is no longer wanted.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "cachescape/result.hpp"

namespace cachescape::proxy {

/// A process. It ends with the object, and with this process. Start none while other threads run.
class Companion {
 public:
  /// What the new process does: it prepares, and then calls `once` again and again, until that fails.
  struct Work {
    std::function<Result<void>()> prepare;
    std::function<Result<void>()> once;
  };
  /// Returns once the work is prepared and begins.
  static Result<Companion> start(const Work& work, unsigned processor);
  Companion(Companion&& other) noexcept;
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  Companion& operator=(Companion&&) = delete;
  ~Companion();

  /// False once `once` has failed.
  bool running() const;

 private:
  explicit Companion(pid_t pid) : pid_(pid) {}

  pid_t pid_;
};

/// Runs a command by the shell, its output unseen. Fails where it does not end with success.
Result<void> run_command(const std::string& command);

}  // namespace cachescape::proxy
