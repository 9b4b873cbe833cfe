// `cachescape record`: runs a program and profiles it.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes/sink.hpp"
#include "cli/engine.hpp"
#include "cli/exit_code.hpp"
#include "cli/file_signals.hpp"
#include "cli/processor_time.hpp"
#include "cli/progress.hpp"
#include "cli/recording.hpp"
#include "cli/thread_order.hpp"
#include "cli/verb.hpp"
#include "observe/collect/collector.hpp"
#include "observe/collect/slowdown.hpp"
#include "product/report/number_text.hpp"
#include "profile/writer.hpp"

namespace cachescape::cli {
namespace {

constexpr int command_not_found = 127;

struct RecordOptions {
  RecordingOptions recording;
  std::string engine = "auto";
  std::string follow;
  bool quiet = false;
  std::vector<std::string> for_children;  ///< options of the collectors of processes that are followed
  std::string qemu_parts;
  std::vector<std::string> command;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

volatile pid_t child_of_signals = 0;
void pass_on(int signal) {
  if (child_of_signals > 0) kill(child_of_signals, signal);
}

/// What a terminal sends, the program has got too.
void pass_on_if_sent_by_a_process(int signal, siginfo_t* about, void* /*context*/) {
  if (about->si_code == SI_USER) pass_on(signal);
}

/// Until the program has ended, we stay.
void pass_signals_on(pid_t child) {
  child_of_signals = child;
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_sigaction = pass_on_if_sent_by_a_process;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGQUIT, &action, nullptr);
  std::signal(SIGTERM, pass_on);
  std::signal(SIGHUP, pass_on);
}

/// Only returns where the program cannot be started.
int become(const Launch& launch) {
  for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : launch.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  restore_file_signals();
  execvp(arguments[0], arguments.data());
  return errno;
}

struct Child {
  pid_t pid;
  int start_failed;  ///< descriptor from which errno comes where it cannot be started
};

Result<Child> start(const RecordOptions& options, Engine engine, int session) {
  int failed[2];
  if (pipe2(failed, O_CLOEXEC) != 0) return failure(ErrorKind::io, fmt::format("pipe: {}", std::strerror(errno)));
  const pid_t pid = fork();
  if (pid < 0) return failure(ErrorKind::io, fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    // Above what programs expect to be open.
    const int inherited = fcntl(session, F_DUPFD, 3);
    const RecordingOptions& recording = options.recording;
    LaunchOptions how;
    how.session = inherited;
    how.follow_children = !options.follow.empty();
    how.for_children = options.for_children;
    how.region = recording.region;
    how.qemu_parts = options.qemu_parts;
    how.from = recording.from;
    how.until = recording.until;
    how.call_stacks = recording.call_stacks;
    how.kernel = recording.kernel;
    const int why = become(launch_of(engine, options.command, how));
    if (write(failed[1], &why, sizeof why) < 0) _exit(command_not_found);
    _exit(command_not_found);
  }
  close(failed[1]);
  return Child{pid, failed[0]};
}

const char* emulator_name(Engine engine) { return engine == Engine::qemu ? "QEMU" : "valgrind"; }

/// What code that is not recompiled cannot tell.
Result<void> emulated_can(const RecordingOptions& options) {
  if (options.counters_only)
    return failure(ErrorKind::unsupported, "only programs built by cachescape cc, c++ or fortran have counters",
                   "--counters-only", "leave it away to record accesses");
  return {};
}

Result<void> compiled_can(const RecordingOptions& options) {
  if (!options.from.empty() || !options.until.empty())
    return failure(ErrorKind::unsupported, "calls of functions are seen in emulators only",
                   options.from.empty() ? "--until " + options.until : "--from " + options.from,
                   "add --engine valgrind, or mark a region in the source (<cachescape/mark.h>)");
  return {};
}

/// What only Valgrind tells.
Result<void> others_can(const RecordingOptions& options) {
  if (options.call_stacks)
    return failure(
        ErrorKind::unsupported, "call stacks are told by Valgrind, or by programs that are compiled so",
        "--call-stacks",
        "add --engine valgrind, or compile with cachescape cc --cachescape-counters=stack and leave it away");
  if (options.kernel)
    return failure(ErrorKind::unsupported, "what the kernel accesses is seen in Valgrind only", "--kernel",
                   "add --engine valgrind");
  return {};
}

/// What QEMU, whose threads run in parallel, cannot tell.
Result<void> qemu_can(const RecordingOptions& options) {
  if (options.order == "fine" || options.order == "exact")
    return failure(ErrorKind::unsupported, "threads run in parallel in QEMU, and are ordered by blocks only",
                   "--order " + options.order,
                   "leave it away; programs for x86-64 are ordered exactly with --engine valgrind");
  return {};
}

Result<int> run(RecordOptions& options) {
  if (options.command.empty())
    return failure(ErrorKind::usage, "which program? none is given", {}, "cachescape record -- ./program arguments");
  if (options.recording.output.empty()) options.recording.output = program_name(options.command[0]) + ".cscape";
  if (!options.recording.output.ends_with(".cscape"))
    return failure(ErrorKind::usage, "the profile's name must end in .cscape", "-o " + options.recording.output);
  // Before the program does anything.
  CACHESCAPE_CHECK(recording_analysis(options.recording));
  CACHESCAPE_TRY(const Engine engine, engine_for(options.engine, options.command[0]));
  CACHESCAPE_CHECK(engine == Engine::compiled ? compiled_can(options.recording) : emulated_can(options.recording));
  if (engine != Engine::valgrind) CACHESCAPE_CHECK(others_can(options.recording));
  if (engine == Engine::qemu) CACHESCAPE_CHECK(qemu_can(options.recording));
  if (!options.recording.only_trace) CACHESCAPE_CHECK(profile::ProfileWriter::check(options.recording.output));
  if (!options.recording.trace.empty()) CACHESCAPE_CHECK(bytes::check_sink(options.recording.trace));
  CACHESCAPE_TRY(options.qemu_parts, parts_for(engine, options.command[0], options.recording.from,
                                               options.recording.until, options.recording.debug_folder));
  CACHESCAPE_TRY(auto session,
                 collect::SessionFile::create(options.recording.counters_only ? 0 : CACHESCAPE_WANT_ACCESSES));
  ask_for_order(session.header(), options.recording.order);
  CACHESCAPE_TRY(const Child child, start(options, engine, session.descriptor()));
  pass_signals_on(child.pid);

  int why = 0;
  const bool not_started = read(child.start_failed, &why, sizeof why) == static_cast<ssize_t>(sizeof why);
  close(child.start_failed);
  if (not_started) {
    waitpid(child.pid, nullptr, 0);
    return failure(ErrorKind::io, fmt::format("cannot be started: {}", std::strerror(why)), options.command[0]);
  }
  options.recording.facts.emplace_back("command", joined(options.command));
  for (const auto& fact : facts_of(engine)) options.recording.facts.push_back(fact);
  options.recording.show_progress = !options.quiet;
  options.recording.process = child.pid;
  options.recording.emulated = engine == Engine::valgrind;
  int status = 0;
  bool over = false;
  double processor_seconds = 0;
  const auto look = [&](int how) {
    siginfo_t about{};
    if (over || waitid(P_PID, static_cast<id_t>(child.pid), &about, WEXITED | WNOWAIT | how) != 0 || about.si_pid == 0)
      return over;
    processor_seconds = processor_time(child.pid).own;
    // Once it is waited for, its number may be another process's.
    child_of_signals = 0;
    over = waitpid(child.pid, &status, 0) == child.pid;
    return over;
  };
  // An emulator publishes everything even then.
  if (engine != Engine::compiled) options.recording.ended_by_signal = [&] { return look(0) && WIFSIGNALED(status); };
  const auto recorded = record_session(session, options.recording, [&] { return look(WNOHANG); });
  if (!recorded) collect::let_program_go(session);
  look(0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!recorded) return std::unexpected(recorded.error());
  if (!recorded->joined) {
    if (engine != Engine::compiled)
      return failure(
          ErrorKind::unsupported, fmt::format("{} could not run it, so nothing was observed", emulator_name(engine)),
          options.command[0], fmt::format("what {} said is above; it ended with {}", emulator_name(engine), code));
    return failure(
        ErrorKind::unsupported, "it is not instrumented, so nothing was observed", options.command[0],
        fmt::format("build it with cachescape cc, c++ or fortran, or leave --engine away; the program itself "
                    "ended with {}",
                    code));
  }
  // What was not kept was not asked for, or not there.
  const bool nothing_there =
      recorded->accesses == 0 && !options.recording.counters_only && options.recording.window.everything();
  if (nothing_there && !options.recording.region.empty())
    note(fmt::format("{}: nothing was accessed in a region “{}”, so nothing was recorded; it may have another name",
                     options.command[0], options.recording.region));
  if (nothing_there && !options.recording.from.empty())
    note(fmt::format("{}: {} was not called, so nothing was recorded; it may be inlined, or have another name",
                     options.command[0], options.recording.from));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL && engine != Engine::compiled)
    note(fmt::format("{}: {} does not know one of its instructions, of {} for instance", options.command[0],
                     emulator_name(engine), engine == Engine::valgrind ? "AVX-512" : "AVX-512 or SVE"));
  if (engine != Engine::compiled && !recorded->finished && WIFEXITED(status))
    note(fmt::format("{}: has become another program (exec), which {}", options.command[0],
                     options.follow.empty() ? "is observed only with --follow children"
                                            : "has a profile of its own where it can be observed"));
  if (WIFSIGNALED(status))
    note(fmt::format("{}: ended by signal {} ({}); the profile holds what it did until then", options.command[0],
                     WTERMSIG(status), strsignal(WTERMSIG(status))));
  if (options.quiet) return code;
  const auto slower = collect::slowdown(recorded->instructions, processor_seconds + recorded->waited_seconds,
                                        collect::usual_instructions_per_second());
  note(fmt::format("{}: {} by {}, {:.1f} s{}",
                   options.recording.only_trace ? options.recording.trace : options.recording.output,
                   report::counted(recorded->accesses, "access"), report::counted(recorded->threads, "thread"),
                   recorded->seconds, slowdown_text(slower)));
  return code;
}

}  // namespace

void add_record(Program& program) {
  CLI::App& verb = program.add_verb("record", "Run a program and profile its memory accesses");
  auto options = std::make_shared<RecordOptions>();
  verb.add_option("-o,--output", options->recording.output, "The .cscape to write; default: the program's name")
      ->type_name("FILE");
  verb.add_option("--engine", options->engine,
                  "compiled: built by cachescape cc; valgrind: any program; qemu: for aarch64 and riscv64 too; auto: "
                  "whichever the program allows")
      ->check(CLI::IsMember({"auto", "compiled", "valgrind", "qemu"}))
      ->type_name("auto|compiled|valgrind|qemu");
  verb.add_option("--follow", options->follow, "Forked children and programs that are run get profiles of their own")
      ->check(CLI::IsMember({"children"}))
      ->type_name("children");
  verb.add_flag("-q,--quiet", options->quiet, "Say nothing while and after it goes well");
  add_recording_options(verb, options->recording);
  verb.add_option("program", options->command, "The program and its arguments, after --")
      ->type_name("PROGRAM [ARGUMENTS]");
  set_examples(verb, {{"cachescape record -- ./solver input.dat",
                       "Writes solver.cscape; any program, best one built by cachescape cc"},
                      {"cachescape record -o s.cscape --lines 32,64,128 -- ./solver", "Three line sizes; slower"},
                      {"cachescape record --trace s.cstrace -- ./solver", "Keep every access too"}});
  program.on(verb, [options, &program, &verb] {
    if (!options->follow.empty()) options->for_children = options_for_children(verb);
    options->command.insert(options->command.end(), program.command().begin(), program.command().end());
    return run(*options);
  });
}

}  // namespace cachescape::cli
