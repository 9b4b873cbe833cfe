// References, one at a time, each chosen so that all made so far come nearer to the aim.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cachescape/signature.hpp"
#include "product/synth/aim.hpp"
#include "product/synth/block_tree.hpp"
#include "product/synth/depth_bins.hpp"
#include "product/synth/placement.hpp"
#include "product/synth/random.hpp"
#include "product/synth/recency.hpp"
#include "product/synth/set_accounts.hpp"

namespace cachescape::synth {

/// A reference to a word of a block; blocks are numbered in the order of their first references.
struct Reference {
  std::uint32_t block = 0;
  std::uint8_t word = 0;  ///< of 4 bytes, within the block
  std::uint8_t bin = 0;   ///< the signature's, of the block's distance

  friend bool operator==(const Reference&, const Reference&) = default;
};

struct GeneratorOptions {
  std::uint64_t length = 1u << 20;
  std::uint64_t random_seed = 1;
  /// No word twice.
  bool unique = false;
  /// Blocks of a loop that begins again on the same memory: what is new in the first round is then as far away as the
  /// loop is long. 0 = memory without end: what is new is cold.
  std::uint32_t loop_blocks = 0;
  std::uint64_t expected_blocks = 1u << 16;  ///< about
  /// How far blocks lie from each other; must outlive the generator. nullptr = not known.
  const signature::Detail* steps = nullptr;
  /// Told now and then what share is made.
  std::function<void(double)> progress{};
};

/// Keeps account of what was wanted and what was made, by bin of distances, for blocks and for every known width of
/// lines. A few blocks are drawn from bins that are in want; of these, and of the lines in each, the one is taken that
/// serves all accounts best. Below the known widths, words are chosen by the signature's halves.
///
/// A new block or line also stands for one that should have been touched again at a distance that the trace does not
/// reach yet: it is booked under that bin if it is the one most in want. So nearer distances are right from the
/// beginning, and only caches larger than the trace's memory see the difference.
class Generator {
 public:
  Generator(const Aim& aim, const GeneratorOptions& options);

  /// Up to `length` references; fewer where a loop has no word left that serves.
  std::vector<Reference> generate();
  /// Of the blocks that were generated.
  Placement take_placement() { return placer_.take(); }

 private:
  /// What parts of a block are worth, down to the narrowest known lines: wants of a line and of the best one within.
  using Worths = std::array<double, 32>;
  struct Candidate {
    std::optional<std::uint32_t> block;  ///< none = a new one
    std::size_t booked = 0;              ///< the bin under which it is booked
    Worths worths{};
  };
  struct Account {
    Account() : Account(DistanceShares{}) {}
    explicit Account(const DistanceShares& aim) : share(aim.shares), fresh(aim.bins->cold()), lines(*aim.bins) {}

    const Bins& bins() const { return lines.bins(); }
    /// What is missing when there are `all` references.
    double want(std::size_t bin, double all) const {
      const std::size_t booked = bin >= bins().far() ? fresh : bin;
      return share[booked] * all - made[booked];
    }

    BinShares share{};  ///< of all
    BinShares made{};
    std::size_t fresh;        ///< under which a new line is booked
    std::size_t reached = 1;  ///< bins of which the greater part is filled
    DepthBins lines;
  };

  void weigh();
  void weigh(Account& account, std::uint64_t loop_lines) const;
  void weigh_chances();
  std::optional<Candidate> choose_block();
  Candidate draw();
  double value_of_new() const;
  bool conflicts_wanted() const;
  void judge(std::uint32_t block, Worths& worths) const;
  bool upper_half(std::uint32_t block, Part part, std::size_t half, std::size_t bin, const Worths& worths) const;
  /// By how much the upper half is to be preferred, as the signature's halves have it.
  double preference(const BlockTree& tree, Part part, std::size_t half, std::size_t bin) const;
  bool has_word(std::uint32_t block, Part part) const;
  Reference refer(const Candidate& candidate);

  const Aim& aim_;
  GeneratorOptions options_;
  Random random_;
  std::uint64_t made_ = 0;
  double all_ = 1;  ///< references, with the next one
  Recency recency_;
  Placer placer_;
  std::array<std::optional<SetAccounts>, signature_halves> sets_;
  bool with_sets_ = false;
  BinShares chances_{};  ///< that a block is drawn from a bin, by `sum_of_chances_`
  double sum_of_chances_ = 0;
  Account blocks_;
  std::array<Account, signature_halves> lines_;
  std::vector<BlockTree> trees_;
  std::vector<std::uint32_t> visits_;               ///< of each block, another block having been referenced before
  std::vector<std::array<std::uint64_t, 2>> used_;  ///< unique: words of each block that were referenced
  OctaveShares references_{};                       ///< by bin of the block's distance
  std::array<OctaveShares, signature_halves> again_{};
  std::array<OctaveShares, signature_halves> same_{};
  std::array<OctaveShares, signature_halves> first_{};
};

}  // namespace cachescape::synth
