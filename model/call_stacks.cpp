#include "model/call_stacks.hpp"

#include <algorithm>
#include <functional>

namespace cachescape::model {
namespace {

std::uint64_t key_of(const StackRow& row, StackOrder order) {
  const auto sum = [&](std::initializer_list<std::string_view> metrics) {
    return sum_of(row.counters, metrics).value_or(0);
  };
  switch (order) {
    case StackOrder::instructions:
      return sum({"instructions"});
    case StackOrder::memory_operations:
      return sum({"loads", "stores"});
    case StackOrder::bytes:
      return sum({"bytes.loaded", "bytes.stored"});
  }
  return 0;
}

}  // namespace

std::vector<StackRow> counters_by_stack(const Places& places, StackOrder order) {
  std::vector<StackRow> rows;
  std::uint32_t last = nowhere;
  for (const ContextCounted& c : places.context_counted) {
    if (c.context != last) {
      const Context& context = places.contexts[c.context];
      StackRow& row = rows.emplace_back();
      row.module = context.module;
      row.recursive = context.recursive;
      row.calls = context.calls;
      for (std::uint32_t at = c.context; at != nowhere; at = places.contexts[at].caller)
        row.functions.push_back(places.contexts[at].function);
      std::ranges::reverse(row.functions);
      last = c.context;
    }
    rows.back().counters[c.metric] += c.value;
  }
  std::ranges::stable_sort(rows, std::greater<>{}, [&](const StackRow& row) { return key_of(row, order); });
  return rows;
}

void add(StackRow& to, const StackRow& row) {
  to.calls += row.calls;
  for (const auto& [metric, value] : row.counters) to.counters[metric] += value;
}

}  // namespace cachescape::model
