// `cachescape trace info`.
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_code.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/verbs/trace/parts.hpp"
#include "product/report/number_text.hpp"
#include "trace/summary.hpp"

namespace cachescape::cli {
namespace {

using report::with_thousands;

struct InfoOptions {
  InputOptions input;
  bool distinct = false;
  bool json = false;
};

struct Info {
  trace::Summary summary;
  SourceStatus status;
  trace::Metadata metadata;
  std::optional<std::size_t> chunks;
};

Result<Info> collect(const InfoOptions& options) {
  CACHESCAPE_TRY(const OpenedInput input, open_input(options.input));
  Info info;
  if (input.trace != nullptr) {
    CACHESCAPE_TRY(const bool indexed, input.trace->load_index());
    if (indexed) info.chunks = input.trace->index().size();
  }
  trace::SummaryBuilder builder(options.distinct);
  {
    Progress progress("reading");
    AccessBatch batch;
    while (true) {
      CACHESCAPE_TRY(const bool more, input.source->next(batch));
      if (!more) break;
      builder.consume(batch);
      progress.update(*input.source);
    }
  }
  report_losses(input, options.input.path);
  info.summary = builder.summary();
  info.status = input.source->status();
  if (input.trace != nullptr) info.metadata = input.trace->metadata();
  return info;
}

/// Facts that other lines or keys already tell.
bool told_elsewhere(const std::string& key) { return key == "instructions"; }

std::uint64_t instructions_of(const Info& info) {
  if (info.status.instructions > 0) return info.status.instructions;
  const auto text = trace::value_of(info.metadata, "instructions");
  return text.empty() ? 0 : std::strtoull(std::string(text).c_str(), nullptr, 10);
}

std::string text_of(const Info& info, const std::string& path) {
  const trace::Summary& s = info.summary;
  const SourceStatus& status = info.status;
  const auto line = [](const char* label, const std::string& value) { return fmt::format("{:<14}{}\n", label, value); };
  std::string text = line("trace", path);
  std::string accesses = with_thousands(s.accesses());
  if (status.bytes_total && s.accesses() > 0) {
    accesses += fmt::format(" in {} ({:.2f} bytes each)", report::bytes_text(*status.bytes_total),
                            static_cast<double>(*status.bytes_total) / static_cast<double>(s.accesses()));
  }
  text += line("accesses", accesses);
  text +=
      line("reads", fmt::format("{} ({})", with_thousands(s.by_kind[0]), report::percent(s.by_kind[0], s.accesses())));
  text +=
      line("writes", fmt::format("{} ({})", with_thousands(s.by_kind[1]), report::percent(s.by_kind[1], s.accesses())));
  text += line("modifies",
               fmt::format("{} ({})", with_thousands(s.by_kind[2]), report::percent(s.by_kind[2], s.accesses())));
  text += line("bytes", report::bytes_text(s.bytes));
  if (const auto n = instructions_of(info); n > 0) text += line("instructions", with_thousands(n));
  if (s.lowest) text += line("addresses", fmt::format("{:#x} … {:#x}", s.lowest->value, s.highest->value));
  if (s.footprint_lines) {
    text += line("footprint", fmt::format("{} ({})", report::bytes_text(*s.footprint_lines * 64),
                                          report::counted(*s.footprint_lines, "64-byte line")));
  }
  if (s.sites) text += line("sites", with_thousands(*s.sites));
  if (s.blocks > 0) text += line("blocks run", with_thousands(s.blocks));
  if (info.chunks) text += line("chunks", with_thousands(*info.chunks));
  std::string threads = with_thousands(s.by_thread.size());
  if (s.by_thread.size() > 1) {
    for (const auto& [id, n] : s.by_thread)
      threads += fmt::format("\n{:14}{}: {}", "", id.value, report::counted(n, "access"));
  }
  text += line("threads", threads);
  for (const auto& [key, value] : info.metadata) {
    if (!told_elsewhere(key) && trace::value_of(info.metadata, key) == value) text += line(key.c_str(), value);
  }
  return text;
}

nlohmann::ordered_json json_of(const Info& info, const std::string& path) {
  const trace::Summary& s = info.summary;
  nlohmann::ordered_json json{{"schema", "cachescape.trace_info"},
                              {"version", 1},
                              {"trace", path},
                              {"accesses", s.accesses()},
                              {"reads", s.by_kind[0]},
                              {"writes", s.by_kind[1]},
                              {"modifies", s.by_kind[2]},
                              {"bytes", s.bytes},
                              {"instructions", instructions_of(info)},
                              {"blocks", s.blocks},
                              {"skipped_records", info.status.skipped_records},
                              {"lost_accesses", info.status.lost_accesses.value}};
  if (s.lowest) {
    json["lowest_address"] = s.lowest->value;
    json["highest_address"] = s.highest->value;
  }
  if (s.sites) json["sites"] = *s.sites;
  if (s.footprint_lines) json["footprint_bytes"] = *s.footprint_lines * 64;
  if (info.chunks) json["chunks"] = *info.chunks;
  auto threads = nlohmann::ordered_json::array();
  for (const auto& [id, n] : s.by_thread) threads.push_back({{"thread", id.value}, {"accesses", n}});
  json["threads"] = std::move(threads);
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
  for (const auto& [key, value] : info.metadata) facts[key] = value;
  json["metadata"] = std::move(facts);
  return json;
}

Result<int> run(const InfoOptions& options) {
  CACHESCAPE_TRY(const Info info, collect(options));
  if (options.json) {
    CACHESCAPE_CHECK(print_json(json_of(info, options.input.path)));
  } else {
    CACHESCAPE_CHECK(print_text(text_of(info, options.input.path)));
  }
  return exit_success;
}

}  // namespace

void add_trace_info(Program& program, CLI::App& trace) {
  CLI::App& verb = Program::add_verb(trace, "info", "Say what a trace holds");
  auto options = std::make_shared<InfoOptions>();
  add_input(verb, options->input);
  verb.add_flag("--distinct", options->distinct, "Count distinct lines and sites too; takes memory for each");
  verb.add_flag("--json", options->json, "Print JSON");
  set_examples(verb, {{"cachescape trace info app.cstrace --distinct", "Counts, threads, footprint"}});
  program.on(verb, [options] { return run(*options); });
}

}  // namespace cachescape::cli
