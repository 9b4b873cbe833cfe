#include "product/proxy/chosen_chains.hpp"

#include <algorithm>
#include <cmath>

#include "product/proxy/chase.hpp"

namespace cachescape::proxy {

std::optional<double> parallelism_of(const synth::Seed& seed) {
  double sum = 0;
  double weight = 0;
  for (const synth::SeedPhase& phase : seed.phases) {
    if (!phase.target.detail || !(phase.target.detail->parallelism > 0)) continue;
    sum += static_cast<double>(phase.length) * phase.target.detail->parallelism;
    weight += static_cast<double>(phase.length);
  }
  if (weight == 0) return std::nullopt;
  return sum / weight;
}

unsigned chosen_chains(const std::optional<double>& parallelism) {
  return static_cast<unsigned>(std::lround(std::clamp(parallelism.value_or(1), 1.0, double{chains_in_registers})));
}

}  // namespace cachescape::proxy
