#include "product/report/stacks_report.hpp"

#include <utility>

namespace cachescape::report {

StacksReport stacks_report(ProfileSummary summary, const Profile& profile, model::StackOrder order, std::size_t top,
                           bool all_counters) {
  StacksReport report;
  report.summary = std::move(summary);
  report.counters = model::counters_of(profile.places);
  report.ratios = model::ratios_of(report.counters);
  report.all_counters = all_counters;
  report.rows = model::counters_by_stack(profile.places, order);
  for (const model::StackRow& row : report.rows) model::add(report.total, row);
  if (top > 0) {
    for (; report.rows.size() > top; report.rows.pop_back()) {
      model::add(report.others, report.rows.back());
      ++report.other_stacks;
    }
  }
  return report;
}

std::string label_of(const model::StackRow& row) {
  std::string label;
  for (const std::string& function : row.functions) {
    if (!label.empty()) label += " > ";
    label += function.empty() ? "(unknown)" : function;
  }
  return row.recursive ? label + " (recursive)" : label;
}

}  // namespace cachescape::report
