// `cachescape trace merge`.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/trace_output.hpp"
#include "cli/verbs/trace/parts.hpp"
#include "product/report/number_text.hpp"

namespace cachescape::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> paths;
  InputOptions input;
  TraceOutputOptions output;
  std::uint64_t interleave = 1;
  bool append = false;
  bool keep_threads = false;
};

/// One input, its current batch and how far it is read.
struct Stream {
  OpenedInput input;
  std::string path;
  AccessBatch batch;
  std::size_t at = 0;
  bool finished = false;
};

/// Threads of different inputs get different numbers, in order of appearance.
class ThreadNumbers {
 public:
  explicit ThreadNumbers(bool keep) : keep_(keep) {}
  ThreadId of(std::size_t stream, ThreadId thread) {
    if (keep_) return thread;
    const auto key = std::uint64_t{stream} << 32 | thread.value;
    return ThreadId{numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second};
  }

 private:
  bool keep_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> numbers_;
};

Result<int> run(const MergeOptions& options) {
  std::vector<Stream> streams;
  for (const std::string& path : options.paths) {
    InputOptions input = options.input;
    input.path = path;
    CACHESCAPE_TRY(OpenedInput opened, open_input(input));
    streams.push_back({std::move(opened), path, AccessBatch(), 0, false});
  }
  CACHESCAPE_TRY(const auto output, create_trace(options.output, options.paths.front(), streams.front().input));
  ThreadNumbers threads(options.keep_threads);

  // Copies up to `most` accesses of one stream.
  const auto copy = [&](std::size_t number, std::uint64_t most) -> Result<void> {
    Stream& s = streams[number];
    for (std::uint64_t n = 0; n < most;) {
      if (s.at == s.batch.size()) {
        CACHESCAPE_TRY(const bool more, s.input.source->next(s.batch));
        s.at = 0;
        s.finished = !more;
        if (!more) return {};
        if (s.batch.empty()) continue;
      }
      Access a = s.batch[s.at++];
      a.thread = threads.of(number, a.thread);
      CACHESCAPE_CHECK(output->append(a));
      ++n;
    }
    return {};
  };

  Progress progress("merging");
  const std::uint64_t turn = options.append ? ~std::uint64_t{0} : options.interleave;
  for (std::size_t left = streams.size(); left > 0;) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].finished) continue;
      CACHESCAPE_CHECK(copy(i, turn));
      if (streams[i].finished) --left;
      progress.update(*streams[i].input.source);
    }
  }
  CACHESCAPE_CHECK(output->finish());
  for (const Stream& s : streams) report_losses(s.input, s.path);
  note(fmt::format("{}: {}", options.output.path, report::counted(output->accesses(), "access")));
  return exit_success;
}

}  // namespace

void add_trace_merge(Program& program, CLI::App& trace) {
  CLI::App& verb =
      Program::add_verb(trace, "merge", "Join traces, as if their programs had run together or one after the other");
  auto options = std::make_shared<MergeOptions>();
  verb.add_option("TRACE", options->paths, "Traces to join; block labels are not kept")->required();
  add_input_flags(verb, options->input);
  add_trace_output(verb, options->output);
  verb.add_option("--interleave", options->interleave, "Accesses taken from each trace in turn")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_flag("--append", options->append, "One trace after the other instead");
  verb.add_flag("--keep-threads", options->keep_threads,
                "Keep thread numbers: equal numbers in different traces are one thread");
  set_examples(verb, {{"cachescape trace merge a.cstrace b.cstrace -o both.cstrace",
                       "Two programs side by side, access by access"},
                      {"cachescape trace merge --append --keep-threads part.0.cstrace part.1.cstrace -o whole.cstrace",
                       "Undo trace split --every"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
