// From signatures to a seed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "cachescape/line.hpp"
#include "cachescape/result.hpp"
#include "product/signature/signature.hpp"
#include "product/synth/seed.hpp"

namespace cachescape::synth {

struct SynthesisOptions {
  /// References of each phase; 0 = as many as its working set needs, between these.
  std::uint64_t length = 0;
  std::uint64_t least_length = 200'000;
  std::uint64_t most_length = 12'000'000;
  /// No word is referenced twice.
  bool unique = false;
  std::uint64_t random_seed = 1;
  /// Attempts to correct the aim by what was achieved, while the error is larger.
  unsigned rounds = 5;
  double tolerance = 0.005;
  /// Told now and then: what is going on, and what share of it is done.
  std::function<void(std::string_view stage, double done)> progress{};
};

/// How a phase of a seed compares with its signature.
struct Fit {
  struct Width {
    LineSize line{9};
    signature::HitRates target{};
    signature::HitRates achieved{};
  };
  std::vector<Width> widths;  ///< ascending; those that the signature knows
  double mean_error = 0;      ///< absolute, over all hit rates
  double max_error = 0;
  unsigned attempts = 0;
};

struct Synthesis {
  Seed seed;
  std::vector<Fit> fits;  ///< one for each phase
};

/// The same signatures and options make the same seed. Errors: no signature, words of different sizes, lengths out of
/// range. Some 1 µs per reference of a round, of which there are at most 2 million, and attempt.
Result<Synthesis> synthesize(std::span<const signature::Signature> signatures, const SynthesisOptions& options);

}  // namespace cachescape::synth
