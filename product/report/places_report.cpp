#include "product/report/places_report.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "product/report/number_text.hpp"

namespace cachescape::report {
namespace {

using AllCounters = std::vector<model::GroupCounters>;

/// Those of `rows`, or, where there are none, those of the busiest places.
AllCounters chosen(AllCounters all, const std::vector<model::PlaceRow>& rows, std::size_t top) {
  if (rows.empty()) {
    const auto instructions = [](const model::GroupCounters& g) {
      return model::value_of(g.counters, "instructions").value_or(0);
    };
    std::ranges::stable_sort(all, std::greater<>{}, instructions);
    if (top > 0 && all.size() > top) all.resize(top);
    return all;
  }
  AllCounters of_rows;
  for (const model::PlaceRow& row : rows) {
    const auto found = std::ranges::lower_bound(all, row.group, {}, &model::GroupCounters::group);
    if (found != all.end() && found->group == row.group) of_rows.push_back(*found);
  }
  return of_rows;
}

}  // namespace

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
    report.place_counters = chosen(model::counters_by(profile.places, options.grouping), rows, options.top);
  }
  return report;
}

namespace {

/// Of an allocation: where its function was called.
std::string caller_text(const model::Group& group) {
  if (group.calls.size() < 2) return {};
  const model::Call& by = group.calls[1];
  if (by.line == 0) return ", from " + by.function;
  if (by.file == group.file) return fmt::format(", from {}, line {}", by.function, by.line);
  return fmt::format(", from {}, {}:{}", by.function, by.file.substr(by.file.rfind('/') + 1), by.line);
}

}  // namespace

std::string label_of(const model::Group& group) {
  if (group.name.empty()) return "(unknown)";
  if (group.kind != Object::Kind::unknown) {
    const std::string size = group.size == 0 || group.kind != Object::Kind::heap ? "" : ", " + bytes_text(group.size);
    const std::string at = group.file.empty() ? "" : fmt::format(", {}:{}", group.file, group.line);
    return fmt::format("{} ({}{}{}{})", group.name, model::name_of(group.kind), size, at, caller_text(group));
  }
  return group.function.empty() ? group.name : fmt::format("{}, {}", group.name, group.function);
}

}  // namespace cachescape::report
