#include "cli/trace_output.hpp"

#include <sys/stat.h>

#include <fmt/format.h>

#include "bytes/sink.hpp"
#include "cli/progress.hpp"
#include "cli/version.hpp"

namespace cachescape::cli {
namespace {

/// Whether both paths name one existing file: writing would destroy what is being read.
bool same_file(const std::string& a, const std::string& b) {
  struct stat sa{};
  struct stat sb{};
  return stat(a.c_str(), &sa) == 0 && stat(b.c_str(), &sb) == 0 && S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev &&
         sa.st_ino == sb.st_ino;
}

}  // namespace

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
  if (same_file(options.path, input_path)) {
    return failure(ErrorKind::usage, "the output is the input itself", "-o " + options.path, "choose another name");
  }
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
