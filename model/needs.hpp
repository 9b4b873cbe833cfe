// What a prediction reads of a profile, so that a reader can load that and nothing else.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "cachescape/profile.hpp"
#include "machine/machine.hpp"

namespace cachescape::model {

/// Stack distances, and set distances where there are any, at one line size: of everything, or of every thread.
struct Need {
  Scope::Kind scope = Scope::Kind::everything;
  LineSize line{6};

  friend constexpr auto operator<=>(const Need&, const Need&) = default;
};

/// What predict() reads for `machine` and a program of `threads` threads, ascending and without repetition. Where a
/// profile has no distances by thread, those of everything at the same line size stand in.
std::vector<Need> needed(const machine::Machine& machine, std::size_t threads);

}  // namespace cachescape::model
