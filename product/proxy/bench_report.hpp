// What `cachescape bench` says of one seed.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "product/proxy/measure.hpp"

namespace cachescape::proxy {

inline constexpr int bench_schema_version = 1;

struct BenchResult {
  std::string name;  ///< of the seed
  std::uint64_t working_set = 0;
  std::uint64_t writes = 0;           ///< references of the seed that write, and are read here
  std::uint64_t threads = 1;          ///< of the seed, which are one here
  bool chains_chosen = false;         ///< by the parallelism of the seed's targets
  std::optional<double> parallelism;  ///< of these; none where it is not known
  Measurement measurement;
};

/// What is known of a seed before it is measured.
BenchResult about_seed(const std::string& name, const synth::Seed& seed);

std::string bench_text(const BenchResult& result);
/// Schema "cachescape.bench".
nlohmann::ordered_json bench_json(const BenchResult& result);

/// "operations_per_second": median, best, worst and quartiles.
nlohmann::ordered_json rate_json(const Spread& rate);

}  // namespace cachescape::proxy
