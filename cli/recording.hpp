// From a session to a profile, a trace, or both: what `record` and `collect` share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cachescape/result.hpp"
#include "cli/analysis_option.hpp"
#include "observe/collect/access_window.hpp"
#include "observe/collect/session_file.hpp"

namespace cachescape::cli {

struct RecordingOptions {
  std::string output;           ///< .cscape
  std::string trace;            ///< .cstrace, empty = none
  std::string debug_folder;     ///< of separate debug files, empty = the system's
  bool unique_bytes = false;    ///< count different bytes
  std::uint64_t block_cap = 0;  ///< 0: blocks are not sampled
  std::string region;           ///< of <cachescape/mark.h>, empty = everything
  std::string order = "auto";   ///< between threads
  std::string from, until;      ///< functions whose calls begin and end what is recorded, empty = none
  collect::WindowLimits window;
  bool call_stacks = false;  ///< of what plain programs do
  bool kernel = false;       ///< what the kernel accesses in system calls, too
  bool emulated = false;     ///< by an emulator, which leaves out by itself what is not in the region
  bool full = false;         ///< everything that an imported trace is analysed for
  bool only_trace = false;
  bool counters_only = false;
  bool show_progress = false;
  int process = 0;  ///< of the program, whose processor time progress tells
  AnalysisFlags analysis;
  /// Asked when the program has published everything: whether it then ended by a signal. Null = it did not.
  std::function<bool()> ended_by_signal;
  std::vector<std::pair<std::string, std::string>> facts;  ///< provenance
};

/// The last part of a path.
inline std::string program_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Adds --trace and what is analysed.
void add_recording_options(CLI::App& verb, RecordingOptions& options);

/// The words that give another collector the options that were given to this verb.
std::vector<std::string> options_for_children(const CLI::App& verb);

/// What is analysed, or what is wrong with the options.
Result<AnalysisOptions> recording_analysis(const RecordingOptions& options);

struct Recorded {
  std::uint64_t accesses = 0;
  std::uint64_t threads = 0;
  bool joined = false;    ///< an observed program has used the session
  bool finished = false;  ///< and has said that it has ended
  double seconds = 0;
  std::uint64_t instructions = 0;  ///< of the machine, as an emulator counts them; 0 = unknown
  double waited_seconds = 0;  ///< for which threads in an emulator could not go on, because the analysis was behind
};

/// Collects until the program has finished, or `program_is_over` says so. What was recorded up to then is kept.
Result<Recorded> record_session(collect::SessionFile& session, const RecordingOptions& options,
                                const std::function<bool()>& program_is_over);

}  // namespace cachescape::cli
