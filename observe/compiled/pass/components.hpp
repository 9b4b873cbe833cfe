// Which nodes of a directed graph reach each other.
#pragma once

#include <cstddef>
#include <vector>

namespace cachescape::pass {

/// By node, the number of its strongly connected component, from 0; `from` lists by node those that have an edge to it.
/// Tarjan's algorithm, without recursion. O(nodes + edges).
std::vector<std::size_t> components_of(const std::vector<std::vector<std::size_t>>& from);

}  // namespace cachescape::pass
