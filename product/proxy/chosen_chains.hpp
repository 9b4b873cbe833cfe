// How many chains do a program justice.
#pragma once

#include <optional>

#include "product/synth/seed.hpp"

namespace cachescape::proxy {

/// Loads of the seed's targets that do not wait for each other: their mean, by references. None where nobody measured
/// it.
std::optional<double> parallelism_of(const synth::Seed& seed);

/// The nearest number of chains that stay in registers, so that nothing but the seed touches memory; 1 where nobody
/// knows.
unsigned chosen_chains(const std::optional<double>& parallelism);

}  // namespace cachescape::proxy
