// `cachescape trace head`.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/verbs/trace/parts.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::cli {
namespace {

struct HeadOptions {
  InputOptions input;
  std::uint64_t from = 0;
  std::uint64_t count = 10;
};

Result<int> run(const HeadOptions& options) {
  using report::Table;
  constexpr std::array<const char*, access_kinds> kinds{"read", "write", "modify"};
  CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
  if (options.from > 0 && input.trace != nullptr) {
    CACHESCAPE_TRY(const bool indexed, input.trace->load_index());
    if (indexed) CACHESCAPE_CHECK(input.trace->seek(AccessCount{options.from}));
  }
  Table table({{"position"}, {"thread"}, {"kind", Table::Align::left}, {"address"}, {"size"}, {"site"}});
  AccessBatch batch;
  std::uint64_t shown = 0;
  std::uint64_t position = 0;
  while (shown < options.count) {
    CACHESCAPE_TRY(const bool more, input.source->next(batch));
    if (!more) break;
    for (std::size_t i = 0; i < batch.size() && shown < options.count; ++i) {
      position = batch.first.value + i;
      if (position < options.from) continue;
      const Access a = batch[i];
      table.add({report::with_thousands(position), fmt::format("{}", a.thread.value),
                 kinds[static_cast<std::size_t>(a.kind)], fmt::format("{:#x}", a.address.value),
                 a.size == 0 ? "?" : fmt::format("{}", a.size),
                 a.site.value == 0 ? "–" : fmt::format("{:#x}", a.site.value)});
      ++shown;
    }
  }
  CACHESCAPE_CHECK(print_text(table.text()));
  return exit_success;
}

}  // namespace

void add_trace_head(Program& program, CLI::App& trace) {
  CLI::App& verb = Program::add_verb(trace, "head", "Show some accesses of a trace");
  auto options = std::make_shared<HeadOptions>();
  add_input(verb, options->input);
  verb.add_option("-n,--count", options->count, "How many")->type_name("N")->capture_default_str();
  verb.add_option("--from", options->from, "Position of the first one, from 0")->type_name("N")->capture_default_str();
  set_examples(verb, {{"cachescape trace head app.cstrace -n 5 --from 1000000",
                       "Five accesses from the middle; found by the index, not by reading"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
