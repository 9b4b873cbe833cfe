// What the stack-distance engines know between two calls; shared by their front ends and their kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyze/distance/front_state.hpp"
#include "analyze/distance/last_touch.hpp"
#include "analyze/distance/stack_window.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// All lines but those that stand in front of it, in the order of their last touches.
struct StackBody {
  StackBody(std::uint64_t window_touches, std::size_t slack_bytes) : last(slack_bytes), window(window_touches) {}

  LastTouch last;
  StackWindow window;
  std::uint64_t now = StackWindow::first_time;  ///< time of the next touch that enters the window
  /// Live bits of the word that holds `now`; they enter the window when the word is complete.
  std::uint64_t open = 0;
};

/// A number of touches that a window may have, near this one.
std::uint64_t allowed_window(std::uint64_t touches);

/// Replaces the window by an empty one that suits the number of lines in it and the number of times that renumbering
/// them had to look at, or empties it in place.
void renew_window(StackWindow& window, std::uint64_t live, std::uint64_t scanned);

/// The most recent lines, newest first, are kept out of the window: their distance is their place here.
struct StackFront {
  static constexpr unsigned lines = 4;

  std::uint64_t line[lines] = {};
  std::uint32_t* time[lines] = {};  ///< where LastTouch keeps each line's time; stale while the line is here
  unsigned filled = 0;              ///< the kernels require it to be full
};

struct StackState : StackBody {
  using StackBody::StackBody;

  StackFront front;
};

/// Distances of `count` lines. Preconditions: the front is full; at most `StackWindow::most_touches / 2` lines in all.
using StackAdvance = void (*)(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances);

void advance_portable(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances);
/// Needs a processor with AVX2, BMI2 and POPCNT.
void advance_avx2(StackState& state, const Line* lines, std::size_t count, std::uint32_t* distances);

/// A body behind a front of somebody else's, of which it knows where the lines' times are kept.
struct FarStackState : StackBody {
  static constexpr unsigned lanes = FrontState::lanes;

  FarStackState(std::uint64_t window_touches, std::size_t slack_bytes) : StackBody(window_touches, slack_bytes) {
    for (std::uint32_t*& t : time) t = &nobodys;
  }

  std::uint64_t line[lanes] = {};
  std::uint32_t* time[lanes];    ///< stale while the line is in the front
  std::uint32_t nobodys = 0;     ///< the time of an empty lane, and of lines that are not followed: means nothing
  std::uint32_t never = 0;       ///< the time of lines that are not followed when they are touched
  bool follows_no_more = false;  ///< lines that it does not know are not followed
};

/// Distances of `count` lines that enter lanes of the front. Precondition: as above.
using StackEnter = void (*)(FarStackState& state, const Line* lines, const std::uint8_t* lanes, std::size_t count,
                            std::uint32_t* distances);

void enter_portable(FarStackState& state, const Line* lines, const std::uint8_t* lanes, std::size_t count,
                    std::uint32_t* distances);
void enter_avx2(FarStackState& state, const Line* lines, const std::uint8_t* lanes, std::size_t count,
                std::uint32_t* distances);

/// Different lines that are touched once each, at least as many as a front has lanes.
struct StackSweep {
  static constexpr std::size_t most_streams = 16;

  const Line* come;            ///< in the order of their touches
  const std::uint16_t* leave;  ///< their numbers, in the order in which they are remembered
  std::size_t count;
  std::size_t first_regular;  ///< from here on come …
  std::size_t streams;        ///< … the next lines of so many streams in turn, …
  std::size_t periods;        ///< … so many times; 0: none do
  const std::uint8_t* lanes;  ///< of the front, which is full, from the least to the most recently touched
  std::uint32_t** times;      ///< room for as many
};

/// Distances of lines that pass the front, whose lanes hold the last of them then, in their order. False, with nothing
/// changed, where the window has no room for so many. Precondition: as above.
using StackSweeper = bool (*)(FarStackState& state, const StackSweep& sweep, std::uint32_t* distances);

bool sweep_portable(FarStackState& state, const StackSweep& sweep, std::uint32_t* distances);
bool sweep_avx2(FarStackState& state, const StackSweep& sweep, std::uint32_t* distances);

}  // namespace cachescape::analyze
