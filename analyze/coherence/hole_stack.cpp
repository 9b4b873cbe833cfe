#include "analyze/coherence/hole_stack.hpp"

#include <algorithm>

namespace cachescape::analyze {

void HoleStack::touch(std::span<const Line> lines, std::span<std::uint32_t> depths) {
  std::size_t done = 0;
  const auto process_up_to = [&](std::size_t end) {
    stack_.process(lines.subspan(done, end - done), depths.subspan(done, end - done));
    done = end;
  };
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < lines.size() && !holes_.empty(); ++i) {
    if (i + ahead < lines.size()) stack_.prefetch(lines[i + ahead]);
    if (!under_a_hole(lines[i])) continue;
    // Unless it was touched among those that wait.
    process_up_to(i);
    if (!under_a_hole(lines[i])) continue;
    depths[i] = touch_under_a_hole(lines[i]);
    done = i + 1;
  }
  process_up_to(lines.size());
}

std::uint32_t HoleStack::touch_under_a_hole(Line line) {
  const std::uint32_t depth = stack_.distance(line);
  const Line hole = pop_topmost_hole();
  // The hole comes up, and the two change places.
  std::uint32_t unused = 0;
  stack_.process(std::span(&hole, 1), std::span(&unused, 1));
  stack_.exchange(line, hole);
  if (depth == cold_distance) {
    free_.push_back(hole);
  } else {
    push_hole(hole);
  }
  return depth;
}

void HoleStack::take(Line line) {
  Line hole{first_hole + holes_.size()};
  if (!free_.empty()) {
    hole = free_.back();
    free_.pop_back();
  }
  stack_.exchange(line, hole);
  push_hole(hole);
}

// The recencies that the heap is ordered by change with time, but their order does not.
void HoleStack::push_hole(Line hole) {
  holes_.push_back(hole);
  std::ranges::push_heap(holes_, {}, [this](Line h) { return stack_.recency(h); });
}

Line HoleStack::pop_topmost_hole() {
  std::ranges::pop_heap(holes_, {}, [this](Line h) { return stack_.recency(h); });
  const Line hole = holes_.back();
  holes_.pop_back();
  return hole;
}

}  // namespace cachescape::analyze
