// What the shell is told. Documented in docs/reference/exit-codes.md and the manual page.
#pragma once

#include <array>

#include "cachescape/result.hpp"

namespace cachescape::cli {

enum ExitCode : int {
  exit_success = 0,
  exit_difference = 1,
  exit_usage = 2,
  exit_io = 3,
  exit_bad_data = 4,
  exit_unsupported = 5,
};

/// For people: each code and what it means.
struct ExitCodeText {
  ExitCode code;
  const char* text;
};
inline constexpr std::array exit_code_texts{
    ExitCodeText{exit_success, "Success."},
    ExitCodeText{exit_difference, "The command worked and its answer is no: a check failed or a difference was found."},
    ExitCodeText{exit_usage, "The command line makes no sense."},
    ExitCodeText{exit_io, "A file could not be opened, read or written."},
    ExitCodeText{exit_bad_data, "An input is malformed, truncated or corrupt."},
    ExitCodeText{exit_unsupported, "This machine or build cannot do what was asked."},
};

inline int exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return exit_usage;
    case ErrorKind::io:
      return exit_io;
    case ErrorKind::malformed:
    case ErrorKind::truncated:
    case ErrorKind::corrupt:
    case ErrorKind::limit:
      return exit_bad_data;
    case ErrorKind::unsupported:
      return exit_unsupported;
  }
  return exit_usage;
}

}  // namespace cachescape::cli
