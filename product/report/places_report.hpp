// A program by its places: the values that the text, the JSON and the CSV of `cachescape report` print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cachescape/profile.hpp"
#include "machine/machine.hpp"
#include "model/counters.hpp"
#include "model/places.hpp"
#include "model/predict.hpp"
#include "product/report/profile_summary.hpp"

namespace cachescape::report {

struct PlacesOptions {
  model::Grouping grouping = model::Grouping::function;
  model::PlaceOrder order = model::PlaceOrder::misses;
  std::size_t top = 10;   ///< rows; 0 = all
  bool counters = false;  ///< every counter, and those of each place, instead of the main ones
};

struct PlacesReport {
  ProfileSummary summary;
  PlacesOptions options;
  machine::Machine machine;
  std::string machine_reason;  ///< why this machine, where nobody chose it; a clause
  std::optional<model::Prediction> prediction;
  Error why_no_prediction;   ///< where there is none
  model::Counters counters;  ///< of the program; empty where nothing was counted
  std::vector<model::Ratio> ratios;
  bool knows_places = false;     ///< whether the profile has places at all
  model::PlaceTable places;      ///< the first rows by order; total is of all rows
  std::size_t other_places = 0;  ///< rows that were left out
  model::PlaceRow others;        ///< what they come to
  /// By place, empty unless asked for: of the rows shown, in their order; where the profile has no distances, of the
  /// places that execute most instructions. Groupings by variable and object have none.
  std::vector<model::GroupCounters> place_counters;
};

/// `profile` holds places, and distances for model::needed(machine, threads). O(places + bins).
PlacesReport places_report(ProfileSummary summary, const Profile& profile, machine::Machine machine,
                           const PlacesOptions& options);

/// How a group is called in a table: its name, for blocks with the function, for objects with kind and place;
/// "(unknown)" for what has no name.
std::string label_of(const model::Group& group);

}  // namespace cachescape::report
