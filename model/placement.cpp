#include "model/placement.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cachescape::model {

std::vector<std::vector<std::size_t>> threads_by_instance(std::size_t threads, std::uint32_t cores,
                                                          std::uint32_t shared_by) {
  std::map<std::size_t, std::vector<std::size_t>> by_instance;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t core = cores == 0 ? i : i % cores;
    by_instance[shared_by == machine::shared_by_all ? 0 : core / shared_by].push_back(i);
  }
  std::vector<std::vector<std::size_t>> instances;
  for (auto& [index, members] : by_instance) instances.push_back(std::move(members));
  return instances;
}

Meeting meeting_of(const std::vector<std::vector<std::size_t>>& instances) {
  if (instances.size() <= 1) return Meeting::all;
  const bool alone = std::ranges::all_of(instances, [](const auto& members) { return members.size() == 1; });
  return alone ? Meeting::one : Meeting::some;
}

}  // namespace cachescape::model
