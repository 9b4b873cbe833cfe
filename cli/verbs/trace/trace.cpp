// `cachescape trace`: look at traces and reshape them.
#include "cli/verbs/trace/parts.hpp"

namespace cachescape::cli {

void add_trace(Program& program) {
  CLI::App& verb = program.add_verb("trace", "Look at traces, cut, convert and join them");
  verb.require_subcommand(1);
  add_trace_info(program, verb);
  add_trace_head(program, verb);
  add_trace_cat(program, verb);
  add_trace_filter(program, verb);
  add_trace_convert(program, verb);
  add_trace_split(program, verb);
  add_trace_merge(program, verb);
  set_examples(verb, {{"cachescape trace info app.cstrace", "What is in it"},
                      {"cachescape trace filter app.cstrace --threads 0 -o first.cstrace", "One thread of it"}});
}

}  // namespace cachescape::cli
