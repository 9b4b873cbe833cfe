#include "product/synth/placement.hpp"

#include <algorithm>

#include "cachescape/signature.hpp"

namespace cachescape::synth {
namespace {

constexpr std::uint32_t columns = 1u << signature_step_bits;

class Steps {
 public:
  Steps(const signature::Detail& detail, Random& random) : detail_(detail), random_(random), all_(detail.other_steps) {
    for (const Bin& step : detail.steps) all_ += step.count;
  }
  std::uint32_t next() {
    std::uint64_t at = random_.below(all_);
    for (const Bin& step : detail_.steps) {
      if (at < step.count) return static_cast<std::uint32_t>(step.value);
      at -= step.count;
    }
    return static_cast<std::uint32_t>(random_.below(columns));
  }
  bool known() const { return all_ > 0; }

 private:
  const signature::Detail& detail_;
  Random& random_;
  std::uint64_t all_;
};

}  // namespace

Placement place_blocks(std::uint64_t blocks, const signature::Detail* detail, Random& random) {
  Placement placement;
  placement.places.reserve(blocks);
  static const signature::Detail nothing;
  Steps steps(detail != nullptr ? *detail : nothing, random);
  std::vector<std::uint32_t> rows(columns);
  std::uint32_t column = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    std::uint32_t place = block;
    if (steps.known()) {
      place = rows[column]++ * columns + column;
      column = (column + steps.next()) % columns;
    }
    placement.places.push_back(place);
    placement.end = std::max(placement.end, place + 1);
  }
  return placement;
}

}  // namespace cachescape::synth
