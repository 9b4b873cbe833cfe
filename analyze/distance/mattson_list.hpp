// Stack distances by the book: a list of lines, most recent first, searched from the top.
//
// Mattson, Gecsei, Slutz and Traiger, "Evaluation techniques for storage hierarchies", 1970. O(distance) per touch:
// the truth that the fast engines are tested against. Single-threaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/distance/stack_distances.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class MattsonList {
 public:
  /// As StackDistances::process(), of one touch.
  std::uint32_t touch(Line line) {
    // The top of the stack is the end of the vector, where moving a line costs no more than finding it.
    const auto found = std::find(stack_.rbegin(), stack_.rend(), line);
    const std::uint32_t distance =
        found == stack_.rend() ? cold_distance : static_cast<std::uint32_t>(found - stack_.rbegin());
    if (found != stack_.rend()) stack_.erase(std::next(found).base());
    stack_.push_back(line);
    return distance;
  }
  void process(std::span<const Line> lines, std::span<std::uint32_t> distances) {
    for (std::size_t i = 0; i < lines.size(); ++i) distances[i] = touch(lines[i]);
  }
  std::uint64_t distinct_lines() const { return stack_.size(); }

 private:
  std::vector<Line> stack_;
};

}  // namespace cachescape::analyze
