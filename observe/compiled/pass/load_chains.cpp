#include "observe/compiled/pass/load_chains.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace cachescape::pass {
namespace {

constexpr std::int64_t unreached = -1;

/// Most loads on paths that begin at one of the nodes that are 0 in `depth` and pass through `within`, at each node.
template <typename Within>
std::vector<std::int64_t> depths(const LoadGraph& graph, std::vector<std::int64_t> depth, const Within& within) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ValueNode& node = graph.nodes[n];
    if (depth[n] != unreached || !within(n)) continue;
    for (const std::size_t from : node.from) depth[n] = std::max(depth[n], depth[from]);
    if (depth[n] != unreached && node.load) ++depth[n];
  }
  return depth;
}

std::vector<std::int64_t> depths_from(const LoadGraph& graph, std::size_t carrier) {
  std::vector<std::int64_t> depth(graph.nodes.size(), unreached);
  depth[graph.carriers[carrier]] = 0;
  return depths(graph, std::move(depth), [](std::size_t) { return true; });
}

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

/// Nodes from which a value that is handed to one of the carriers is computed.
std::vector<bool> leading_to(const LoadGraph& graph, const std::vector<bool>& carriers) {
  std::vector<bool> leads(graph.nodes.size());
  for (const Handover& handover : graph.handovers)
    if (carriers[handover.carrier]) leads[handover.value] = true;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    if (!leads[n]) continue;
    for (const std::size_t from : graph.nodes[n].from) leads[from] = true;
  }
  return leads;
}

/// Loads of the recurrence by how many come before them in an iteration; a block has those steps that none above has.
std::vector<double> shares(const LoadGraph& graph, const Recurrence& recurrence) {
  std::vector<bool> members(graph.carriers.size());
  std::vector<std::int64_t> depth(graph.nodes.size(), unreached);
  for (const std::size_t carrier : recurrence.carriers) {
    members[carrier] = true;
    depth[graph.carriers[carrier]] = 0;
  }
  const std::vector<bool> leads = leading_to(graph, members);
  depth = depths(graph, std::move(depth), [&](std::size_t n) { return leads[n]; });

  std::vector<std::set<std::int64_t>> steps(graph.block_above.size());
  std::int64_t most = 1;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!graph.nodes[n].load || !leads[n] || depth[n] == unreached) continue;
    steps[graph.nodes[n].block].insert(depth[n]);
    most = std::max(most, depth[n]);
  }
  const double weight = static_cast<double>(recurrence.rate.loads) / static_cast<double>(recurrence.rate.iterations) /
                        static_cast<double>(most);
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
  if (chains.longest == 0) return chains;
  std::vector<CarriedPath> paths;
  for (std::size_t from = 0; from < graph.carriers.size(); ++from) {
    const std::vector<std::int64_t> depth = depths_from(graph, from);
    for (const Handover& handover : graph.handovers) {
      if (depth[handover.value] != unreached)
        paths.push_back({from, handover.carrier, static_cast<std::uint32_t>(depth[handover.value])});
    }
  }
  const Recurrence slowest = slowest_recurrence(graph.carriers.size(), paths);
  chains.carried = slowest.rate;
  if (slowest.rate.loads > 0) chains.carried_by_block = shares(graph, slowest);
  return chains;
}

}  // namespace cachescape::pass
