#include "analyze/distance/far_stack.hpp"

#include <algorithm>
#include <utility>

#include "analyze/distance/stack_state.hpp"

namespace cachescape::analyze {

constexpr std::size_t usual_sweep = 1024;  // lines; longer ones make room

// What is stored for a sweep's lines lies elsewhere in a page than what is loaded for them, in every run.
struct alignas(4096) FarStack::Engine {
  explicit Engine(const StackDistances::Options& options)
      : enter(use_avx2(options.path) ? enter_avx2 : enter_portable),
        sweep(use_avx2(options.path) ? sweep_avx2 : sweep_portable),
        most_lines(std::min(options.most_lines, StackDistances::most_lines)),
        state(allowed_window(options.window_touches), options.shadow_slack_bytes) {}

  StackEnter enter;
  StackSweeper sweep;
  std::uint64_t most_lines;
  FarStackState state;
  std::vector<std::uint32_t*> times = std::vector<std::uint32_t*>(usual_sweep);  ///< room for a sweep's
};

FarStack::FarStack() : FarStack(StackDistances::Options()) {}
FarStack::FarStack(const StackDistances::Options& options) : engine_(std::make_unique<Engine>(options)) {}
FarStack::FarStack(FarStack&&) noexcept = default;
FarStack& FarStack::operator=(FarStack&&) noexcept = default;
FarStack::~FarStack() = default;

void FarStack::enter(const FarTouches& far, std::span<std::uint32_t> distances) {
  Engine& e = *engine_;
  for (std::size_t next = 0; next < far.count;) {
    // No more touches at a time than there is room for new lines.
    const std::uint64_t room = e.most_lines - std::min(e.most_lines, e.state.last.lines());
    e.state.follows_no_more = room == 0;
    const std::size_t count =
        room == 0 ? far.count - next : static_cast<std::size_t>(std::min<std::uint64_t>(far.count - next, room));
    e.enter(e.state, far.line + next, far.lane + next, count, distances.data() + next);
    next += count;
  }
}

bool FarStack::sweep(const Sweep& sweep, std::span<const std::uint8_t> lanes, std::span<std::uint32_t> distances) {
  Engine& e = *engine_;
  const std::size_t count = sweep.come.size();
  if (e.state.last.lines() + count > e.most_lines) return false;
  e.times.resize(std::max(e.times.size(), count));
  const bool streams = sweep.streams <= StackSweep::most_streams;
  return e.sweep(e.state,
                 {sweep.come.data(), sweep.leave.data(), count, sweep.first_regular, streams ? sweep.streams : 1,
                  streams ? sweep.periods : 0, lanes.data(), e.times.data()},
                 distances.data());
}

std::vector<Line> FarStack::recency_order(const std::function<bool(Line)>& keep) const {
  const FarStackState& state = engine_->state;
  const auto in_front = [&](std::uint64_t line) {
    for (unsigned i = 0; i < FarStackState::lanes; ++i)
      if (state.time[i] != &state.nobodys && state.line[i] == line) return true;
    return false;
  };
  std::vector<std::pair<std::uint32_t, Line>> by_time;
  state.last.for_each([&](std::uint64_t line, std::uint32_t time) {
    if (keep(Line{line}) && !in_front(line)) by_time.emplace_back(time, Line{line});
  });
  std::ranges::sort(by_time);
  std::vector<Line> lines;
  lines.reserve(by_time.size());
  for (const auto& [time, line] : by_time) lines.push_back(line);
  return lines;
}

std::uint64_t FarStack::distinct_lines() const { return engine_->state.last.lines(); }
std::uint64_t FarStack::memory_bytes() const {
  return sizeof(Engine) + engine_->state.last.memory_bytes() + engine_->state.window.memory_bytes();
}

}  // namespace cachescape::analyze
