#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "product/report/fitted_text.hpp"
#include "product/report/number_text.hpp"
#include "product/report/places_report.hpp"
#include "product/report/sharing_report.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using Align = Table::Align;
using model::SharedLineRow;
using model::SharedObjectRow;
using model::ThreadUse;

/// Of each object.
constexpr std::size_t shown_pairs = 4;
constexpr std::size_t shown_lines = 2;
constexpr std::size_t shown_uses = 8;

std::string object_name(const SharedObjectRow& row) {
  return row.object.name.empty() ? "(unknown)" : label_of(row.object);
}

std::string objects_table(const SharingReport& report, std::size_t shown, std::size_t width) {
  Table table({{"lines of", Align::left}, {"falsely shared"}, {"truly"}, {"of touches"}});
  for (std::size_t i = 0; i < shown; ++i) {
    const SharedObjectRow& row = report.table->rows[i];
    table.add({object_name(row), with_thousands(row.misses[falsely]), with_thousands(row.misses[truly]),
               percent(row.misses[falsely] + row.misses[truly], report.table->touches)});
  }
  table.fit(0, width, least_name);
  return table.text();
}

std::string place_name(const model::Group& line, const model::Group& function, const std::string& variable) {
  // The file without its folders, which would push the rest out of sight.
  std::string text = line.file.empty() ? "(unknown line)"
                                       : fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), line.line);
  if (!function.name.empty()) text += ' ' + function.name;
  if (!variable.empty()) text += ": " + variable;
  return text;
}

std::string bytes_range(const ThreadUse& use) {
  return use.first_byte == use.last_byte ? fmt::format("byte {}", use.first_byte)
                                         : fmt::format("bytes {}–{}", use.first_byte, use.last_byte);
}

std::string pairs_table(const SharedObjectRow& row, std::size_t width) {
  Table table({{"  false sharing"}, {"true sharing"}, {"of lines", Align::left}, {"at", Align::left}});
  for (std::size_t i = 0; i < std::min(shown_pairs, row.places.size()); ++i) {
    const model::SharingPlaces& p = row.places[i];
    table.add({with_thousands(p.misses[falsely]), with_thousands(p.misses[truly]), "missed",
               place_name(p.line, p.function, p.variable)});
    table.add({"", "", "taken", place_name(p.writer_line, p.writer_function, p.writer_variable)});
  }
  table.fit(3, width, least_name);
  return table.text();
}

std::string padding_text(const model::Padding& padding, LineSize line) {
  if (padding.bytes == 0) return fmt::format("the first at a multiple of {}, ", line.bytes().value);
  return fmt::format("{} of padding after each{}, ", counted(padding.bytes, "byte"),
                     padding.straddles ? fmt::format(", the first at a multiple of {}", line.bytes().value) : "");
}

std::string line_text(const SharedLineRow& line, LineSize size, std::size_t width) {
  std::string text = fmt::format("  line at {:#x}: {} falsely shared, {} truly\n", line.address.value,
                                 with_thousands(line.misses[falsely]), with_thousands(line.misses[truly]));
  Table uses({{"    thread"}, {"does", Align::left}, {"with", Align::left}, {"at", Align::left}});
  for (std::size_t i = 0; i < std::min(shown_uses, line.uses.size()); ++i) {
    const ThreadUse& use = line.uses[i];
    uses.add({fmt::format("{}", use.thread), use.writes ? (use.reads ? "reads, writes" : "writes") : "reads",
              bytes_range(use), place_name(use.line, use.function, use.variable)});
  }
  uses.fit(3, width, least_name);
  text += uses.text();
  if (line.uses.size() > shown_uses)
    text += fmt::format("    … and {}\n", counted(line.uses.size() - shown_uses, "other use"));
  if (line.padding && line.misses[falsely] > 0) {
    text +=
        "  " +
        wrapped(fmt::format("cure: the threads' parts begin {} apart{}; {}or alignment to {} bytes, gives each "
                            "thread lines of its own.",
                            counted(line.padding->part, "byte"), line.padding->straddles ? ", some in two lines" : "",
                            padding_text(*line.padding, size), size.bytes().value),
                width - 2, 4);
  }
  return text;
}

std::string object_section(const SharedObjectRow& row, LineSize size, std::size_t width) {
  std::string text = wrapped(object_name(row), width, 2);
  text += pairs_table(row, width);
  if (row.places.size() > shown_pairs)
    text += fmt::format("  … and {}\n", counted(row.places.size() - shown_pairs, "other pair"));
  for (std::size_t i = 0; i < std::min(shown_lines, row.lines.size()); ++i)
    text += line_text(row.lines[i], size, width);
  if (row.lines.size() > shown_lines)
    text += fmt::format("  … and {}\n", counted(row.lines.size() - shown_lines, "other line"));
  return text;
}

}  // namespace

std::string sharing_text(const SharingReport& report, std::size_t width) {
  width = std::max<std::size_t>(width, 40);
  std::string text = summary_text(report.summary, width) + '\n';
  if (!report.table) {
    const std::size_t threads = report.summary.threads;
    return text + wrapped(threads > 1
                              ? "The profile knows nothing of sharing: it was recorded with --share none, or sampled."
                          : threads == 1 ? "The program has one thread: nothing is shared."
                                         : "The profile holds no accesses, and knows nothing of sharing.",
                          width);
  }
  const model::SharingTable& table = *report.table;
  const std::uint64_t misses = table.misses[truly] + table.misses[falsely];
  if (misses == 0) return text + "No thread took a line from another.\n";
  text += wrapped(fmt::format("Lines of {} bytes that a thread had and another one's write took away: {} of {} touches "
                              "({}), {} of them falsely shared.",
                              table.line.bytes().value, with_thousands(misses), with_thousands(table.touches),
                              percent(misses, table.touches), percent(table.misses[falsely], misses)),
                  width);
  if (table.rows.empty()) return text + wrapped("The profile knows no places in the source.", width);
  const std::size_t shown = report.top == 0 ? table.rows.size() : std::min(report.top, table.rows.size());
  text += '\n' + objects_table(report, shown, width);
  if (shown < table.rows.size()) text += fmt::format("({})\n", counted(table.rows.size() - shown, "other"));
  for (std::size_t i = 0; i < shown; ++i) text += '\n' + object_section(table.rows[i], table.line, width);
  return text;
}

}  // namespace cachescape::report
