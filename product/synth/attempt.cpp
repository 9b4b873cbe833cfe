#include "product/synth/attempt.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "product/synth/achieved.hpp"
#include "product/synth/aim.hpp"

namespace cachescape::synth {
namespace {

/// Bins with less than this share of the references do not decide how much memory a seed needs.
constexpr double significant = 0.0002;
constexpr std::uint64_t most_repeats = 1024;
/// Narrower lines than caches have: to serve them as well would cost time, and the others.
constexpr LineSize least_line{5};
/// Without a word twice, lines of 32 bytes would be found again far too seldom whatever one does.
constexpr LineSize least_unique_line{6};

signature::HitRates hit_rates_of(const BinShares& shares) {
  signature::HitRates rates{};
  double sum = 0;
  for (std::size_t b = 0; b < signature_depths; ++b) rates[b] = sum += shares[b];
  return rates;
}

LineSize line_of_width(std::size_t width) { return LineSize{static_cast<unsigned>(width) + 2}; }

Fit compare(const Aim& aim, const Achieved& achieved, std::uint64_t repeats) {
  Fit fit;
  double sum = 0;
  for (std::size_t width = std::min(aim.least_line, whole); width <= whole; ++width) {
    if (width < whole && !aim.lines[width]) continue;
    Fit::Width w;
    w.line = line_of_width(width);
    w.target = hit_rates_of(width == whole ? aim.blocks : *aim.lines[width]);
    w.achieved = hit_rates_of(achieved.shares(width, repeats));
    for (std::size_t d = 0; d < signature_depths; ++d) {
      const double error = std::abs(w.target[d] - w.achieved[d]);
      sum += error;
      fit.max_error = std::max(fit.max_error, error);
    }
    fit.widths.push_back(w);
  }
  fit.mean_error = sum / static_cast<double>(fit.widths.size() * signature_depths);
  return fit;
}

/// Enough references for a working set as large as the farthest distances that matter, once everything farther than the
/// trace reaches is made of new blocks.
std::uint64_t length_for(const Aim& aim, const SynthesisOptions& options) {
  if (options.length > 0) return options.length;
  double fresh = aim.blocks[cold_bin];
  for (std::size_t b = signature_depths; b-- > 1;) {
    fresh += aim.blocks[b];
    if (aim.blocks[b] < significant) continue;
    const std::uint64_t end = std::uint64_t{1} << b;
    // Distances lie somewhere between half of it and all; where there are not so many blocks, they are the farthest.
    const auto blocks = static_cast<double>(
        aim.different_blocks > end / 2 && aim.different_blocks < end ? aim.different_blocks : end - end / 4);
    const double length = std::min(blocks / fresh, static_cast<double>(options.most_length));
    return std::max(static_cast<std::uint64_t>(length), options.least_length);
  }
  return options.least_length;
}

/// Aims as far beyond as was missed before.
void correct(BinShares& aim, const BinShares& target, const BinShares& achieved) {
  double sum = 0;
  for (std::size_t b = 0; b < signature_bins; ++b) sum += aim[b] = std::max(0.0, aim[b] + target[b] - achieved[b]);
  for (double& share : aim) share /= sum;
}

class Attempts {
 public:
  Attempts(const signature::Signature& signature, const SynthesisOptions& options)
      : target_(aim_of(signature, options.unique ? least_unique_line : least_line)), options_(options) {}

  /// With `loop_blocks` as GeneratorOptions has it, aims corrected as often as it helps.
  void make(std::uint32_t loop_blocks, unsigned rounds) {
    Aim aim = target_;
    double before = 2;
    for (unsigned round = 0; round < rounds; ++round) {
      ++made_;
      Attempt attempt = generate(aim, loop_blocks);
      const Achieved achieved = measure(attempt.references, std::min(target_.least_line, whole));
      attempt.blocks = achieved.blocks;
      judge(attempt, achieved, loop_blocks > 0);
      const double error = attempt.fit.mean_error;
      correct(aim, achieved, attempt.repeats);
      if (best_.references.empty() || error < best_.fit.mean_error) {
        best_ = std::move(attempt);
        best_loop_ = loop_blocks;
      }
      if (error <= options_.tolerance || error > 0.9 * before) break;
      before = error;
    }
  }

  std::uint32_t best_loop() const { return best_loop_; }
  double error() const { return best_.fit.mean_error; }
  Attempt take() {
    best_.fit.attempts = made_;
    return std::move(best_);
  }
  const Aim& target() const { return target_; }

 private:
  Attempt generate(const Aim& aim, std::uint32_t loop_blocks) const {
    GeneratorOptions generator;
    generator.length = length_for(target_, options_);
    const std::uint64_t words = std::uint64_t{128} >> target_.least_half;
    if (loop_blocks > 0) generator.length = std::min(generator.length, loop_blocks * words);
    generator.random_seed = options_.random_seed;
    generator.unique = options_.unique;
    generator.loop_blocks = loop_blocks;
    if (options_.progress) {
      generator.progress = [this](double done) { options_.progress(fmt::format("attempt {}", made_), done); };
    }
    Attempt attempt;
    attempt.references = Generator(aim, generator).generate();
    return attempt;
  }

  void judge(Attempt& attempt, const Achieved& achieved, bool loop) const {
    if (loop || options_.unique) {
      attempt.repeats = loop ? 0 : 1;
      attempt.fit = compare(target_, achieved, attempt.repeats);
      return;
    }
    attempt.fit.mean_error = 2;
    for (std::uint64_t repeats = 1; repeats <= most_repeats; repeats = std::max(repeats + 1, repeats * 5 / 4)) {
      Fit fit = compare(target_, achieved, repeats);
      if (fit.mean_error >= attempt.fit.mean_error) continue;
      attempt.fit = std::move(fit);
      attempt.repeats = repeats;
    }
  }

  void correct(Aim& aim, const Achieved& achieved, std::uint64_t repeats) const {
    synth::correct(aim.blocks, target_.blocks, achieved.shares(whole, repeats));
    for (std::size_t h = target_.least_line; h < signature_halves; ++h) {
      if (target_.lines[h]) synth::correct(*aim.lines[h], *target_.lines[h], achieved.shares(h, repeats));
    }
  }

  Aim target_;
  const SynthesisOptions& options_;
  unsigned made_ = 0;
  Attempt best_;
  std::uint32_t best_loop_ = 0;
};

}  // namespace

Attempt best_attempt(const signature::Signature& signature, const SynthesisOptions& options) {
  Attempts attempts(signature, options);
  if (!options.unique) {
    attempts.make(0, options.rounds);
    return attempts.take();
  }
  // A loop over little memory finds again what it has no words left for in the first round. How much memory is best
  // cannot be told beforehand.
  attempts.make(0, 1);
  for (std::uint32_t blocks = 256; blocks <= 1u << 15; blocks *= 2) attempts.make(blocks, 1);
  if (attempts.error() > options.tolerance) attempts.make(attempts.best_loop(), options.rounds);
  return attempts.take();
}

}  // namespace cachescape::synth
