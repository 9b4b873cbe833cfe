// Loops over levels with the level a constant.
//
// Most of the time goes into inserting a tag at one level after the other; with the level known to the compiler that
// takes about nine instructions, else fifteen.
#pragma once

#include "analyze/distance/set_state.hpp"

namespace cachescape::analyze::sets {

/// Both functions start at level `first` < max_levels, call f.template operator()<Level>() for one level after
/// the other, and end after the call that returns false or after the last level. Ops keeps the code of
/// different instruction sets apart.
template <class Ops>
struct Unrolled {
  // clang-format off
#define CACHESCAPE_LEVEL(k) case k: if (!f.template operator()<k>()) return; [[fallthrough]];
  template <class F>
  [[gnu::always_inline]] static void upwards(unsigned first, F f) {
    switch (first) {
      CACHESCAPE_LEVEL(0) CACHESCAPE_LEVEL(1) CACHESCAPE_LEVEL(2) CACHESCAPE_LEVEL(3) CACHESCAPE_LEVEL(4)
      CACHESCAPE_LEVEL(5) CACHESCAPE_LEVEL(6) CACHESCAPE_LEVEL(7) CACHESCAPE_LEVEL(8) CACHESCAPE_LEVEL(9)
      CACHESCAPE_LEVEL(10) CACHESCAPE_LEVEL(11) CACHESCAPE_LEVEL(12) CACHESCAPE_LEVEL(13) CACHESCAPE_LEVEL(14)
      CACHESCAPE_LEVEL(15) CACHESCAPE_LEVEL(16) CACHESCAPE_LEVEL(17) CACHESCAPE_LEVEL(18) CACHESCAPE_LEVEL(19)
      CACHESCAPE_LEVEL(20)
      default: break;
    }
  }

  template <class F>
  [[gnu::always_inline]] static void downwards(unsigned first, F f) {
    switch (first) {
      CACHESCAPE_LEVEL(20) CACHESCAPE_LEVEL(19) CACHESCAPE_LEVEL(18) CACHESCAPE_LEVEL(17) CACHESCAPE_LEVEL(16)
      CACHESCAPE_LEVEL(15) CACHESCAPE_LEVEL(14) CACHESCAPE_LEVEL(13) CACHESCAPE_LEVEL(12) CACHESCAPE_LEVEL(11)
      CACHESCAPE_LEVEL(10) CACHESCAPE_LEVEL(9) CACHESCAPE_LEVEL(8) CACHESCAPE_LEVEL(7) CACHESCAPE_LEVEL(6)
      CACHESCAPE_LEVEL(5) CACHESCAPE_LEVEL(4) CACHESCAPE_LEVEL(3) CACHESCAPE_LEVEL(2) CACHESCAPE_LEVEL(1)
      CACHESCAPE_LEVEL(0)
      default: break;
    }
  }
#undef CACHESCAPE_LEVEL
  // clang-format on

  static_assert(max_levels == 21);
};

}  // namespace cachescape::analyze::sets
