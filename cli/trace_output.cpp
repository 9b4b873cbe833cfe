#include "cli/trace_output.hpp"

#include <fmt/format.h>

#include "bytes/sink.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/version.hpp"

namespace cachescape::cli {

void add_trace_output(CLI::App& verb, TraceOutputOptions& options) {
  verb.add_option("-o,--output", options.path, "The .cstrace to write; - is standard output")
      ->required()
      ->type_name("FILE");
  verb.add_option("--level", options.level, "Effort of compression, 1 (fast) … 19 (small)")
      ->type_name("N")
      ->check(CLI::Range(1, 19))
      ->capture_default_str();
}

Result<std::unique_ptr<trace::TraceWriter>> create_trace(const TraceOutputOptions& options,
                                                         const std::string& input_path, const OpenedInput& input) {
  CACHESCAPE_CHECK(check_output(options.path, input_path));
  CACHESCAPE_TRY(auto sink, bytes::open_sink(options.path));
  trace::Metadata metadata = input.trace != nullptr ? input.trace->metadata() : trace::Metadata{};
  metadata.emplace_back("source", input_path == "-" ? "standard input" : input_path);
  metadata.emplace_back("written_by", std::string("cachescape ") + version);
  trace::WriterOptions writer_options;
  writer_options.zstd_level = options.level;
  return trace::TraceWriter::create(std::move(sink), metadata, writer_options);
}

Result<void> copy_accesses(AccessSource& source, trace::TraceWriter& writer, const char* doing) {
  Progress progress(doing);
  AccessBatch batch;
  while (true) {
    auto more = source.next(batch);
    if (!more) {
      CACHESCAPE_CHECK(writer.finish({{"incomplete", more.error().what}}));
      return std::unexpected(std::move(more).error());
    }
    if (!*more) return {};
    CACHESCAPE_CHECK(writer.append(batch));
    progress.update(source);
  }
}

Result<void> finish_trace(trace::TraceWriter& writer, const OpenedInput& input) {
  const SourceStatus status = input.source->status();
  trace::Metadata facts = input.trace != nullptr ? input.trace->metadata() : trace::Metadata{};
  if (status.instructions > 0) facts.emplace_back("instructions", fmt::format("{}", status.instructions));
  if (status.skipped_records > 0) facts.emplace_back("skipped_records", fmt::format("{}", status.skipped_records));
  if (status.lost_accesses.value > 0)
    facts.emplace_back("lost_accesses", fmt::format("{}", status.lost_accesses.value));
  return writer.finish(facts);
}

}  // namespace cachescape::cli
