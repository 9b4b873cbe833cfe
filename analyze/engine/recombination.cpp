#include "analyze/engine/recombination.hpp"

#include <algorithm>
#include <cmath>

namespace cachescape::analyze {
namespace {

/// Rounds products so that the sum of all keeps its value.
class Multiplier {
 public:
  explicit Multiplier(double weight) : weight_(weight) {}

  void operator()(std::uint64_t& count) {
    const double exact = static_cast<double>(count) * weight_ + carried_;
    const double whole = std::floor(exact + 0.5);
    carried_ = exact - whole;
    count = static_cast<std::uint64_t>(whole);
  }

 private:
  double weight_;
  double carried_ = 0;
};

/// Keeps what belongs together in order: same ≤ again ≤ references.
void weigh(SignatureCounts& counts, double weight) {
  Multiplier references(weight);
  for (SignatureBin& bin : counts) {
    std::uint64_t all = 0;
    for (std::uint64_t& kind : bin.references) {
      references(kind);
      all += kind;
    }
    const auto at_most = [&](std::uint64_t& count, std::uint64_t most) {
      Multiplier{weight}(count);
      count = std::min(count, most);
    };
    for (HalfCounts& half : bin.halves) {
      at_most(half.again, all);
      at_most(half.same, half.again);
    }
    at_most(bin.foreign, all);
  }
}

}  // namespace

void weigh_totals(PlaceDistances& place, double weight) {
  Multiplier{weight}(place.bytes);
  for (std::uint64_t& accesses : place.accesses) Multiplier{weight}(accesses);
}

void weigh(std::vector<PlaceDistances>& places, std::span<const double> weights) {
  for (PlaceDistances& p : places) {
    const double weight = p.place < weights.size() ? weights[p.place] : 1;
    if (weight == 1) continue;
    weigh_totals(p, weight);
    for (std::size_t k = 0; k < access_kinds; ++k) {
      Multiplier touches(weight);
      for (Bin& b : p.kinds[k].bins) touches(b.count);
      touches(p.kinds[k].cold);
      std::erase_if(p.kinds[k].bins, [](const Bin& b) { return b.count == 0; });
    }
  }
}

void weigh(SignatureProfile& signature, std::span<const double> weights) {
  signature.counts = {};
  for (SiteSignature& s : signature.sites) {
    if (s.site < weights.size()) weigh(s.counts, weights[s.site]);
    add_to(signature.counts, s.counts);
  }
}

StackProfile sum_of_places(const std::vector<PlaceDistances>& places) {
  PlaceDistances all;
  for (const PlaceDistances& p : places) all.add(p);
  StackProfile stack;
  stack.kinds = std::move(all.kinds);
  return stack;
}

}  // namespace cachescape::analyze
