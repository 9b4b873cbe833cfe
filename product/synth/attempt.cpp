#include "product/synth/attempt.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "product/synth/achieved.hpp"
#include "product/synth/aim.hpp"
#include "product/synth/rounds.hpp"

namespace cachescape::synth {
namespace {

/// Bins with less than this share of the references do not decide how much memory a seed needs.
constexpr double significant = 0.0002;
/// Nor do those with less than this share of what is farther than this.
constexpr double significant_of_far = 0.05;
constexpr std::uint64_t least_far = 1024;
/// References of a round, where one is not enough.
constexpr std::uint64_t most_round = 2'000'000;
constexpr std::uint64_t most_repeats = 1024;
/// Blocks of the shortest loop, which does not fit into first-level caches, and of the longest.
constexpr std::uint32_t shortest_loop = 128;
constexpr std::uint32_t longest_loop = 1u << 15;
/// So many loops in a row that are worse than a shorter one: longer ones will be as well.
constexpr unsigned most_worse = 4;
/// Loops that are not only tried once.
constexpr std::size_t loops_corrected = 2;
/// Narrower lines than caches have: to serve them as well would cost time, and the others.
constexpr LineSize least_line{5};
/// Without a word twice, lines of 32 bytes would be found again far too seldom whatever one does.
constexpr LineSize least_unique_line{6};

signature::HitRates hit_rates_of(const BinShares& shares, const Bins& bins) {
  signature::HitRates rates{};
  double sum = 0;
  for (std::size_t b = 0; b < bins.depths(); ++b) rates[bins.octave(b)] = sum += shares[b];
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
    const DistanceShares& wanted = width == whole ? aim.blocks : *aim.lines[width];
    w.target = hit_rates_of(wanted.shares, *wanted.bins);
    w.achieved = hit_rates_of(achieved.shares(width, repeats), *wanted.bins);
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

/// How many references it takes until there are so many blocks, where everything farther away than these is new.
double references_until(double blocks, const DistanceShares& aim) {
  const Bins& bins = *aim.bins;
  double references = 0;
  double found = 0;
  for (std::size_t b = 0; b < bins.depths() && static_cast<double>(bins.begin(b)) < blocks; ++b) {
    // A bin is found again once half of it is there.
    for (const double half : {0.0, 0.5}) {
      const auto width = static_cast<double>(bins.end(b) - bins.begin(b)) / 2;
      const double begin = static_cast<double>(bins.begin(b)) + 2 * half * width;
      if (half > 0) found += aim.shares[b];
      references += std::clamp(blocks - begin, 0.0, width) / std::max(1 - found, 1e-9);
    }
  }
  return references;
}

/// References until there are as many lines as the farthest distances that matter, so wide that there are `most` of
/// them; 0 where none matters.
double references_for(const DistanceShares& aim, std::uint64_t most) {
  const Bins& bins = *aim.bins;
  double far = 0;
  for (std::size_t b = bins.of(least_far); b < bins.depths(); ++b) far += aim.shares[b];
  const double matters = std::max(significant, far * significant_of_far);
  double sum = 0;
  for (std::size_t b = bins.depths(); b-- > 1;) {
    sum += aim.shares[b];
    if (sum < matters) continue;
    const std::uint64_t begin = bins.begin(b);
    const std::uint64_t end = bins.end(b);
    // Distances lie somewhere between its ends; where there are not so many lines, they are the farthest.
    const std::uint64_t lines = most > begin && most < end ? most : end - (end - begin) / 2;
    return references_until(static_cast<double>(lines), aim);
  }
  return 0;
}

/// Enough references for a working set as large as the farthest distances that matter, once everything farther than the
/// trace reaches is made of new lines.
std::uint64_t length_for(const Aim& aim, const SynthesisOptions& options) {
  if (options.length > 0) return options.length;
  double length = 0;
  for (std::size_t width = std::min(aim.least_line, whole); width <= whole; ++width) {
    if (width < whole && (options.unique || !aim.lines[width] || line_of_width(width) < LineSize{6})) continue;
    length = std::max(length, references_for(width == whole ? aim.blocks : *aim.lines[width],
                                             aim.different_blocks << (whole - width)));
  }
  const std::uint64_t most = options.unique ? std::min(most_round, options.most_length) : options.most_length;
  return std::clamp(static_cast<std::uint64_t>(length), std::min(options.least_length, most), most);
}

/// A longer trace is made of rounds of equal length.
std::uint64_t round_length_for(std::uint64_t length) {
  const std::uint64_t rounds = (length + most_round - 1) / most_round;
  return (length + rounds - 1) / rounds;
}

/// Aims as far beyond as was missed before.
void correct(DistanceShares& aim, const DistanceShares& target, const BinShares& achieved) {
  double sum = 0;
  for (std::size_t b = 0; b < aim.bins->count(); ++b) {
    sum += aim.shares[b] = std::max(0.0, aim.shares[b] + target.shares[b] - achieved[b]);
  }
  for (double& share : aim.shares) share /= sum;
}

/// Where words run short there is no choice left for the sake of sets, and a loop is as long as it is.
signature::Signature without_fine_points(signature::Signature signature) {
  if (!signature.detail) return signature;
  signature.detail->between.reset();
  for (signature::Width& width : signature.detail->widths) width.between.reset();
  signature.detail->sets.clear();
  return signature;
}

/// What lines of so many words can come to where no word is referenced twice: one reference of each is its first, which
/// is new or, in a loop over so many lines (0 = none), as far away as that is long.
void bound(DistanceShares& aim, std::uint64_t words, std::uint64_t loop_lines) {
  const Bins& bins = *aim.bins;
  std::size_t fresh = loop_lines > 0 ? bins.of(loop_lines - 1) : bins.cold();
  if (fresh == bins.far()) fresh = bins.cold();
  double left = 1 - 1 / static_cast<double>(words);
  for (std::size_t b = 0; b < fresh; ++b) left -= aim.shares[b] = std::min(aim.shares[b], left);
  const double found = 1 - 1 / static_cast<double>(words) - left;
  std::fill(aim.shares.begin() + static_cast<std::ptrdiff_t>(fresh), aim.shares.end(), 0.0);
  aim.shares[fresh] = 1 - found;
}

/// Wanting more than that would bring too many near ones instead.
Aim within_reach(Aim aim, std::uint32_t loop_blocks) {
  bound(aim.blocks, std::uint64_t{128} >> aim.least_half, loop_blocks);
  for (std::size_t h = aim.least_half + 1; h < signature_halves; ++h) {
    if (aim.lines[h])
      bound(*aim.lines[h], std::uint64_t{1} << (h - aim.least_half), std::uint64_t{loop_blocks} << log2_lines(h));
  }
  return aim;
}

class Attempts {
 public:
  Attempts(const signature::Signature& signature, const SynthesisOptions& options)
      : signature_(signature),
        target_(options.unique ? aim_of(without_fine_points(signature), least_unique_line)
                               : aim_of(signature, least_line)),
        length_(length_for(aim_of(signature, least_line), options)),
        options_(options) {}

  /// With `loop_blocks` as GeneratorOptions has it, aims corrected as often as it helps; the error of the first.
  double make(std::uint32_t loop_blocks, unsigned rounds) {
    const Aim reachable = options_.unique ? within_reach(target_, loop_blocks) : target_;
    Aim aim = reachable;
    double before = 2;
    double first = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      ++made_;
      Attempt attempt = generate(aim, loop_blocks);
      const Achieved achieved = lengthen(attempt, loop_blocks);
      attempt.blocks = achieved.blocks;
      judge(attempt, achieved, loop_blocks > 0);
      const double error = attempt.fit.mean_error;
      if (round == 0) first = error;
      correct(aim, reachable, achieved, attempt.repeats);
      if (best_.references.empty() || error < best_.fit.mean_error) {
        best_ = std::move(attempt);
      }
      if (error <= options_.tolerance) break;
      if (std::ranges::any_of(aim.sets, [](const auto& caches) { return !caches.empty(); })) {
        // What sets want must not cost more than this.
        aim = reachable;
        aim.sets = {};
        continue;
      }
      if (error > 0.9 * before) break;
      before = error;
    }
    return first;
  }

  double error() const { return best_.fit.mean_error; }
  Attempt take() {
    best_.fit.attempts = made_;
    return std::move(best_);
  }
  const Aim& target() const { return target_; }

 private:
  /// Rounds on more memory, where that is more than a loop.
  Achieved lengthen(Attempt& attempt, std::uint32_t loop_blocks) const {
    const std::uint64_t rounds =
        (length_ + attempt.references.size() - 1) / std::max<std::size_t>(1, attempt.references.size());
    if (options_.unique || loop_blocks > 0 || rounds < 2) return measure(attempt.references, target_);
    Random random(options_.random_seed);
    Rounds made = make_rounds(attempt.references, attempt.placement, target_, rounds, random);
    attempt.references = std::move(made.references);
    // Rounds are of equal length, which may be a few references too many.
    attempt.references.resize(std::min<std::size_t>(attempt.references.size(), length_));
    attempt.placement = std::move(made.placement);
    return made.achieved;
  }

  Attempt generate(const Aim& aim, std::uint32_t loop_blocks) const {
    GeneratorOptions generator;
    generator.length = length_;
    if (!options_.unique) generator.length = round_length_for(generator.length);
    const std::uint64_t words = std::uint64_t{128} >> target_.least_half;
    if (loop_blocks > 0) generator.length = std::min(generator.length, loop_blocks * words);
    generator.random_seed = options_.random_seed;
    generator.unique = options_.unique;
    generator.loop_blocks = loop_blocks;
    if (options_.progress) {
      generator.progress = [this](double done) { options_.progress(fmt::format("attempt {}", made_), done); };
    }
    if (signature_.detail) generator.steps = &*signature_.detail;
    if (target_.different_blocks > 0) generator.expected_blocks = target_.different_blocks;
    if (loop_blocks > 0) generator.expected_blocks = loop_blocks;
    Generator references(aim, generator);
    Attempt attempt;
    attempt.references = references.generate();
    attempt.placement = references.take_placement();
    return attempt;
  }

  void judge(Attempt& attempt, const Achieved& achieved, bool loop) const {
    if (loop || options_.unique) {
      attempt.repeats = loop ? 0 : 1;
      attempt.fit = compare(target_, achieved, attempt.repeats);
      return;
    }
    if (target_.cold > 0) {
      // As often as makes first touches as rare as they are.
      const double rounds =
          static_cast<double>(achieved.blocks) / (target_.cold * static_cast<double>(achieved.references));
      attempt.repeats = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::lround(rounds)), 1, most_repeats);
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

  static void correct(Aim& aim, const Aim& target, const Achieved& achieved, std::uint64_t repeats) {
    synth::correct(aim.blocks, target.blocks, achieved.shares(whole, repeats));
    for (std::size_t h = target.least_line; h < signature_halves; ++h) {
      if (target.lines[h]) synth::correct(*aim.lines[h], *target.lines[h], achieved.shares(h, repeats));
    }
  }

  const signature::Signature& signature_;
  Aim target_;
  std::uint64_t length_;  ///< references
  const SynthesisOptions& options_;
  unsigned made_ = 0;
  Attempt best_;
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
  std::vector<std::pair<double, std::uint32_t>> loops{{attempts.make(0, 1), 0}};
  double best = 2;
  for (std::uint32_t blocks = shortest_loop, worse = 0; blocks <= longest_loop && worse < most_worse;) {
    const double error = attempts.make(blocks, 1);
    loops.emplace_back(error, blocks);
    worse = error < best ? 0 : worse + 1;
    best = std::min(best, error);
    blocks += std::has_single_bit(blocks) ? blocks / 2 : blocks / 3;
  }
  // Nor which of the better ones corrections help most.
  std::ranges::sort(loops);
  for (const auto& [error, blocks] : std::span(loops).first(loops_corrected)) {
    if (attempts.error() > options.tolerance) attempts.make(blocks, options.rounds);
  }
  return attempts.take();
}

}  // namespace cachescape::synth
