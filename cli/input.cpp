#include "cli/input.hpp"

#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "bytes/replayed.hpp"
#include "bytes/source.hpp"
#include "cli/progress.hpp"
#include "observe/imported/import.hpp"
#include "product/report/number_text.hpp"

namespace cachescape::cli {
namespace {

std::string format_names() {
  std::string names = "cstrace";
  for (const imported::Format& f : imported::formats()) names += '|' + std::string(f.name);
  return names;
}

}  // namespace

void add_input_flags(CLI::App& verb, InputOptions& options) {
  verb.add_option("--format", options.format, "Format of the input; recognised by its contents otherwise")
      ->type_name(format_names());
  verb.add_option("--columns", options.columns,
                  "Names of the columns of a CSV file without a header line, such as address,size,kind")
      ->type_name("NAMES");
  verb.add_flag("--lenient", options.lenient, "Pass over malformed records and damaged chunks, and count them");
  verb.add_flag("--fetches-as-reads", options.fetches_as_reads,
                "Treat instruction fetches as reads instead of only counting them");
}

void add_input(CLI::App& verb, InputOptions& options) {
  verb.add_option("TRACE", options.path,
                  "A .cstrace or a trace in any format that import reads, also gz, xz or zst; - is standard input")
      ->required();
  add_input_flags(verb, options);
}

Result<OpenedInput> open_input(const InputOptions& options) {
  const Strictness strictness = options.lenient ? Strictness::lenient : Strictness::strict;
  CACHESCAPE_TRY(auto source, bytes::open_source(options.path));
  if (options.format.empty() || options.format == "cstrace") {
    std::vector<std::byte> head(trace::file_magic.size());
    CACHESCAPE_TRY(const std::size_t got, bytes::read_fully(*source, head));
    head.resize(got);
    const bool ours = options.format == "cstrace" || trace::is_trace(head);
    if (source->seekable()) {
      CACHESCAPE_CHECK(source->seek(0));
    } else {
      source = bytes::replayed(std::move(head), std::move(source));
    }
    if (ours) {
      CACHESCAPE_TRY(auto reader, trace::TraceReader::open(std::move(source), strictness));
      trace::TraceReader* const trace = reader.get();
      return OpenedInput{std::move(reader), trace};
    }
  }
  const auto fetches = options.fetches_as_reads ? imported::Fetches::as_reads : imported::Fetches::count;
  CACHESCAPE_TRY(auto reader,
                 imported::open_trace(std::move(source), options.format, {strictness, fetches, options.columns}));
  return OpenedInput{std::move(reader), nullptr};
}

void report_losses(const OpenedInput& input, const std::string& name) {
  const SourceStatus status = input.source->status();
  if (status.skipped_records > 0) {
    note(fmt::format(
        "{}: {} skipped", name,
        report::counted(status.skipped_records, input.trace != nullptr ? "damaged chunk" : "malformed record")));
  }
  if (status.lost_accesses.value > 0) {
    note(fmt::format("{}: {} lost", name, report::counted(status.lost_accesses.value, "access")));
  }
}

}  // namespace cachescape::cli
