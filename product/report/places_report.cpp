#include "product/report/places_report.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace cachescape::report {

PlacesReport places_report(ProfileSummary summary, const Profile& profile, machine::Machine machine,
                           const PlacesOptions& options) {
  PlacesReport report;
  report.summary = std::move(summary);
  report.options = options;
  report.machine = std::move(machine);
  if (auto prediction = model::predict(profile, report.machine)) {
    report.prediction = *std::move(prediction);
  } else {
    report.why_no_prediction = std::move(prediction).error();
  }
  report.counters = model::counters_of(profile.places);
  report.ratios = model::ratios_of(report.counters);
  report.knows_places = !profile.places.empty();
  report.places = model::places_of(profile, report.machine, options.grouping);

  std::vector<model::PlaceRow>& rows = report.places.rows;
  model::sort(rows, options.order);
  if (options.top > 0) {
    for (; rows.size() > options.top; rows.pop_back()) {
      model::add(report.others, rows.back());
      ++report.other_places;
    }
  }
  if (options.counters) {
    std::map<model::Group, model::Counters> by_group;
    for (model::GroupCounters& g : model::counters_by(profile.places, options.grouping)) {
      by_group.emplace(std::move(g.group), std::move(g.counters));
    }
    if (!by_group.empty()) {
      for (const model::PlaceRow& row : rows) report.row_counters.push_back(std::move(by_group[row.group]));
    }
  }
  return report;
}

std::string label_of(const model::Group& group) {
  if (group.name.empty()) return "(unknown)";
  if (group.kind != Object::Kind::unknown) {
    const std::string at = group.file.empty() ? "" : fmt::format(", {}:{}", group.file, group.line);
    return fmt::format("{} ({}{})", group.name, model::name_of(group.kind), at);
  }
  return group.function.empty() ? group.name : fmt::format("{}, {}", group.name, group.function);
}

}  // namespace cachescape::report
