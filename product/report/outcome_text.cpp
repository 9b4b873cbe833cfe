#include "product/report/outcome_text.hpp"

#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "product/report/number_text.hpp"
#include "product/report/table.hpp"

namespace cachescape::report {
namespace {

using Align = Table::Align;

/// A level's requests, or with by_kind its reads and its writes.
struct Row {
  std::string label;
  const LevelOutcome* level = nullptr;
  Tally tally;
};

std::vector<Row> rows_of(const HierarchyOutcome& outcome, bool by_kind) {
  std::vector<Row> rows;
  for (const LevelOutcome& level : outcome.levels) {
    if (by_kind) {
      rows.push_back({level.name + " reads", &level, level.reads});
      rows.push_back({level.name + " writes", &level, level.writes});
    } else {
      rows.push_back({level.name, &level, level.total()});
    }
  }
  return rows;
}

std::string hits_table(const HierarchyOutcome& outcome, const std::vector<Row>& rows) {
  Table table({{"", Align::left}, {"accesses"}, {"hits"}, {"misses"}, {"miss ratio"}, {"of all touches"}});
  const std::uint64_t touches = outcome.levels.front().total().accesses;
  for (const Row& row : rows) {
    const Tally& t = row.tally;
    table.add({row.label, with_thousands(t.accesses), with_thousands(t.hits()), with_thousands(t.misses),
               percent(t.misses, t.accesses), percent(t.misses, touches)});
  }
  return table.text();
}

std::string classes_table(const std::vector<Row>& rows) {
  using Member = std::uint64_t MissClasses::*;
  const std::vector<std::pair<const char*, Member>> all{
      {"cold", &MissClasses::cold},
      {"capacity", &MissClasses::capacity},
      {"conflict", &MissClasses::conflict},
      {"true sharing", &MissClasses::true_sharing},
      {"false sharing", &MissClasses::false_sharing},
      {"inclusion", &MissClasses::inclusion},
  };
  std::vector<Table::Column> columns{{"misses by cause", Align::left}};
  std::vector<Member> shown;
  for (const auto& [title, member] : all) {
    const bool always =
        member == &MissClasses::cold || member == &MissClasses::capacity || member == &MissClasses::conflict;
    bool occurs = always;
    for (const Row& row : rows) occurs = occurs || row.tally.classes.*member != 0;
    if (!occurs) continue;
    columns.push_back({title});
    shown.push_back(member);
  }
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.label};
    for (const Member m : shown) cells.push_back(with_thousands(row.tally.classes.*m));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string traffic_table(const HierarchyOutcome& outcome) {
  bool coherence = false;
  for (const LevelOutcome& l : outcome.levels)
    coherence = coherence || l.upgrades + l.invalidations + l.remote_hits > 0;
  std::vector<Table::Column> columns{{"traffic", Align::left}, {"bytes in"}, {"bytes out"}, {"write-backs"}};
  if (coherence) columns.insert(columns.end(), {{"upgrades"}, {"invalidations"}, {"remote hits"}});
  Table table(std::move(columns));
  for (const LevelOutcome& l : outcome.levels) {
    std::vector<std::string> cells{l.name, bytes_text(l.bytes_in.value), bytes_text(l.bytes_out.value),
                                   with_thousands(l.write_backs)};
    if (coherence) {
      for (const std::uint64_t n : {l.upgrades, l.invalidations, l.remote_hits}) cells.push_back(with_thousands(n));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::string level_text(const machine::Level& level) {
  std::string text = bytes_text(level.size().value);
  if (level.sets == 1) {
    text += ", fully associative";
  } else if (level.ways == 1) {
    text += ", direct mapped";
  } else {
    text += fmt::format(", {}-way", level.ways);
  }
  text += fmt::format(", {}-byte lines", level.line.bytes().value);
  if (level.shared_by == machine::shared_by_all) {
    text += ", shared by all cores";
  } else if (level.shared_by > 1) {
    text += fmt::format(", shared by {} cores", level.shared_by);
  }
  return text;
}

std::string outcome_text(const HierarchyOutcome& outcome, const machine::Machine& machine, OutcomeTextOptions options) {
  std::string out;
  for (std::size_t i = 0; i < outcome.levels.size(); ++i) {
    const LevelOutcome& l = outcome.levels[i];
    out += fmt::format("{}  {}{}\n", l.name, level_text(machine.levels[i]),
                       l.instances > 1 ? fmt::format(" × {}", l.instances) : "");
  }
  const std::vector<Row> rows = rows_of(outcome, options.by_kind);
  out += '\n' + hits_table(outcome, rows);
  if (outcome.classified) out += '\n' + classes_table(rows);
  out += '\n' + traffic_table(outcome);
  return out;
}

}  // namespace cachescape::report
