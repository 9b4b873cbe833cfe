#include "observe/symbols/unit_scopes.hpp"

#include <algorithm>
#include <tuple>

#include "observe/symbols/unit_walk.hpp"

namespace cachescape::symbols {

UnitScopes::UnitScopes(Dwarf_Die unit) {
  std::vector<Range> ranges;
  std::vector<std::uint32_t> enclosing;  // by depth: the innermost scope there
  walk_unit(unit, [&](Dwarf_Die die, std::size_t depth) {
    enclosing.resize(depth + 1, nowhere);
    const std::uint32_t outer = depth == 0 ? nowhere : enclosing[depth - 1];
    enclosing[depth] = outer;
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) return;
    const auto number = static_cast<std::uint32_t>(scopes_.size());
    const std::size_t before = ranges.size();
    Dwarf_Addr base = 0, begin = 0, end = 0;
    constexpr std::size_t most = 65536;  // of one entry: a damaged list may have no end
    for (std::ptrdiff_t at = 0;
         (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0 && ranges.size() - before < most;)
      if (begin < end) ranges.push_back({begin, end, number});
    if (ranges.size() == before) return;
    scopes_.push_back({die, tag == DW_TAG_subprogram ? nowhere : outer});
    enclosing[depth] = number;
  });
  flatten(std::move(ranges));
}

void UnitScopes::flatten(std::vector<Range> ranges) {
  // Ranges nest. Sorted so that outer ones come first, a stack holds those that are open.
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tuple(a.begin, b.end, a.scope) < std::tuple(b.begin, a.end, b.scope);
  });
  std::vector<Range> open;
  const auto close_until = [&](std::uint64_t address) {
    while (!open.empty() && open.back().end <= address) {
      const std::uint64_t end = open.back().end;
      open.pop_back();
      while (!open.empty() && open.back().end <= end) open.pop_back();
      changes_.push_back({end, open.empty() ? nowhere : open.back().scope});
    }
  };
  for (const Range& r : ranges) {
    close_until(r.begin);
    open.push_back(r);
    changes_.push_back({r.begin, r.scope});
  }
  close_until(std::numeric_limits<std::uint64_t>::max());
}

std::uint32_t UnitScopes::at(std::uint64_t address) const {
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), address,
                                      [](std::uint64_t a, const Change& c) { return a < c.address; });
  return after == changes_.begin() ? nowhere : std::prev(after)->scope;
}

}  // namespace cachescape::symbols
