#include "observe/compiled/pass/components.hpp"

#include <algorithm>
#include <limits>

namespace cachescape::pass {
namespace {

constexpr auto none = std::numeric_limits<std::size_t>::max();

struct Visit {
  std::size_t node = 0;
  std::size_t next_edge = 0;
};

}  // namespace

std::vector<std::size_t> components_of(const std::vector<std::vector<std::size_t>>& from) {
  std::vector<std::size_t> component(from.size(), none);
  std::vector<std::size_t> order(from.size(), none);  // in which nodes are visited
  std::vector<std::size_t> lowest(from.size());       // the first node of the path that is known to be reached
  std::vector<std::size_t> undecided;
  std::vector<Visit> path;
  std::size_t visited = 0, components = 0;
  const auto enter = [&](std::size_t node) {
    order[node] = lowest[node] = visited++;
    undecided.push_back(node);
    path.push_back({node});
  };
  for (std::size_t start = 0; start < from.size(); ++start) {
    if (order[start] == none) enter(start);
    while (!path.empty()) {
      const std::size_t node = path.back().node;
      if (path.back().next_edge < from[node].size()) {
        const std::size_t to = from[node][path.back().next_edge++];
        if (order[to] == none) {
          enter(to);
        } else if (component[to] == none) {
          lowest[node] = std::min(lowest[node], order[to]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) lowest[path.back().node] = std::min(lowest[path.back().node], lowest[node]);
      if (lowest[node] != order[node]) continue;
      while (component[node] == none) {
        component[undecided.back()] = components;
        undecided.pop_back();
      }
      ++components;
    }
  }
  return component;
}

}  // namespace cachescape::pass
