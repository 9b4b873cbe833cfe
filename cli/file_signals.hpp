// Signals for which writing to a file can be a reason. Here they are errors of write(), with a message, not a silent
// death; programs that are started get what we got.
#pragma once

namespace cachescape::cli {

/// SIGPIPE, when a reader has gone away, and SIGXFSZ, when a file gets larger than it may. Once, before threads begin.
void ignore_file_signals();

/// As they were before that: for a process that is about to become another program.
void restore_file_signals();

}  // namespace cachescape::cli
