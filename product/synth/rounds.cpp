#include "product/synth/rounds.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <span>

#include "product/synth/block_tree.hpp"
#include "product/synth/depth_bins.hpp"

namespace cachescape::synth {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
/// Blocks that are looked at for each first touch of a round: of those that had this part before, and of others.
constexpr std::size_t tries = 8;
constexpr std::size_t other_tries = 6;
/// Blocks this far from each other lie in the same sets of first-level caches: their ways are as large, or smaller.
constexpr std::uint32_t set_columns = 64;

/// The first touch of a line in a round.
struct Touch {
  std::uint32_t slot = 0;   ///< a block of the round
  std::uint8_t word = 0;    ///< turned over
  std::uint8_t widest = 0;  ///< lines of this width and of all narrower ones are touched for the first time
  std::uint32_t at = 0;     ///< the reference
};

/// What happens to the lines of one width.
struct Width {
  explicit Width(const DistanceShares& aim) : wanted(aim), lines(*aim.bins) {}

  double want(std::uint32_t line, double all) const {
    const std::size_t bin = lines.bin(line);
    const std::size_t booked = bin >= wanted.bins->far() ? fresh : bin;
    return wanted.shares[booked] * all - made[booked];
  }
  void weigh(double all) {
    const Bins& bins = *wanted.bins;
    fresh = bins.cold();
    for (std::size_t b = 1; b < bins.depths(); ++b) {
      if (lines.lines() >= bins.end(b) - (bins.end(b) - bins.begin(b)) / 2) continue;
      if (wanted.shares[b] * all - made[b] > wanted.shares[fresh] * all - made[fresh]) fresh = b;
    }
  }

  DistanceShares wanted;
  DepthBins lines;
  BinShares within{};                ///< made in each round, whatever its memory
  BinShares made{};                  ///< in all rounds so far
  std::size_t fresh = 0;             ///< the bin under which a new line is booked
  std::vector<std::uint32_t> order;  ///< lines of the round, by their last touch
};

class Maker {
 public:
  Maker(const std::vector<Reference>& round, const Placement& placement, const Aim& aim, Random& random)
      : round_(round), base_(placement), aim_(aim), random_(random) {
    for (std::size_t width = std::min(aim.least_line, whole); width <= whole; ++width) {
      if (width < whole && !aim.lines[width]) continue;
      widths_[width].emplace(width == whole ? aim.blocks : *aim.lines[width]);
      result_.achieved.bins[width] = widths_[width]->wanted.bins;
    }
    find_touches();
    lines_of_slot_.resize(placement.places.size());
    for (const Touch& touch : touches_) lines_of_slot_[touch.slot].push_back(touch);
    rows_.resize(set_columns);
    families_.resize(placement.places.size());
  }

  Rounds make(std::uint64_t count) {
    result_.references.reserve(round_.size() * count);
    for (std::uint64_t k = 0; k < count; ++k) {
      made_rounds_ = static_cast<double>(k);
      blocks_.assign(base_.places.size(), none);
      touch_round(result_.achieved.first, true);
      emit();
      chosen_.push_back(blocks_);
    }
    for (const auto& blocks : chosen_) {
      blocks_ = blocks;
      touch_round(result_.achieved.later, false);
    }
    Achieved& achieved = result_.achieved;
    achieved.references = round_.size() * count;
    achieved.blocks = result_.placement.places.size();
    for (std::size_t w = 0; w <= whole; ++w) {
      if (!widths_[w]) continue;
      for (std::size_t b = 0; b < most_bins; ++b) {
        const auto within = static_cast<std::uint64_t>(widths_[w]->within[b]) * count;
        achieved.first[w][b] += within;
        achieved.later[w][b] += within;
      }
    }
    return std::move(result_);
  }

 private:
  std::uint8_t turned(const Reference& r) const { return static_cast<std::uint8_t>(r.word ^ base_.turns[r.block]); }
  static std::uint32_t line(std::uint32_t block, std::uint8_t word, std::size_t width) {
    return (block << log2_lines(width)) + (std::uint32_t{word} >> width);
  }

  /// First touches, distances of all others, and the order in which lines are touched last.
  void find_touches() {
    std::array<std::vector<std::uint32_t>, whole + 1> first_of_wider;
    for (std::size_t w = 0; w <= whole; ++w) {
      if (!widths_[w]) continue;
      DepthBins lines(*widths_[w]->wanted.bins);
      const std::size_t cold = lines.bins().cold();
      for (std::size_t i = 0; i < round_.size(); ++i) {
        const std::uint32_t touched = line(round_[i].block, turned(round_[i]), w);
        const std::size_t bin = lines.touch(touched);
        if (bin != cold) {
          ++widths_[w]->within[bin];
          continue;
        }
        if (w == narrowest()) {
          touches_.push_back(
              {round_[i].block, turned(round_[i]), static_cast<std::uint8_t>(w), static_cast<std::uint32_t>(i)});
        } else {
          first_of_wider[w].push_back(static_cast<std::uint32_t>(i));
        }
      }
      std::vector<std::uint32_t>& order = widths_[w]->order;
      for (std::uint64_t d = 0, l = lines.lines() > 0 ? lines.at(0) : 0; d < lines.lines(); ++d) {
        order.push_back(static_cast<std::uint32_t>(l));
        if (d + 1 < lines.lines()) l = lines.older(static_cast<std::uint32_t>(l));
      }
      std::ranges::reverse(order);
    }
    // A wider line's first touch is one of a narrower line too.
    for (std::size_t w = narrowest() + 1; w <= whole; ++w) {
      std::size_t at = 0;
      for (const std::uint32_t i : first_of_wider[w]) {
        while (touches_[at].at != i) ++at;
        touches_[at].widest = static_cast<std::uint8_t>(w);
      }
    }
  }
  std::size_t narrowest() const { return std::min(aim_.least_line, whole); }

  std::uint32_t new_block(std::uint32_t slot) {
    Placement& placement = result_.placement;
    const auto block = static_cast<std::uint32_t>(placement.places.size());
    const std::uint32_t column = base_.places[slot] % set_columns;
    std::uint32_t place = base_.places[slot];
    if (block >= base_.places.size()) {
      place = base_.end / set_columns * set_columns + set_columns * (1 + rows_[column]++) + column;
    }
    placement.places.push_back(place);
    placement.turns.push_back(0);
    placement.end = std::max(placement.end, place + 1);
    taken_.push_back(false);
    return block;
  }

  /// When a round begins, no block has a part.
  void free_blocks() {
    free_.assign(set_columns, {});
    const DepthBins& blocks = widths_[whole]->lines;
    for (std::uint64_t d = 0, b = blocks.lines() > 0 ? blocks.at(0) : 0; d < blocks.lines(); ++d) {
      const auto block = static_cast<std::uint32_t>(b);
      taken_[block] = false;
      free_[result_.placement.places[block] % set_columns].push_back(block);
      if (d + 1 < blocks.lines()) b = blocks.older(block);
    }
  }

  /// Adds a candidate out of each of the bins that are most in want. Those that had the part before are as far away as
  /// a round is long, or several; nearer distances are found among the others.
  void add_others(std::uint32_t column, double all) {
    struct Stretch {
      double want;
      std::size_t begin;
      std::size_t end;
    };
    const std::vector<std::uint32_t>& blocks = free_[column];
    const Width& width = *widths_[whole];
    std::array<Stretch, most_bins> stretches;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < blocks.size();) {
      const std::size_t bin = width.lines.bin(blocks[begin]);
      std::size_t end = begin + 1;
      while (end < blocks.size() && width.lines.bin(blocks[end]) == bin) ++end;
      stretches[count++] = {width.want(blocks[begin], all), begin, end};
      begin = end;
    }
    const auto bins = std::span(stretches).first(count);
    const std::size_t most = std::min(count, other_tries);
    std::ranges::partial_sort(bins, bins.begin() + static_cast<std::ptrdiff_t>(most), std::greater{}, &Stretch::want);
    for (const Stretch& s : bins.first(most)) {
      candidates_.push_back(blocks[s.begin + random_.below(s.end - s.begin)]);
    }
  }

  void take(std::uint32_t slot, std::uint32_t block) {
    taken_[block] = true;
    std::vector<std::uint32_t>& blocks = free_[result_.placement.places[block] % set_columns];
    if (const auto at = std::ranges::find(blocks, block); at != blocks.end()) blocks.erase(at);
    std::vector<std::uint32_t>& family = families_[slot];
    if (std::ranges::find(family, block) == family.end()) family.push_back(block);
  }

  /// Each width counts the same where all lines of a block are touched; where few are, narrow ones count less.
  double worth(std::uint32_t slot, std::uint32_t block, double all) const {
    std::array<double, whole + 1> sums{};
    for (const Touch& touch : lines_of_slot_[slot]) {
      for (std::size_t w = narrowest(); w <= touch.widest; ++w) {
        if (!widths_[w]) continue;
        sums[w] += widths_[w]->want(line(block, touch.word, w), all);
      }
    }
    double worth = 0;
    for (std::size_t w = narrowest(); w <= whole; ++w) worth += sums[w] / (1u << log2_lines(w));
    return worth;
  }

  std::uint32_t block_for(std::uint32_t slot, double all) {
    for (auto& width : widths_) {
      if (width) width->weigh(all);
    }
    const std::vector<std::uint32_t>& family = families_[slot];
    // A block that does not exist yet: all its lines are new.
    auto best = static_cast<std::uint32_t>(result_.placement.places.size());
    double highest = worth(slot, best, all);
    candidates_.clear();
    for (std::size_t i = 0; i < std::min(tries, family.size()); ++i) {
      const std::uint32_t block = family[family.size() <= tries ? i : random_.below(family.size())];
      if (!taken_[block]) candidates_.push_back(block);
    }
    add_others(base_.places[slot] % set_columns, all);
    if (candidates_.empty()) return new_block(slot);
    if (aim_.different_blocks > 0 && best >= aim_.different_blocks) {
      best = candidates_.front();
      highest = worth(slot, best, all);
    }
    for (const std::uint32_t block : candidates_) {
      const double value = worth(slot, block, all);
      if (value <= highest) continue;
      best = block;
      highest = value;
    }
    return best < result_.placement.places.size() ? best : new_block(slot);
  }

  void touch_round(std::array<BinCounts, signature_halves + 1>& counts, bool choosing) {
    if (choosing) {
      for (auto& width : widths_) {
        if (!width) continue;
        for (std::size_t b = 0; b < most_bins; ++b) width->made[b] += width->within[b];
      }
    }
    if (choosing) free_blocks();
    bins_.clear();
    const auto length = static_cast<double>(round_.size());
    for (const Touch& touch : touches_) {
      std::uint32_t& block = blocks_[touch.slot];
      if (touch.widest == whole && choosing) {
        // What the round does within itself is booked already.
        const double all = made_rounds_ * length + length;
        block = block_for(touch.slot, all);
        take(touch.slot, block);
      }
      for (std::size_t w = narrowest(); w <= touch.widest; ++w) {
        if (!widths_[w]) continue;
        Width& width = *widths_[w];
        const std::size_t bin = width.lines.touch(line(block, touch.word, w));
        ++counts[w][bin];
        if (w == whole) bins_.push_back(static_cast<std::uint8_t>(width.wanted.bins->octave(bin)));
        if (choosing) width.made[bin >= width.wanted.bins->far() ? width.fresh : bin] += 1;
      }
    }
    for (std::size_t w = narrowest(); w <= whole; ++w) {
      if (!widths_[w]) continue;
      const std::uint32_t parts = (1u << log2_lines(w)) - 1;
      for (const std::uint32_t l : widths_[w]->order) {
        widths_[w]->lines.touch((blocks_[l >> log2_lines(w)] << log2_lines(w)) + (l & parts));
      }
    }
  }

  void emit() {
    std::size_t next_slot = 0;
    for (const Reference& r : round_) {
      const bool first = r.block == next_slot;
      result_.references.push_back({blocks_[r.block], turned(r), first ? bins_[next_slot] : r.bin});
      next_slot += first ? 1 : 0;
    }
  }

  const std::vector<Reference>& round_;
  const Placement& base_;
  const Aim& aim_;
  Random& random_;
  std::array<std::optional<Width>, whole + 1> widths_;
  std::vector<Touch> touches_;
  std::vector<std::vector<Touch>> lines_of_slot_;
  std::vector<std::vector<std::uint32_t>> families_;  ///< blocks that each slot has used
  std::vector<std::uint32_t> rows_;                   ///< of each column, behind the round's own memory
  std::vector<std::uint32_t> blocks_;                 ///< of each slot in this round
  std::vector<std::uint8_t> bins_;                    ///< of the first touch of each slot in this round
  std::vector<std::vector<std::uint32_t>> chosen_;    ///< blocks of each slot, by round
  std::vector<std::vector<std::uint32_t>> free_;      ///< free ones by column, the most recent first
  std::vector<bool> taken_;                           ///< by block: it has a part in this round
  std::vector<std::uint32_t> candidates_;
  double made_rounds_ = 0;
  Rounds result_;
};

}  // namespace

Rounds make_rounds(const std::vector<Reference>& round, const Placement& placement, const Aim& aim, std::uint64_t count,
                   Random& random) {
  return Maker(round, placement, aim, random).make(count);
}

}  // namespace cachescape::synth
