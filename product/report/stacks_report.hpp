// A program by its call stacks: the values that `cachescape report --by stack` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cachescape/profile.hpp"
#include "model/call_stacks.hpp"
#include "product/report/profile_summary.hpp"

namespace cachescape::report {

struct StacksReport {
  ProfileSummary summary;
  model::Counters counters;  ///< of the program
  std::vector<model::Ratio> ratios;
  bool all_counters = false;          ///< show every counter, not the main ones only
  std::vector<model::StackRow> rows;  ///< the first ones by order
  std::size_t other_stacks = 0;       ///< rows that were left out
  model::StackRow others;             ///< what they come to
  model::StackRow total;              ///< of all rows
};

/// `top` rows, 0 = all. O(contexts × callers + counters).
StacksReport stacks_report(ProfileSummary summary, const Profile& profile, model::StackOrder order, std::size_t top,
                           bool all_counters);

/// main > solve > dot; says so where the innermost is recursive.
std::string label_of(const model::StackRow& row);

}  // namespace cachescape::report
