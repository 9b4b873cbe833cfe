#include "product/report/stacks_csv.hpp"

#include <array>
#include <iterator>

#include <fmt/format.h>

#include "product/report/csv.hpp"

namespace cachescape::report {
namespace {

constexpr std::array main_metrics = {"instructions", "loads", "stores", "bytes.loaded",
                                     "bytes.stored", "flops", "int.ops"};

/// Without a remark that label_of() adds.
std::string stack_of(const model::StackRow& row) {
  model::StackRow plain;
  plain.functions = row.functions;
  return label_of(plain);
}

void add_counter_columns(std::string& out, const std::string& stack, const model::Counters& counters) {
  for (const auto& [metric, value] : counters)
    fmt::format_to(std::back_inserter(out), "{},{},{}\r\n", csv_field(stack), csv_field(metric), value);
}

}  // namespace

std::string stacks_csv(const StacksReport& report) {
  std::string out = "stack,module,recursive,calls";
  for (const char* metric : main_metrics) out += fmt::format(",{}", metric);
  out += "\r\n";
  for (const model::StackRow& row : report.rows) {
    fmt::format_to(std::back_inserter(out), "{},{},{:d},{}", csv_field(stack_of(row)), csv_field(row.module),
                   row.recursive, row.calls);
    for (const char* metric : main_metrics)
      out += fmt::format(",{}", model::value_of(row.counters, metric).value_or(0));
    out += "\r\n";
  }
  return out;
}

std::string stack_counters_csv(const StacksReport& report) {
  std::string out = "stack,metric,value\r\n";
  add_counter_columns(out, "", report.counters);
  for (const model::StackRow& row : report.rows) add_counter_columns(out, stack_of(row), row.counters);
  return out;
}

}  // namespace cachescape::report
