#include "observe/compiled/pass/components.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cachescape::pass {
namespace {

using Edges = std::vector<std::vector<std::size_t>>;

/// Whether a path, of no edge or more, leads from each node to each.
std::vector<std::vector<bool>> naive_reach(const Edges& from) {
  std::vector<std::vector<bool>> reach(from.size(), std::vector<bool>(from.size()));
  for (std::size_t a = 0; a < from.size(); ++a) {
    reach[a][a] = true;
    for (const std::size_t b : from[a]) reach[b][a] = true;
  }
  for (std::size_t through = 0; through < from.size(); ++through)
    for (std::size_t a = 0; a < from.size(); ++a)
      for (std::size_t b = 0; b < from.size(); ++b)
        if (reach[a][through] && reach[through][b]) reach[a][b] = true;
  return reach;
}

RC_GTEST_PROP(Components, AreNodesThatReachEachOther, ()) {
  const std::size_t nodes = *rc::gen::inRange<std::size_t>(1, 12);
  const auto edges = rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, nodes));
  const Edges from = *rc::gen::resize(3, rc::gen::container<Edges>(nodes, edges));
  const std::vector<std::size_t> component = components_of(from);
  const auto reach = naive_reach(from);
  for (std::size_t a = 0; a < nodes; ++a) {
    RC_ASSERT(component[a] < nodes);
    for (std::size_t b = 0; b < nodes; ++b) RC_ASSERT((component[a] == component[b]) == (reach[a][b] && reach[b][a]));
  }
}

TEST(Components, ALongPathNeedsNoStack) {
  Edges from(1'000'000);
  for (std::size_t n = 1; n < from.size(); ++n) from[n] = {n - 1};
  from[0] = {from.size() - 1};
  const std::vector<std::size_t> component = components_of(from);
  EXPECT_EQ(component, std::vector<std::size_t>(from.size(), 0));
}

}  // namespace
}  // namespace cachescape::pass
