#include "observe/compiled/pass/serial_loads.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <llvm/IR/Module.h>

#include "observe/compiled/pass/accesses.hpp"
#include "observe/compiled/pass/load_chains.hpp"
#include "observe/compiled/pass/region_graph.hpp"
#include "observe/compiled/pass/static_counts.hpp"

namespace cachescape::pass {
namespace {

using namespace llvm;

constexpr double per_load = 1000;

struct Amounts {
  double instructions = 0;
  double loads = 0;
  std::vector<double> loads_of;  ///< each block of the region
};

Amounts amounts_in(const Region& region) {
  Amounts amounts;
  for (const BasicBlock* block : region.blocks) {
    double loads = 0;
    for (const Instruction& i : *block) {
      if (!counts_as_instruction(i)) continue;
      ++amounts.instructions;
      AccessList accesses;
      append_accesses(const_cast<Instruction&>(i), block->getModule()->getDataLayout(), accesses);
      for (const StaticAccess& access : accesses) loads += access.kind != CACHESCAPE_WRITE ? 1 : 0;
    }
    amounts.loads_of.push_back(loads);
    amounts.loads += loads;
  }
  return amounts;
}

/// Of an iteration that waits for none before it: as many of them as the window holds take as long as one; one that the
/// window does not hold takes as long as its longest chain, and no less than a load for each window that it fills.
double time_in_window(double longest, const Amounts& amounts) {
  const double windows = amounts.instructions / window_instructions;
  return std::min(windows < 1 ? longest * windows : std::max(longest, windows), amounts.loads);
}

}  // namespace

SerialLoads serial_loads(const Function& function, const LoopInfo& loops, const DominatorTree& dominators) {
  SerialLoads serial;
  for (const Region& region : regions_of(function, loops)) {
    const Amounts amounts = amounts_in(region);
    if (amounts.loads == 0) continue;
    const LoadChains chains = load_chains(region_graph(function, region, dominators));
    const double carried = static_cast<double>(chains.carried.loads) / static_cast<double>(chains.carried.iterations);
    const double in_window = time_in_window(chains.longest, amounts);
    for (std::size_t b = 0; b < region.blocks.size(); ++b) {
      // By loads, so that a block never takes longer than its loads do one after the other, however seldom others run.
      const double time =
          carried >= in_window ? chains.carried_by_block[b] : in_window * amounts.loads_of[b] / amounts.loads;
      const auto thousandths = static_cast<std::uint32_t>(std::lround(per_load * time));
      if (thousandths != 0) serial[region.blocks[b]] = thousandths;
    }
  }
  return serial;
}

}  // namespace cachescape::pass
