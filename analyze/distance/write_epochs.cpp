#include "analyze/distance/write_epochs.hpp"

#include <algorithm>

namespace cachescape::analyze {
namespace {

// As for last touches: scattered lines are hashed when the shadow has this much more than its due.
constexpr std::size_t shadow_slack_bytes = std::size_t{32} << 20;

}  // namespace

WriteEpochs::WriteEpochs() : greatest_(shadow_slack_bytes) {}

void WriteEpochs::for_each_open(std::span<const Line> recency_order,
                                const std::function<void(std::uint32_t)>& visit) const {
  for (std::size_t i = 0; i < recency_order.size(); ++i) {
    const std::uint32_t* const known = greatest_.peek(recency_order[i].value);
    if (known == nullptr || *known == 0) continue;
    const auto later = static_cast<std::uint32_t>(recency_order.size() - 1 - i);
    visit(std::max(*known - 1, later));
  }
}

WriteEpochs WriteEpochs::copy(const std::function<bool(Line)>& keep, std::uint32_t divisor) const {
  WriteEpochs other;
  greatest_.for_each([&](std::uint64_t line, std::uint32_t greatest) {
    if (!keep(Line{line})) return;
    other.slot(line) = 1 + (greatest - 1) / divisor;
    other.greatest_.add_lines(1);
  });
  return other;
}

}  // namespace cachescape::analyze
