#include "analyze/distance/stack_distances.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "analyze/distance/stack_state.hpp"

namespace cachescape::analyze {

std::uint64_t allowed_window(std::uint64_t touches) {
  constexpr std::uint64_t unit = 128;
  return std::clamp((std::min(touches, StackWindow::most_touches) + unit - 1) / unit * unit, 2 * unit,
                    StackWindow::most_touches);
}

void renew_window(StackWindow& window, std::uint64_t live, std::uint64_t scanned) {
  // At least four touches per line, and one for every two times scanned where lines lie far apart: a touch then pays
  // for renumbering a third of a line and passing over a few empty times at most.
  const std::uint64_t needed = std::max(live * 4, scanned / 2);
  if (needed > window.touches && window.touches < StackWindow::most_touches) {
    window = StackWindow(std::min(std::bit_ceil(needed), StackWindow::most_touches));
  } else {
    window.clear();
  }
}

struct StackDistances::Engine {
  explicit Engine(const Options& options)
      : path(use_avx2(options.path) ? Path::avx2 : Path::portable),
        advance(path == Path::avx2 ? advance_avx2 : advance_portable),
        most_lines(std::min(options.most_lines, StackDistances::most_lines)),
        state(allowed_window(options.window_touches), options.shadow_slack_bytes) {}

  std::uint32_t touch_while_filling(Line line);
  bool known(Line line);
  /// The line's place in the front; `filled` where it is not there.
  unsigned place_in_front(Line line) const {
    const StackFront& front = state.front;
    return static_cast<unsigned>(std::find(front.line, front.line + front.filled, line.value) - front.line);
  }
  /// Of a line that is not in the front; 0 = never touched.
  std::uint32_t time_of(Line line) const {
    const std::uint32_t* const time = state.last.peek(line.value);
    return time != nullptr ? *time : 0;
  }
  std::uint32_t* slot(Line line);
  std::uint64_t followed() const { return state.last.lines(); }

  Path path;
  StackAdvance advance;
  std::uint64_t most_lines;
  std::uint64_t untracked = 0;
  StackState state;
};

// While the front has room the window is empty, so whatever is not in the front is new.
std::uint32_t StackDistances::Engine::touch_while_filling(Line line) {
  StackFront& front = state.front;
  std::uint64_t* const end = front.line + front.filled;
  std::uint64_t* const at = std::find(front.line, end, line.value);
  const auto place = static_cast<std::uint32_t>(at - front.line);
  if (at != end) {
    std::rotate(front.line, at, at + 1);
    std::rotate(front.time, front.time + place, front.time + place + 1);
    return place;
  }
  front.time[front.filled] = slot(line);
  front.line[front.filled] = line.value;
  ++front.filled;
  std::rotate(front.line, front.line + front.filled - 1, front.line + front.filled);
  std::rotate(front.time, front.time + front.filled - 1, front.time + front.filled);
  state.last.add_lines(1);
  return cold_distance;
}

bool StackDistances::Engine::known(Line line) {
  return place_in_front(line) != state.front.filled || time_of(line) != 0;
}

std::uint32_t* StackDistances::Engine::slot(Line line) {
  if (std::uint32_t* const known = state.last.find(line.value); known != nullptr) return known;
  state.last.make_room(line.value);
  for (unsigned i = 0; i < state.front.filled; ++i) state.front.time[i] = state.last.find(state.front.line[i]);
  return state.last.find(line.value);
}

StackDistances::StackDistances() : StackDistances(Options()) {}
StackDistances::StackDistances(const Options& options) : engine_(std::make_unique<Engine>(options)) {}
StackDistances::StackDistances(StackDistances&&) noexcept = default;
StackDistances& StackDistances::operator=(StackDistances&&) noexcept = default;
StackDistances::~StackDistances() = default;

void StackDistances::process(std::span<const Line> lines, std::span<std::uint32_t> distances) {
  assert(lines.size() == distances.size());
  Engine& e = *engine_;
  std::size_t next = 0;
  while (next < lines.size()) {
    const std::uint64_t room = e.most_lines - e.followed();
    if (room == 0 && !e.known(lines[next])) {
      distances[next++] = cold_distance;
      ++e.untracked;
    } else if (e.state.front.filled < StackFront::lines) {
      distances[next] = e.touch_while_filling(lines[next]);
      ++next;
    } else {
      // No more touches at a time than there is room for new lines, so that the kernel need not look.
      const auto count =
          static_cast<std::size_t>(std::clamp<std::uint64_t>(lines.size() - next, 1, std::max<std::uint64_t>(room, 1)));
      e.advance(e.state, lines.data() + next, count, distances.data() + next);
      next += count;
    }
  }
}

std::uint32_t StackDistances::distance(Line line) const {
  const StackState& state = engine_->state;
  if (const unsigned place = engine_->place_in_front(line); place != state.front.filled) return place;
  const std::uint32_t time = engine_->time_of(line);
  if (time == 0) return cold_distance;
  const auto later_in = [](std::uint64_t word, std::uint32_t time_in_it) {
    return static_cast<std::uint32_t>(std::popcount(word >> (time_in_it % 64) >> 1));
  };
  const auto word_begin = static_cast<std::uint32_t>(state.now / 64 * 64);
  if (time >= word_begin) return StackFront::lines + later_in(state.open, time);
  using W = StackWindow;
  const W& window = state.window;
  std::uint32_t later = StackFront::lines + static_cast<std::uint32_t>(std::popcount(state.open));
  // Up to the end of the leaf, then of the group, of the block, of the window.
  const std::uint32_t word = time >> W::word_bits;
  later += later_in(window.words[word], time);
  if (word % 2 == 0) later += static_cast<std::uint32_t>(std::popcount(window.words[word + 1]));
  const auto add_rest = [&later](const auto* counts, std::uint32_t at) {
    for (std::uint32_t i = at + 1; i % 64 != 0; ++i) later += counts[i];
  };
  add_rest(window.leaves, time >> W::leaf_bits);
  add_rest(window.groups, time >> W::group_bits);
  for (std::uint32_t b = (time >> W::block_bits) + 1; b <= word_begin >> W::block_bits; ++b) later += window.blocks[b];
  return later;
}

std::uint64_t StackDistances::recency(Line line) const {
  const StackFront& front = engine_->state.front;
  if (const unsigned place = engine_->place_in_front(line); place != front.filled)
    return StackWindow::most_touches + StackFront::lines - place;
  return engine_->time_of(line);
}

void StackDistances::exchange(Line a, Line b) {
  StackState& state = engine_->state;
  engine_->slot(a);
  std::uint32_t* const time_b = engine_->slot(b);
  std::uint32_t* const time_a = engine_->slot(a);
  const unsigned place_a = engine_->place_in_front(a);
  const unsigned place_b = engine_->place_in_front(b);
  const auto put = [&](unsigned place, Line line, std::uint32_t* time) {
    state.front.line[place] = line.value;
    state.front.time[place] = time;
  };
  const unsigned none = state.front.filled;
  // What a line in the front has for a time means nothing, but it must not once the line has left.
  const std::uint32_t old_a = place_a != none ? 0 : *time_a;
  const std::uint32_t old_b = place_b != none ? 0 : *time_b;
  if (place_a != none) put(place_a, b, time_b);
  if (place_b != none) put(place_b, a, time_a);
  *time_a = old_b;
  *time_b = old_a;
}

void StackDistances::prefetch(Line line) const { engine_->state.last.prefetch(line.value); }

std::vector<Line> StackDistances::recency_order(const std::function<bool(Line)>& keep) const {
  const StackState& state = engine_->state;
  const std::span front(state.front.line, state.front.filled);
  std::vector<std::pair<std::uint32_t, Line>> by_time;
  state.last.for_each([&](std::uint64_t line, std::uint32_t time) {
    // The times of lines in the front are stale; they come last.
    if (keep(Line{line}) && std::ranges::find(front, line) == front.end()) by_time.emplace_back(time, Line{line});
  });
  std::ranges::sort(by_time);
  std::vector<Line> lines;
  lines.reserve(by_time.size() + front.size());
  for (const auto& [time, line] : by_time) lines.push_back(line);
  for (std::size_t i = front.size(); i-- > 0;) {
    if (keep(Line{front[i]})) lines.emplace_back(front[i]);
  }
  return lines;
}

std::uint64_t StackDistances::distinct_lines() const { return engine_->followed(); }
std::uint64_t StackDistances::untracked_touches() const { return engine_->untracked; }
std::uint64_t StackDistances::memory_bytes() const {
  return sizeof(Engine) + engine_->state.last.memory_bytes() + engine_->state.window.memory_bytes();
}
StackDistances::Path StackDistances::path() const { return engine_->path; }

}  // namespace cachescape::analyze
