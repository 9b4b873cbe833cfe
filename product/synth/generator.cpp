#include "product/synth/generator.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace cachescape::synth {
namespace {

/// Blocks that are drawn for each reference; more bring little and cost time.
constexpr int draws = 3;
/// Bins are drawn as if such a share of all references lay ahead: a smaller one makes a trace more regular than
/// programs are, a larger one leaves more to chance.
constexpr double horizon = 0.01;
/// What the halves of a signature count against the accounts of lines, in references.
constexpr double weight_of_halves = 0.2;
/// Blocks this near are found by walking.
constexpr std::uint64_t near = 8;
constexpr std::size_t told_every = std::size_t{1} << 16;

constexpr std::uint64_t bin_begin(std::size_t bin) { return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1); }
constexpr std::uint64_t bin_end(std::size_t bin) { return std::uint64_t{1} << bin; }
/// Whether so many lines fill the greater part of a bin. Those at its very beginning would be a poor choice for
/// distances all over it.
constexpr bool reaches(std::uint64_t lines, std::size_t bin) { return lines >= bin_end(bin) - bin_end(bin) / 4; }

/// Lines as wide as a half, in a block.
constexpr unsigned log2_lines(std::size_t half) { return static_cast<unsigned>(signature_halves - half); }

/// The number of a part among all parts of its size in all blocks.
std::uint32_t line_of(std::uint32_t block, Part part, unsigned log2_parts) {
  return (block << log2_parts) + (part - (1u << log2_parts));
}

}  // namespace

Generator::Generator(const Aim& aim, const GeneratorOptions& options)
    : aim_(aim), options_(options), random_(options.random_seed) {
  blocks_.share = aim.blocks;
  for (std::size_t h = aim.least_line; h < signature_halves; ++h) {
    if (aim.lines[h]) lines_[h].share = *aim.lines[h];
  }
}

void Generator::weigh(Account& account, std::uint64_t loop_lines) {
  const auto all = static_cast<double>(made_ + 1);
  for (std::size_t b = 0; b < signature_bins; ++b) account.want[b] = account.share[b] * all - account.made[b];
  if (loop_lines > 0) {
    account.fresh = signature_bin(loop_lines - 1);
  } else {
    account.fresh = cold_bin;
    for (std::size_t b = 1; b < signature_depths; ++b) {
      if (!reaches(account.lines.lines(), b) && account.want[b] > account.want[account.fresh]) account.fresh = b;
    }
  }
  account.want[cold_bin] = account.want[far_bin] = account.want[account.fresh];
}

void Generator::weigh() {
  weigh(blocks_, options_.loop_blocks);
  for (std::size_t h = aim_.least_line; h < signature_halves; ++h) {
    if (aim_.lines[h]) weigh(lines_[h], std::uint64_t{options_.loop_blocks} << log2_lines(h));
  }
}

bool Generator::has_word(std::uint32_t block, Part part) const {
  if (!options_.unique) return true;
  const unsigned level = static_cast<unsigned>(std::bit_width(part)) - 1;
  const unsigned words = 128u >> level;
  const unsigned from = (part - (1u << level)) * words;
  const std::uint64_t used = used_[block][from / 64] >> from % 64;
  if (words == 128) return (used_[block][0] & used_[block][1]) != ~std::uint64_t{0};
  const std::uint64_t all = words == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << words) - 1;
  return (used & all) != all;
}

void Generator::judge(std::uint32_t block, Worths& worths) const {
  for (std::size_t half = aim_.least_line; half < signature_halves; ++half) {
    const unsigned level = log2_lines(half);
    const bool known = aim_.lines[half].has_value();
    const bool narrowest = half == aim_.least_line;
    for (Part part = 1u << level; part < 2u << level; ++part) {
      double worth = known ? lines_[half].want[lines_[half].lines.bin(line_of(block, part, level))] : 0;
      if (!narrowest) worth += std::max(worths[2 * part], worths[2 * part + 1]);
      worths[part] = has_word(block, part) ? worth : std::numeric_limits<double>::lowest() / 64;
    }
  }
  worths[whole_block] = std::max(worths[2], worths[3]);
}

double Generator::value_of_new() const {
  double value = 0;
  for (std::size_t h = aim_.least_line; h < signature_halves; ++h) {
    if (aim_.lines[h]) value += lines_[h].want[cold_bin];
  }
  return value;
}

Generator::Candidate Generator::draw() {
  BinShares chances;
  double sum = 0;
  for (std::size_t b = 0; b < signature_bins; ++b) {
    const double missing =
        blocks_.share[b] * (static_cast<double>(made_) + horizon * static_cast<double>(options_.length)) -
        blocks_.made[b];
    sum += chances[b] = std::max(0.0, missing);
  }
  double at = random_.share() * sum;
  std::size_t bin = 0;
  while (bin < cold_bin && at >= chances[bin]) at -= chances[bin++];
  if (bin >= far_bin || !reaches(recency_.blocks(), bin)) {
    return {{}, options_.loop_blocks > 0 ? blocks_.fresh : std::min(bin, cold_bin), {}};
  }
  const std::uint64_t end = std::min(bin_end(bin), recency_.blocks());
  const std::uint64_t depth = bin_begin(bin) + random_.below(end - bin_begin(bin));
  const std::uint32_t block = depth < near ? blocks_.lines.at(depth) : recency_.at(depth);
  if (!has_word(block, whole_block)) return {{}, blocks_.fresh, {}};
  return {block, bin, {}};
}

std::optional<Generator::Candidate> Generator::choose_block() {
  std::optional<Candidate> best;
  double highest = 0;
  const bool may_be_new = options_.loop_blocks == 0 || recency_.blocks() < options_.loop_blocks;
  for (int tries = 0; tries < draws || (!best && tries < 64 * draws); ++tries) {
    Candidate candidate = draw();
    if (!candidate.block && !may_be_new) continue;
    double value = blocks_.want[candidate.booked];
    if (!candidate.block) {
      value += value_of_new();
    } else if (aim_.least_line < signature_halves) {
      judge(*candidate.block, candidate.worths);
      value += candidate.worths[whole_block];
    }
    if (best && value <= highest) continue;
    best = candidate;
    highest = value;
  }
  return best;
}

double Generator::preference(const BlockTree& tree, Part part, std::size_t half, std::size_t bin) const {
  const bool last = tree.upper.has(part);
  const double sign = last ? 1 : -1;
  const double missing = aim_.same[half][bin] * (again_[half][bin] + 1) - same_[half][bin] - 0.5;
  double stay = missing;
  if (half > aim_.least_half && aim_.first[half - 1][bin]) {
    // The other half may be one that was never touched: so many of those are due as well.
    const double due = *aim_.first[half - 1][bin] * references_[bin] - first_[half - 1][bin];
    const bool other_is_new = !tree.touched.has(2 * part + (last ? 0 : 1));
    stay += other_is_new ? -due : std::max(0.0, due);
  }
  return sign * stay;
}

bool Generator::upper_half(std::uint32_t block, Part part, std::size_t half, std::size_t bin,
                           const Worths& worths) const {
  if (!has_word(block, 2 * part)) return true;
  if (!has_word(block, 2 * part + 1)) return false;
  const BlockTree& tree = trees_[block];
  const bool known = half >= aim_.least_line;
  double upper = known ? worths[2 * part + 1] - worths[2 * part] : 0;
  if (tree.touched.has(part)) upper += (known ? weight_of_halves : 1) * preference(tree, part, half, bin);
  return upper > 0;
}

Reference Generator::refer(const Candidate& candidate) {
  const bool fresh = !candidate.block;
  const std::uint32_t block = fresh ? static_cast<std::uint32_t>(recency_.blocks()) : *candidate.block;
  if (fresh) {
    trees_.emplace_back();
    if (options_.unique) used_.emplace_back();
  }
  const std::size_t bin = blocks_.lines.touch(block);
  recency_.touch(block);
  ++blocks_.made[candidate.booked];
  ++references_[bin];

  BlockTree& tree = trees_[block];
  Part part = whole_block;
  for (std::size_t half = signature_halves; half-- > aim_.least_half;) {
    const bool upper = upper_half(block, part, half, bin, candidate.worths);
    if (tree.touched.has(part)) {
      ++again_[half][bin];
      same_[half][bin] += tree.upper.has(part) == upper ? 1 : 0;
    } else {
      ++first_[half][bin];
    }
    tree.touched.set(part, true);
    tree.upper.set(part, upper);
    part = 2 * part + (upper ? 1 : 0);
    if (half < aim_.least_line || !aim_.lines[half]) continue;
    Account& account = lines_[half];
    const std::size_t was = account.lines.touch(line_of(block, part, log2_lines(half)));
    ++account.made[was >= far_bin ? account.fresh : was];
  }
  const unsigned levels = static_cast<unsigned>(signature_halves - aim_.least_half);
  const auto word = static_cast<std::uint8_t>((part - (1u << levels)) << aim_.least_half);
  if (options_.unique) {
    const std::uint64_t bits = (std::uint64_t{1} << (1u << aim_.least_half)) - 1;
    used_[block][word / 64] |= bits << word % 64;
  }
  ++made_;
  return {block, word, static_cast<std::uint8_t>(bin)};
}

std::vector<Reference> Generator::generate() {
  std::vector<Reference> references;
  references.reserve(options_.length);
  while (references.size() < options_.length) {
    if (options_.progress && references.size() % told_every == 0) {
      options_.progress(static_cast<double>(references.size()) / static_cast<double>(options_.length));
    }
    weigh();
    const auto candidate = choose_block();
    if (!candidate) break;
    references.push_back(refer(*candidate));
  }
  return references;
}

}  // namespace cachescape::synth
