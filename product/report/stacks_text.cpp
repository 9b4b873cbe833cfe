#include "product/report/stacks_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "product/report/counter_columns.hpp"
#include "product/report/counters_text.hpp"
#include "product/report/fitted_text.hpp"
#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

std::vector<std::pair<std::string, const model::StackRow*>> lines_of(const StacksReport& report) {
  std::vector<std::pair<std::string, const model::StackRow*>> lines;
  for (const model::StackRow& row : report.rows) lines.emplace_back(label_of(row), &row);
  if (report.other_stacks > 0)
    lines.emplace_back(fmt::format("({})", counted(report.other_stacks, "other")), &report.others);
  if (lines.size() > 1) lines.emplace_back("all of these", &report.total);
  return lines;
}

/// With as many columns as there is room for.
std::string stacks_table(const StacksReport& report, std::size_t width) {
  std::vector<CounterColumn> shown = counter_columns(report.counters);
  while (true) {
    std::vector<Table::Column> columns{{"call stack", Table::Align::left}, {"calls"}};
    for (const CounterColumn& m : shown) columns.push_back({m.title});
    Table table(std::move(columns));
    for (const auto& [label, row] : lines_of(report)) {
      std::vector<std::string> cells{label, with_thousands(row->calls)};
      for (const CounterColumn& m : shown) cells.push_back(counter_cell(m, row->counters, "0"));
      table.add(std::move(cells));
    }
    if (table.fit(0, width, least_name) || shown.empty()) return table.text();
    shown.pop_back();
  }
}

}  // namespace

std::string stacks_text(const StacksReport& report, std::size_t width) {
  width = std::max<std::size_t>(width, 40);
  std::vector<std::string> sections{summary_text(report.summary, width),
                                    main_counters_text(report.counters, report.ratios)};
  if (report.all_counters) sections.push_back(all_counters_text(report.counters, width));
  sections.push_back(report.rows.empty()
                         ? wrapped("The profile has no counters by call stack. Programs compiled with cachescape cc, "
                                   "c++ or fortran and --cachescape-counters=stack have them, and plain ones that were "
                                   "recorded with --call-stacks.",
                                   width)
                         : stacks_table(report, width));
  std::string text;
  for (const std::string& section : sections) {
    if (!section.empty()) text += (text.empty() ? "" : "\n") + section;
  }
  return text;
}

}  // namespace cachescape::report
