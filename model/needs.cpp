#include "model/needs.hpp"

#include <algorithm>

#include "model/placement.hpp"

namespace cachescape::model {

std::vector<Need> needed(const machine::Machine& machine, std::size_t threads) {
  std::vector<Need> needs;
  for (const machine::Level& level : machine.levels) {
    const Meeting meeting = meeting_of(threads_by_instance(threads, machine.cores, level.shared_by));
    needs.push_back({meeting == Meeting::all ? Scope::Kind::everything : Scope::Kind::thread, level.line});
  }
  std::ranges::sort(needs);
  needs.erase(std::ranges::unique(needs).begin(), needs.end());
  return needs;
}

}  // namespace cachescape::model
