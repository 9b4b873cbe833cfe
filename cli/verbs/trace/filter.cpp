// `cachescape trace filter`.
#include "trace/filter.hpp"

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/comma_list.hpp"
#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/trace_output.hpp"
#include "cli/verbs/trace/parts.hpp"
#include "product/report/number_text.hpp"

namespace cachescape::cli {
namespace {

struct FilterOptions {
  InputOptions input;
  TraceOutputOptions output;
  std::uint64_t from = 0;
  std::optional<std::uint64_t> count;
  std::vector<std::uint32_t> threads;
  std::vector<std::string> kinds;
  std::string addresses;
  std::string sites;
};

struct Bounds {
  std::uint64_t low = 0;
  std::uint64_t high = ~std::uint64_t{0};
};

std::optional<std::uint64_t> number(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

/// "LOW..HIGH", either of which may be missing.
Result<Bounds> bounds(const char* flag, const std::string& text) {
  Bounds b;
  if (text.empty()) return b;
  const auto dots = text.find("..");
  const auto wrong = [&] {
    return failure(ErrorKind::usage, fmt::format("“{}” is not a range", text), flag,
                   "write it as 0x1000..0x1fff; either end may be left out");
  };
  if (dots == std::string::npos) return wrong();
  const std::string low = text.substr(0, dots);
  const std::string high = text.substr(dots + 2);
  const auto l = low.empty() ? b.low : number(low);
  const auto h = high.empty() ? b.high : number(high);
  if (!l || !h || *l > *h) return wrong();
  return Bounds{*l, *h};
}

Result<trace::Filter> filter_of(const FilterOptions& options) {
  trace::Filter filter;
  filter.from = options.from;
  if (options.count) filter.count = *options.count;
  for (const std::uint32_t t : options.threads) filter.threads.insert(ThreadId{t});
  for (const std::string& k : options.kinds) {
    filter.kinds.insert(k == "read" ? AccessKind::read : k == "write" ? AccessKind::write : AccessKind::modify);
  }
  CACHESCAPE_TRY(const Bounds addresses, bounds("--addresses", options.addresses));
  CACHESCAPE_TRY(const Bounds sites, bounds("--sites", options.sites));
  filter.lowest = Address{addresses.low};
  filter.highest = Address{addresses.high};
  filter.lowest_site = SiteId{sites.low};
  filter.highest_site = SiteId{sites.high};
  return filter;
}

Result<int> run(const FilterOptions& options) {
  CACHESCAPE_TRY(const trace::Filter filter, filter_of(options));
  CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
  if (filter.from > 0 && input.trace != nullptr) {
    CACHESCAPE_TRY(const bool indexed, input.trace->load_index());
    if (indexed) CACHESCAPE_CHECK(input.trace->seek(AccessCount{filter.from}));
  }
  CACHESCAPE_TRY(const auto output, create_trace(options.output, options.input.path, input));
  Progress progress("filtering");
  AccessBatch batch;
  AccessBatch kept;
  while (true) {
    CACHESCAPE_TRY(const bool more, input.source->next(batch));
    if (!more || filter.past(batch.first.value)) break;
    filter.apply(batch, kept);
    CACHESCAPE_CHECK(output->append(kept));
    progress.update(*input.source);
  }
  CACHESCAPE_CHECK(output->finish());
  report_losses(input, options.input.path);
  note(fmt::format("{}: {}", options.output.path, report::counted(output->accesses(), "access")));
  return exit_success;
}

}  // namespace

void add_trace_filter(Program& program, CLI::App& trace) {
  CLI::App& verb = Program::add_verb(trace, "filter", "Keep a part of a trace");
  auto options = std::make_shared<FilterOptions>();
  add_input(verb, options->input);
  add_trace_output(verb, options->output);
  verb.add_option("--from", options->from, "First position, from 0")->type_name("N")->capture_default_str();
  verb.add_option("--count", options->count, "Positions from there on")->type_name("N");
  comma_list(verb.add_option("--threads", options->threads, "Threads, separated by commas"))->type_name("T,…");
  comma_list(verb.add_option("--kinds", options->kinds, "Kinds, separated by commas"))
      ->type_name("read|write|modify")
      ->check(CLI::IsMember({"read", "write", "modify"}));
  verb.add_option("--addresses", options->addresses, "Addresses of first bytes, LOW..HIGH")->type_name("RANGE");
  verb.add_option("--sites", options->sites, "Sites (program counters), LOW..HIGH")->type_name("RANGE");
  set_examples(
      verb,
      {{"cachescape trace filter app.cstrace --from 1000000 --count 500000 -o part.cstrace", "Half a million accesses"},
       {"cachescape trace filter app.cstrace --kinds write,modify --addresses 0x7ff000000000.. -o stack.cstrace",
        "What writes to the stack"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
