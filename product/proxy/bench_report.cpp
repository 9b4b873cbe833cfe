#include "product/proxy/bench_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "product/proxy/chase.hpp"
#include "product/proxy/chosen_chains.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::proxy {
namespace {

using Json = nlohmann::ordered_json;

std::string pages_line(const Measurement& m) {
  switch (m.pages) {
    case Pages::reserved:
      return "reserved huge pages (MAP_HUGETLB)";
    case Pages::transparent:
      return fmt::format("transparent huge pages (madvise): {} of it", report::bytes_text(m.in_huge_pages.value));
    case Pages::small:
      break;
  }
  return m.huge_pages_asked ? "small pages: the kernel gives no huge ones" : "small pages";
}

std::string chains_line(const BenchResult& result) {
  const Measurement& m = result.measurement;
  std::string line = report::counted(m.layout.chains, "chain");
  if (result.chains_chosen && result.parallelism) {
    line += fmt::format(": the loads of what the seed was made from have a parallelism of {:.2f}", *result.parallelism);
  } else if (result.chains_chosen) {
    line += ": how many loads of what the seed was made from wait for each other is not known";
  }
  if (m.spilled_chains > 0)
    line += fmt::format("\n  {} are kept in registers; the stack holds the others, whose steps read and write it too",
                        chains_in_registers);
  return line;
}

/// What the benchmark leaves out.
std::string omission_line(const BenchResult& result) {
  std::string line;
  if (result.writes > 0) line = fmt::format("its {} are read", report::counted(result.writes, "write"));
  if (result.threads > 1)
    line += fmt::format("{}its {} are one", line.empty() ? "" : ", ", report::counted(result.threads, "thread"));
  return line.empty() ? line : line + "\n";
}

std::string rate_table(const Spread& rate) {
  report::Table table({{"", report::Table::Align::left}, {"M operations/s"}, {"ns per operation"}});
  const auto row = [&](const char* what, double r) {
    table.add({what, fmt::format("{:.2f}", r / 1e6), fmt::format("{:.3f}", 1e9 / r)});
  };
  row("median", rate.median);
  row("best", rate.most);
  row("worst", rate.least);
  row("lower quartile", rate.lower_quartile);
  row("upper quartile", rate.upper_quartile);
  return table.text();
}

std::string counts_text(const HardwareCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    if (counts.values[i])
      text += fmt::format("{}{:.4f} {}", text.empty() ? "" : ", ", *counts.values[i], hardware_counter_names[i]);
  }
  if (!text.empty()) text = "by operation: " + text + "\n";
  if (!counts.why_missing.empty()) {
    text += text.empty() ? "no hardware counters: " : "others are not counted: ";
    text += counts.why_missing + "\n";
  }
  return text;
}

}  // namespace

BenchResult about_seed(const std::string& name, const synth::Seed& seed) {
  BenchResult result;
  result.name = name;
  result.working_set = seed.working_set;
  result.writes = static_cast<std::uint64_t>(
      std::ranges::count_if(seed.kinds, [](AccessKind kind) { return kind != AccessKind::read; }));
  if (!seed.threads.empty()) result.threads = std::uint64_t{std::ranges::max(seed.threads)} + 1;
  result.parallelism = parallelism_of(seed);
  return result;
}

std::string bench_text(const BenchResult& result) {
  const Measurement& m = result.measurement;
  std::string text = fmt::format("{}: {} in {}\n", result.name, report::counted(m.layout.references, "reference"),
                                 report::bytes_text(result.working_set));
  text += omission_line(result);
  text += fmt::format("array of {}: {} of it, {}-byte elements, {}\n", report::bytes_text(m.layout.size().value),
                      report::counted(m.layout.replications, "replication"), m.layout.element, pages_line(m));
  text += chains_line(result) + "\n";
  text += fmt::format("{} × {} operations after a warm-up of {}, on {}\n\n", m.seconds.size(),
                      report::with_thousands(m.operations), report::with_thousands(m.warm_up),
                      m.processor ? fmt::format("processor {}", *m.processor) : "any processor");
  text += rate_table(m.rate);
  if (m.counts) text += "\n" + counts_text(*m.counts);
  return text;
}

Json rate_json(const Spread& rate) {
  return {{"median", rate.median},
          {"best", rate.most},
          {"worst", rate.least},
          {"lower_quartile", rate.lower_quartile},
          {"upper_quartile", rate.upper_quartile}};
}

Json bench_json(const BenchResult& result) {
  const Measurement& m = result.measurement;
  Json json{{"schema", "cachescape.bench"},
            {"version", bench_schema_version},
            {"seed", result.name},
            {"references", m.layout.references},
            {"working_set", result.working_set},
            {"writes_read", result.writes},
            {"threads_joined", result.threads},
            {"array_bytes", m.layout.size().value},
            {"replications", m.layout.replications},
            {"element_bytes", m.layout.element},
            {"chains", m.layout.chains},
            {"chains_chosen", result.chains_chosen},
            {"parallelism", result.parallelism ? Json(*result.parallelism) : Json(nullptr)},
            {"spilled_chains", m.spilled_chains},
            {"pages", pages_text(m.pages)},
            {"bytes_in_huge_pages", m.in_huge_pages.value},
            {"processor", m.processor ? Json(*m.processor) : Json(nullptr)},
            {"warm_up_operations", m.warm_up},
            {"operations", m.operations},
            {"seconds", m.seconds},
            {"operations_per_second", rate_json(m.rate)}};
  if (m.counts) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < m.counts->values.size(); ++i)
      counts[hardware_counter_names[i]] = m.counts->values[i] ? Json(*m.counts->values[i]) : Json(nullptr);
    json["counts_per_operation"] = std::move(counts);
    json["why_not_counted"] = m.counts->why_missing;
  }
  return json;
}

}  // namespace cachescape::proxy
