// The order of slots from the most to the least recently used, as a doubly linked list over slot numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/line_index.hpp"

namespace cachescape::simulate {

/// The links of all slots of a cache; several lists (one per set) may run through one set of links.
class RecencyLinks {
 public:
  struct List {
    std::uint32_t newest = no_slot;
    std::uint32_t oldest = no_slot;
  };

  explicit RecencyLinks(std::size_t slots) : links_(slots) {}

  void push_newest(List& list, std::uint32_t slot) {
    links_[slot] = {no_slot, list.newest};
    if (list.newest != no_slot) links_[list.newest].newer = slot;
    list.newest = slot;
    if (list.oldest == no_slot) list.oldest = slot;
  }

  void remove(List& list, std::uint32_t slot) {
    const Links l = links_[slot];
    (l.newer == no_slot ? list.newest : links_[l.newer].older) = l.older;
    (l.older == no_slot ? list.oldest : links_[l.older].newer) = l.newer;
  }

  void renew(List& list, std::uint32_t slot) {
    if (list.newest == slot) return;
    remove(list, slot);
    push_newest(list, slot);
  }

 private:
  struct Links {
    std::uint32_t newer = no_slot;
    std::uint32_t older = no_slot;
  };
  std::vector<Links> links_;
};

}  // namespace cachescape::simulate
