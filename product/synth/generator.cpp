#include "product/synth/generator.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace cachescape::synth {
namespace {

/// Blocks that are drawn for each reference; more bring little and cost time. Where words run short, fewer serve.
constexpr int usual_draws = 3;
constexpr int unique_draws = 6;
/// Bins are drawn as if such a share of all references lay ahead: a smaller one makes a trace more regular than
/// programs are, a larger one leaves more to chance.
constexpr double horizon = 0.03;
/// What the halves of a signature count against the accounts of lines, in references.
constexpr double weight_of_halves = 0.2;
/// Blocks this near are found by walking.
constexpr std::uint64_t near = 8;
/// References between two looks at what is in want: for every so many that there will be one more, up to a limit.
constexpr std::uint64_t short_trace = 20'000;
constexpr std::uint64_t most_apart = 16;
constexpr std::size_t told_every = std::size_t{1} << 16;

/// Whether so many lines fill the greater part of a bin. Those at its very beginning would be a poor choice for
/// distances all over it.
constexpr bool reaches(std::uint64_t lines, const Bins& bins, std::size_t bin) {
  return lines >= bins.end(bin) - (bins.end(bin) - bins.begin(bin)) / 2;
}

/// The number of a part among all parts of its size in all blocks.
std::uint32_t line_of(std::uint32_t block, Part part, unsigned log2_parts) {
  return (block << log2_parts) + (part - (1u << log2_parts));
}

}  // namespace

Generator::Generator(const Aim& aim, const GeneratorOptions& options)
    : aim_(aim),
      options_(options),
      random_(options.random_seed),
      placer_(options.steps, options.expected_blocks),
      blocks_(aim.blocks) {
  for (std::size_t h = aim.least_line; h < signature_halves; ++h) {
    if (!aim.lines[h]) continue;
    lines_[h] = Account(*aim.lines[h]);
    if (aim.sets[h].empty()) continue;
    sets_[h].emplace(aim.sets[h]);
    with_sets_ = true;
  }
}

void Generator::weigh(Account& account, std::uint64_t loop_lines) const {
  const Bins& bins = account.bins();
  if (loop_lines > 0) {
    account.fresh = bins.of(loop_lines - 1);
    if (account.fresh == bins.far()) account.fresh = bins.cold();
    return;
  }
  while (account.reached < bins.depths() && reaches(account.lines.lines(), bins, account.reached)) ++account.reached;
  account.fresh = bins.cold();
  for (std::size_t b = account.reached; b < bins.depths(); ++b) {
    if (account.want(b, all_) > account.want(account.fresh, all_)) account.fresh = b;
  }
}

void Generator::weigh_chances() {
  const double ahead = static_cast<double>(made_) + horizon * static_cast<double>(options_.length);
  sum_of_chances_ = 0;
  for (std::size_t b = 0; b < blocks_.bins().count(); ++b) {
    sum_of_chances_ += chances_[b] = std::max(0.0, blocks_.share[b] * ahead - blocks_.made[b]);
  }
}

void Generator::weigh() {
  all_ = static_cast<double>(made_ + 1);
  // What changes little from one reference to the next is looked at now and then.
  if (made_ % std::clamp<std::uint64_t>(options_.length / short_trace, 1, most_apart) == 0) {
    weigh(blocks_, options_.loop_blocks);
    for (std::size_t h = aim_.least_line; h < signature_halves; ++h) {
      if (aim_.lines[h]) weigh(lines_[h], std::uint64_t{options_.loop_blocks} << log2_lines(h));
    }
    weigh_chances();
  }
  for (std::size_t h = aim_.least_line; with_sets_ && h < signature_halves; ++h) {
    if (!sets_[h]) continue;
    const Account& account = lines_[h];
    const bool far = account.fresh >= account.bins().far();
    sets_[h]->weigh(made_ + 1, far ? std::numeric_limits<std::uint64_t>::max() : account.bins().end(account.fresh) - 1);
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
      double worth = 0;
      if (known) {
        const std::uint32_t line = line_of(block, part, level);
        const std::size_t bin = lines_[half].lines.bin(line);
        worth = lines_[half].want(bin, all_);
        if (sets_[half])
          worth += bin == lines_[half].bins().cold() ? sets_[half]->worth_of_new() : sets_[half]->worth(line);
      }
      if (!narrowest) worth += std::max(worths[2 * part], worths[2 * part + 1]);
      worths[part] = has_word(block, part) ? worth : std::numeric_limits<double>::lowest() / 64;
    }
  }
  worths[whole_block] = std::max(worths[2], worths[3]);
}

double Generator::value_of_new() const {
  double value = 0;
  for (std::size_t h = aim_.least_line; h < signature_halves; ++h) {
    if (aim_.lines[h]) value += lines_[h].want(lines_[h].bins().cold(), all_);
    if (sets_[h]) value += sets_[h]->worth_of_new();
  }
  return value;
}

bool Generator::conflicts_wanted() const {
  double wanted = 0;
  for (const auto& sets : sets_) wanted += sets ? sets->worth_of_miss() : 0;
  return wanted > 0;
}

Generator::Candidate Generator::draw() {
  const Bins& bins = blocks_.bins();
  double at = random_.share() * sum_of_chances_;
  std::size_t bin = 0;
  while (bin < bins.cold() && at >= chances_[bin]) at -= chances_[bin++];
  if (bin >= bins.far() || !reaches(recency_.blocks(), bins, bin)) {
    return {{}, options_.loop_blocks > 0 ? blocks_.fresh : bin, {}};
  }
  const std::uint64_t end = std::min(bins.end(bin), recency_.blocks());
  const std::uint64_t depth = bins.begin(bin) + random_.below(end - bins.begin(bin));
  const std::uint32_t block = depth < near ? blocks_.lines.at(depth) : recency_.at(depth);
  if (!has_word(block, whole_block)) return {{}, blocks_.fresh, {}};
  return {block, bin, {}};
}

std::optional<Generator::Candidate> Generator::choose_block() {
  std::optional<Candidate> best;
  double highest = 0;
  const int draws = options_.unique ? unique_draws : usual_draws;
  const bool may_be_new = options_.loop_blocks == 0 || recency_.blocks() < options_.loop_blocks;
  for (int tries = 0; tries < draws || (!best && tries < 64 * draws); ++tries) {
    Candidate candidate = draw();
    if (!candidate.block && !may_be_new) continue;
    double value = blocks_.want(candidate.booked, all_);
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
    placer_.place(blocks_.lines, conflicts_wanted(), random_);
    trees_.emplace_back();
    visits_.push_back(0);
    for (std::size_t h = aim_.least_line; h < signature_halves; ++h) {
      if (sets_[h]) sets_[h]->reserve(line_of(block, (2u << log2_lines(h)) - 1, log2_lines(h)));
    }
    if (options_.unique) used_.emplace_back();
  }
  const std::size_t bin = blocks_.bins().octave(blocks_.lines.touch(block));
  recency_.touch(block);
  visits_[block] += bin > 0 ? 1 : 0;
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
    const std::uint32_t line = line_of(block, part, log2_lines(half));
    const std::size_t was = account.lines.touch(line);
    ++account.made[was >= account.bins().far() ? account.fresh : was];
    if (sets_[half]) {
      const auto word = static_cast<std::uint8_t>((part - (1u << log2_lines(half))) << half);
      sets_[half]->touch(line, placer_.placement().word(block, word) >> half, was == account.bins().cold());
    }
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
  placer_.gather(visits_);
  return references;
}

}  // namespace cachescape::synth
