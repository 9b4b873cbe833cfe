#include "observe/compiled/pass/load_chains.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "observe/compiled/pass/components.hpp"

namespace cachescape::pass {
namespace {

constexpr std::int64_t unreached = -1;

/// Values that depend on each other from iteration to iteration, and on loads.
struct Recurrence {
  std::vector<std::size_t> nodes;     ///< ascending
  std::vector<std::size_t> carriers;  ///< indices into LoadGraph::carriers
  std::vector<Handover> handovers;    ///< between them
};

std::vector<Recurrence> recurrences_of(const LoadGraph& graph) {
  std::vector<std::vector<std::size_t>> from;
  for (const ValueNode& node : graph.nodes) from.push_back(node.from);
  for (const Handover& handover : graph.handovers) from[graph.carriers[handover.carrier]].push_back(handover.value);
  const std::vector<std::size_t> component = components_of(from);

  // Every cycle passes a carrier, so that a component is one if something is handed on within it.
  std::set<std::size_t> cycles;
  for (const Handover& handover : graph.handovers) {
    if (component[handover.value] == component[graph.carriers[handover.carrier]])
      cycles.insert(component[handover.value]);
  }
  std::map<std::size_t, Recurrence> by_component;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (cycles.contains(component[n])) by_component[component[n]].nodes.push_back(n);
  for (std::size_t c = 0; c < graph.carriers.size(); ++c)
    if (const auto at = by_component.find(component[graph.carriers[c]]); at != by_component.end())
      at->second.carriers.push_back(c);
  for (const Handover& handover : graph.handovers) {
    const std::size_t of_value = component[handover.value];
    if (of_value == component[graph.carriers[handover.carrier]]) by_component[of_value].handovers.push_back(handover);
  }
  std::vector<Recurrence> recurrences;
  for (auto& [number, recurrence] : by_component) {
    const auto is_load = [&](std::size_t n) { return graph.nodes[n].load; };
    if (std::ranges::any_of(recurrence.nodes, is_load)) recurrences.push_back(std::move(recurrence));
  }
  return recurrences;
}

/// Most loads on paths within a recurrence that begin at one of the carriers, by node. It is as long as the graph and
/// made once, because a graph may have many recurrences.
class Depths {
 public:
  explicit Depths(const LoadGraph& graph) : graph_(graph), depth_(graph.nodes.size(), unreached) {}

  template <typename Use>
  void from(const std::vector<std::size_t>& carriers, const Recurrence& within, const Use& use) {
    for (const std::size_t carrier : carriers) depth_[graph_.carriers[carrier]] = 0;
    for (const std::size_t n : within.nodes) {
      if (depth_[n] == 0) continue;
      const ValueNode& node = graph_.nodes[n];
      for (const std::size_t from : node.from) depth_[n] = std::max(depth_[n], depth_[from]);
      if (depth_[n] != unreached && node.load) ++depth_[n];
    }
    use(depth_);
    for (const std::size_t n : within.nodes) depth_[n] = unreached;
  }

 private:
  const LoadGraph& graph_;
  std::vector<std::int64_t> depth_;
};

std::uint32_t longest_path(const LoadGraph& graph) {
  std::vector<std::uint32_t> depth(graph.nodes.size());
  std::uint32_t longest = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ValueNode& node = graph.nodes[n];
    for (const std::size_t from : node.from) depth[n] = std::max(depth[n], depth[from]);
    if (node.load) ++depth[n];
    longest = std::max(longest, depth[n]);
  }
  return longest;
}

LoadRate rate_of(const Recurrence& recurrence, Depths& depths) {
  LoadRate rate;
  if (recurrence.carriers.size() > most_carriers) {
    depths.from(recurrence.carriers, recurrence, [&](const std::vector<std::int64_t>& depth) {
      for (const Handover& handover : recurrence.handovers) rate = std::max(rate, LoadRate{depth[handover.value], 1});
    });
    return rate;
  }
  std::map<std::size_t, std::size_t> numbers;
  for (const std::size_t carrier : recurrence.carriers) numbers.emplace(carrier, numbers.size());
  std::vector<CarriedPath> paths;
  for (const std::size_t carrier : recurrence.carriers) {
    depths.from({carrier}, recurrence, [&](const std::vector<std::int64_t>& depth) {
      for (const Handover& handover : recurrence.handovers) {
        if (depth[handover.value] != unreached)
          paths.push_back(
              {numbers[carrier], numbers[handover.carrier], static_cast<std::uint32_t>(depth[handover.value])});
      }
    });
  }
  return slowest_cycle(recurrence.carriers.size(), paths);
}

/// Loads of the recurrence by how many come before them in an iteration; a block has those steps that none above has.
std::vector<double> shares(const LoadGraph& graph, const Recurrence& recurrence, LoadRate rate, Depths& depths) {
  std::vector<std::set<std::int64_t>> steps(graph.block_above.size());
  std::int64_t most = 1;
  depths.from(recurrence.carriers, recurrence, [&](const std::vector<std::int64_t>& depth) {
    for (const std::size_t n : recurrence.nodes) {
      if (!graph.nodes[n].load) continue;
      steps[graph.nodes[n].block].insert(depth[n]);
      most = std::max(most, depth[n]);
    }
  });
  const double weight =
      static_cast<double>(rate.loads) / static_cast<double>(rate.iterations) / static_cast<double>(most);
  std::vector<double> by_block(graph.block_above.size());
  for (std::size_t block = 0; block < steps.size(); ++block) {
    for (const std::int64_t step : steps[block]) {
      bool taken = false;
      for (std::size_t above = graph.block_above[block]; above != no_block && !taken; above = graph.block_above[above])
        taken = steps[above].contains(step);
      if (!taken) by_block[block] += weight;
    }
  }
  return by_block;
}

}  // namespace

LoadChains load_chains(const LoadGraph& graph) {
  LoadChains chains;
  chains.carried_by_block.resize(graph.block_above.size());
  chains.longest = longest_path(graph);
  const std::vector<Recurrence> recurrences = recurrences_of(graph);
  Depths depths(graph);
  const Recurrence* slowest = nullptr;
  for (const Recurrence& recurrence : recurrences) {
    const LoadRate rate = rate_of(recurrence, depths);
    if (!(chains.carried < rate)) continue;
    chains.carried = rate;
    slowest = &recurrence;
  }
  if (slowest != nullptr) chains.carried_by_block = shares(graph, *slowest, chains.carried, depths);
  return chains;
}

}  // namespace cachescape::pass
