// `cachescape trace split`.
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/trace_output.hpp"
#include "cli/verbs/trace/parts.hpp"
#include "product/report/number_text.hpp"

namespace cachescape::cli {
namespace {

struct SplitOptions {
  InputOptions input;
  TraceOutputOptions output;
  bool by_thread = false;
  std::uint64_t every = 0;
};

/// app.cstrace and 3 → app.3.cstrace.
std::string part_path(const std::string& path, std::uint64_t number) {
  const std::string ending = ".cstrace";
  const std::string stem = path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path;
  return fmt::format("{}.{}{}", stem, number, ending);
}

Result<int> run(const SplitOptions& options) {
  if (options.by_thread == (options.every > 0)) {
    return failure(ErrorKind::usage, "say either --by-thread or --every N", "trace split");
  }
  CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
  std::map<std::uint64_t, std::unique_ptr<trace::TraceWriter>> parts;
  std::map<std::uint64_t, std::string> paths;
  const auto part = [&](std::uint64_t number) -> Result<trace::TraceWriter*> {
    if (const auto it = parts.find(number); it != parts.end()) return it->second.get();
    TraceOutputOptions output = options.output;
    output.path = part_path(options.output.path, number);
    CACHESCAPE_TRY(auto writer, create_trace(output, options.input.path, input));
    paths[number] = output.path;
    return (parts[number] = std::move(writer)).get();
  };
  Progress progress("splitting");
  AccessBatch batch;
  while (true) {
    CACHESCAPE_TRY(const bool more, input.source->next(batch));
    if (!more) break;
    auto block = batch.blocks.begin();
    for (std::size_t i = 0; i <= batch.size(); ++i) {
      const std::uint64_t position = batch.first.value + i;
      for (; block != batch.blocks.end() && block->index == i; ++block) {
        CACHESCAPE_TRY(trace::TraceWriter * to,
                       part(options.by_thread ? block->thread.value : position / options.every));
        to->enter_block(block->thread, block->block);
      }
      if (i == batch.size()) break;
      const Access a = batch[i];
      CACHESCAPE_TRY(trace::TraceWriter * to, part(options.by_thread ? a.thread.value : position / options.every));
      CACHESCAPE_CHECK(to->append(a));
    }
    progress.update(*input.source);
  }
  for (const auto& [number, writer] : parts) {
    CACHESCAPE_CHECK(writer->finish());
    note(fmt::format("{}: {}", paths[number], report::counted(writer->accesses(), "access")));
  }
  report_losses(input, options.input.path);
  return exit_success;
}

}  // namespace

void add_trace_split(Program& program, CLI::App& trace) {
  CLI::App& verb = Program::add_verb(trace, "split", "Cut a trace into several");
  auto options = std::make_shared<SplitOptions>();
  add_input(verb, options->input);
  add_trace_output(verb, options->output);
  verb.get_option("--output")->description("Name of the parts; -o app.cstrace makes app.0.cstrace, app.1.cstrace, …");
  verb.add_flag("--by-thread", options->by_thread, "A part per thread");
  verb.add_option("--every", options->every, "A part per N accesses")->type_name("N");
  set_examples(verb, {{"cachescape trace split app.cstrace --by-thread -o thread.cstrace",
                       "thread.0.cstrace, thread.1.cstrace, …"},
                      {"cachescape trace split app.cstrace --every 1000000000 -o part.cstrace",
                       "Parts of a thousand million accesses"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
