#include "product/report/places_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/kind_counts.hpp"
#include "product/report/counter_columns.hpp"
#include "product/report/counters_text.hpp"
#include "product/report/fitted_text.hpp"
#include "product/report/number_text.hpp"
#include "product/report/outcome_text.hpp"
#include "product/report/prediction_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using Align = Table::Align;
using model::Grouping;
using model::PlaceRow;

using model::sum;

/// A line of the table, whatever it stands for.
struct Line {
  std::string label;
  std::uint64_t accesses = 0;
  std::uint64_t bytes = 0;
  std::uint64_t touches = 0;
  std::vector<std::uint64_t> misses;  ///< by level
};

Line line_of(std::string label, const PlaceRow& row) {
  Line line{std::move(label), sum(row.accesses), row.bytes, sum(row.touches), {}};
  for (const KindCounts& m : row.misses) line.misses.push_back(sum(m));
  return line;
}

std::vector<Line> lines_of(const PlacesReport& report) {
  std::vector<Line> lines;
  for (const PlaceRow& row : report.places.rows) lines.push_back(line_of(label_of(row.group), row));
  if (report.other_places > 0) {
    lines.push_back(line_of(fmt::format("({})", counted(report.other_places, "other")), report.others));
  }
  if (lines.size() > 1) lines.push_back(line_of("all of these", report.places.total));
  if (report.prediction) {
    const auto& levels = report.prediction->outcome.levels;
    Line program{
        "as predicted", sum(report.summary.accesses), report.summary.bytes, levels.front().total().accesses, {}};
    for (const LevelOutcome& level : levels) program.misses.push_back(level.total().misses);
    lines.push_back(std::move(program));
  }
  return lines;
}

/// The columns that do not depend on the level.
struct Common {
  std::vector<Table::Column> columns;
  bool bytes = false;
  std::uint64_t accesses = 0;

  explicit Common(const PlacesReport& report)
      : columns{{std::string(model::name_of(report.options.grouping)), Align::left}, {"accesses"}, {"share"}},
        bytes(report.options.order == model::PlaceOrder::bytes),
        accesses(sum(report.summary.accesses)) {
    if (bytes) columns.push_back({"bytes"});
  }
  std::vector<std::string> cells(const Line& line) const {
    std::vector<std::string> cells{line.label, with_thousands(line.accesses), percent(line.accesses, accesses)};
    if (bytes) cells.push_back(with_thousands(line.bytes));
    return cells;
  }
};

/// All levels side by side.
Table wide_table(const PlacesReport& report, const std::vector<Line>& lines) {
  const Common common(report);
  std::vector<Table::Column> columns = common.columns;
  for (const model::PlaceLevel& level : report.places.levels) {
    columns.push_back({level.name + " misses"});
    columns.push_back({"ratio"});
  }
  Table table(std::move(columns));
  for (const Line& line : lines) {
    std::vector<std::string> cells = common.cells(line);
    for (const std::uint64_t misses : line.misses) {
      cells.push_back(with_thousands(misses));
      cells.push_back(percent(misses, line.touches));
    }
    table.add(std::move(cells));
  }
  return table;
}

/// A line for each level.
Table long_table(const PlacesReport& report, const std::vector<Line>& lines) {
  const Common common(report);
  std::vector<Table::Column> columns = common.columns;
  columns.insert(columns.end(), {{"level", Align::left}, {"misses"}, {"ratio"}});
  Table table(std::move(columns));
  for (const Line& line : lines) {
    std::vector<std::string> cells = common.cells(line);
    for (std::size_t i = 0; i < line.misses.size(); ++i) {
      if (i > 0) std::ranges::fill(cells, "");
      std::vector<std::string> row = cells;
      row.insert(row.end(),
                 {report.places.levels[i].name, with_thousands(line.misses[i]), percent(line.misses[i], line.touches)});
      table.add(std::move(row));
    }
  }
  return table;
}

std::string worst_places(const PlacesReport& report, std::size_t width) {
  const std::vector<Line> lines = lines_of(report);
  if (Table wide = wide_table(report, lines); wide.fit(0, width, least_name)) return wide.text();
  Table narrow = long_table(report, lines);
  narrow.fit(0, width, 1);
  return narrow.text();
}

/// The main counters of the places shown, as many as there is room for.
std::string counters_by_place(const PlacesReport& report, std::size_t width) {
  std::vector<CounterColumn> shown = counter_columns(report.counters);
  for (; !shown.empty(); shown.pop_back()) {
    std::vector<Table::Column> columns{{std::string(model::name_of(report.options.grouping)), Align::left}};
    for (const CounterColumn& m : shown) columns.push_back({m.title});
    Table table(std::move(columns));
    for (const model::GroupCounters& place : report.place_counters) {
      std::vector<std::string> cells{label_of(place.group)};
      for (const CounterColumn& m : shown) cells.push_back(counter_cell(m, place.counters, "–"));
      table.add(std::move(cells));
    }
    if (table.fit(0, width, least_name)) return table.text();
  }
  return {};
}

std::string prediction_section(const PlacesReport& report, std::size_t width) {
  const machine::Machine& machine = report.machine;
  std::string title = fmt::format("on {}", machine.title.empty() ? machine.name : machine.title);
  if (!report.machine_reason.empty()) title += fmt::format(" ({})", report.machine_reason);
  std::string text = wrapped(title, width);
  for (const machine::Level& level : machine.levels) {
    text += wrapped(fmt::format("{}  {}", level.name, level_text(level)), width, 4);
  }
  if (!report.prediction) {
    return text + wrapped(fmt::format("Nothing can be predicted: {}.", report.why_no_prediction.what), width);
  }
  const auto& levels = report.prediction->outcome.levels;
  const std::uint64_t touches = levels.front().total().accesses;
  const bool by_instructions = per_thousand_instructions(report.summary, 0).has_value();
  std::vector<Table::Column> columns{{"level", Align::left}, {"accesses"}, {"misses"}, {"of all touches"}};
  if (by_instructions) columns.push_back({"MPKI"});
  columns.push_back({"method", Align::left});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Tally total = levels[i].total();
    std::vector<std::string> row{levels[i].name, with_thousands(total.accesses), with_thousands(total.misses),
                                 percent(total.misses, touches)};
    if (by_instructions) row.push_back(fmt::format("{:.2f}", *per_thousand_instructions(report.summary, total.misses)));
    row.push_back(method_name(report.prediction->levels[i]));
    table.add(std::move(row));
  }
  text += '\n' + table.text();
  return text;
}

std::string places_section(const PlacesReport& report, std::size_t width) {
  if (!report.knows_places) {
    return wrapped(
        "The profile knows no places in the source. Programs compiled with cachescape cc, c++ or fortran, and programs "
        "recorded under the Valgrind or QEMU observer, have them; imported traces have not.",
        width);
  }
  std::string text =
      report.places.rows.empty()
          ? wrapped(fmt::format("The profile has no distances by {}.", model::name_of(report.options.grouping)), width)
          : worst_places(report, width);
  if (!report.place_counters.empty()) {
    const std::string counters = counters_by_place(report, width);
    if (!counters.empty()) text += '\n' + counters;
  }
  return text;
}

}  // namespace

std::string places_text(const PlacesReport& report, std::size_t width) {
  width = std::max<std::size_t>(width, 40);
  std::vector<std::string> sections{summary_text(report.summary, width)};
  sections.push_back(main_counters_text(report.counters, report.ratios));
  if (report.options.counters) sections.push_back(all_counters_text(report.counters, width));
  sections.push_back(prediction_section(report, width));
  sections.push_back(places_section(report, width));
  std::string remarks;
  if (report.knows_places) {
    for (const std::string& note : report.places.notes) remarks += wrapped(fmt::format("Note: {}.", note), width, 2);
  }
  if (report.prediction) {
    for (const std::string& warning : report.prediction->warnings) {
      remarks += wrapped(fmt::format("Warning: {}.", warning), width, 2);
    }
  }
  sections.push_back(std::move(remarks));
  std::string text;
  for (const std::string& section : sections) {
    if (!section.empty()) text += (text.empty() ? "" : "\n") + section;
  }
  return text;
}

}  // namespace cachescape::report
