#include "product/proxy/pattern_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "product/proxy/bench_report.hpp"
#include "product/proxy/chase.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::proxy {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t hpcc_word = 8;

std::string millions(double rate) { return fmt::format("{:.2f}", rate / 1e6); }
std::string gigabytes(double rate) { return fmt::format("{:.2f}", rate / 1e9); }

}  // namespace

std::string pattern_table_text(const PatternTable& table) {
  using Align = report::Table::Align;
  report::Table text({{"pattern", Align::left},
                      {"benchmark", Align::left},
                      {"chains"},
                      {"M operations/s"},
                      {"worst"},
                      {"best"},
                      {"GB/s"},
                      {"memory", Align::left}});
  std::string last;
  const auto add_hpcc = [&](const std::string& pattern) {
    if (!table.hpcc) return;
    const HpccFigures& h = *table.hpcc;
    if (pattern == "stride") {
      text.add({pattern, "STREAM triad", "", millions(h.triad_bytes_per_second / hpcc_word), "", "",
                gigabytes(h.triad_bytes_per_second), report::bytes_text(3 * hpcc_word * h.triad_elements)});
    } else if (pattern == "random") {
      text.add({pattern, "RandomAccess", "", millions(h.updates_per_second), "", "",
                gigabytes(h.updates_per_second * hpcc_word), report::bytes_text(hpcc_word * h.table_elements)});
    }
  };
  bool spilled = false;
  for (const PatternRun& run : table.runs) {
    if (run.pattern != last) add_hpcc(run.pattern);
    last = run.pattern;
    const Measurement& m = run.measurement;
    spilled = spilled || m.spilled_chains > 0;
    text.add({run.pattern, "cachescape", fmt::format("{}{}", m.layout.chains, m.spilled_chains > 0 ? "*" : ""),
              millions(m.rate.median), millions(m.rate.least), millions(m.rate.most),
              gigabytes(m.rate.median * m.layout.element), report::bytes_text(m.layout.size().value)});
  }
  std::string all = text.text();
  all +=
      "\nOperations are reads of a word; of STREAM's triad reads and writes of 8 bytes, of RandomAccess updates of "
      "8.\n";
  if (spilled) all += fmt::format("* More than {} chains do not fit into registers.\n", chains_in_registers);
  if (!table.hpcc) all += fmt::format("STREAM and RandomAccess are missing: {}.\n", table.why_no_hpcc);
  return all;
}

Json pattern_table_json(const PatternTable& table) {
  Json runs = Json::array();
  for (const PatternRun& run : table.runs) {
    const Measurement& m = run.measurement;
    runs.push_back({{"pattern", run.pattern},
                    {"chains", m.layout.chains},
                    {"spilled_chains", m.spilled_chains},
                    {"element_bytes", m.layout.element},
                    {"array_bytes", m.layout.size().value},
                    {"operations_per_second", rate_json(m.rate)}});
  }
  Json json{{"schema", "cachescape.patterns"}, {"version", pattern_table_schema_version}, {"runs", std::move(runs)}};
  if (table.hpcc) {
    json["hpcc"] = {{"stream_triad_bytes_per_second", table.hpcc->triad_bytes_per_second},
                    {"stream_elements", table.hpcc->triad_elements},
                    {"random_access_updates_per_second", table.hpcc->updates_per_second},
                    {"random_access_elements", table.hpcc->table_elements}};
  } else {
    json["hpcc"] = nullptr;
    json["why_no_hpcc"] = table.why_no_hpcc;
  }
  return json;
}

}  // namespace cachescape::proxy
