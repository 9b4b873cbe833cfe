// What the stack-distance engine knows between two calls; shared by its front end and its kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/last_touch.hpp"
#include "analyze/distance/stack_window.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// The most recent lines, newest first, are kept out of the window: their distance is their place here.
struct StackFront {
  static constexpr unsigned lines = 4;

  std::uint64_t line[lines] = {};
  std::uint32_t* time[lines] = {};  ///< where LastTouch keeps each line's time; stale while the line is here
  unsigned filled = 0;              ///< the kernels require it to be full
};

struct StackState {
  StackState(std::uint64_t window_touches, std::size_t slack_bytes) : last(slack_bytes), window(window_touches) {}

  LastTouch last;
  StackWindow window;
  StackFront front;
  std::uint64_t now = StackWindow::first_time;  ///< time of the next touch that enters the window
  /// Live bits of the word that holds `now`; they enter the window when the word is complete.
  std::uint64_t open = 0;
};

/// Replaces the window by an empty one that suits the number of lines in it and the number of times that renumbering
/// them had to look at, or empties it in place.
void renew_window(StackWindow& window, std::uint64_t live, std::uint64_t scanned);

/// Distances of `count` lines. Preconditions: the front is full; at most `StackWindow::most_touches / 2` lines in all.
using StackAdvance = void (*)(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances);

void advance_portable(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances);
/// Needs a processor with AVX2, BMI2 and POPCNT.
void advance_avx2(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances);

}  // namespace cachescape::analyze
