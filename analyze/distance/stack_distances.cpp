#include "analyze/distance/stack_distances.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "analyze/distance/stack_state.hpp"

namespace cachescape::analyze {

namespace {

bool processor_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt");
}

std::uint64_t allowed_window(std::uint64_t touches) {
  constexpr std::uint64_t unit = 128;
  return std::clamp((std::min(touches, StackWindow::most_touches) + unit - 1) / unit * unit, 2 * unit,
                    StackWindow::most_touches);
}

}  // namespace

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
      : path(options.path != Path::portable && processor_has_avx2() ? Path::avx2 : Path::portable),
        advance(path == Path::avx2 ? advance_avx2 : advance_portable),
        most_lines(std::min(options.most_lines, StackDistances::most_lines)),
        state(allowed_window(options.window_touches), options.shadow_slack_bytes) {}

  std::uint32_t touch_while_filling(Line line);
  bool known(Line line);
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
  if (state.last.find(line.value) == nullptr) {
    state.last.make_room(line.value);
    for (unsigned i = 0; i < front.filled; ++i) front.time[i] = state.last.find(front.line[i]);
  }
  front.line[front.filled] = line.value;
  front.time[front.filled] = state.last.find(line.value);
  ++front.filled;
  std::rotate(front.line, front.line + front.filled - 1, front.line + front.filled);
  std::rotate(front.time, front.time + front.filled - 1, front.time + front.filled);
  state.last.add_lines(1);
  return cold_distance;
}

bool StackDistances::Engine::known(Line line) {
  const StackFront& front = state.front;
  if (std::find(front.line, front.line + front.filled, line.value) != front.line + front.filled) return true;
  const std::uint32_t* const time = state.last.peek(line.value);
  return time != nullptr && *time != 0;
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
