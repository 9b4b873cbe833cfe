// Many lines that pass the front at once, against the list.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "analyze/distance/far_stack.hpp"
#include "analyze/distance/front.hpp"
#include "analyze/distance/mattson_list.hpp"

namespace cachescape::analyze {
namespace {

/// Lines of some streams in turn, and others before and after them.
struct SweptStreams {
  std::vector<Line> come;
  std::vector<std::uint16_t> leave;
  std::size_t first_regular = 0;
  std::size_t streams = 0;
  std::size_t periods = 0;
};

SweptStreams some_streams() {
  SweptStreams s;
  const auto add_others = [&](std::uint64_t from) {
    const auto others = *rc::gen::inRange<std::uint64_t>(0, 6);
    for (std::uint64_t i = 0; i < others; ++i) s.come.emplace_back(from + i * 3);
  };
  add_others(5000);
  s.first_regular = s.come.size();
  s.streams = *rc::gen::inRange<std::size_t>(1, 6);
  s.periods = *rc::gen::inRange<std::size_t>(8, 80);
  const auto backwards = *rc::gen::arbitrary<bool>();
  std::vector<std::uint64_t> begin;
  for (std::size_t i = 0; i < s.streams; ++i) begin.push_back(i * 120 + *rc::gen::inRange<std::uint64_t>(0, 20));
  for (std::size_t p = 0; p < s.periods; ++p)
    for (const std::uint64_t b : begin) s.come.emplace_back(b + (backwards ? s.periods - p : p));
  add_others(6000);
  return s;
}

class OnSweeps : public testing::TestWithParam<InstructionSet> {};
INSTANTIATE_TEST_SUITE_P(Sweep, OnSweeps, testing::Values(InstructionSet::portable, InstructionSet::avx2),
                         [](const auto& info) {
                           return std::string(info.param == InstructionSet::avx2 ? "avx2" : "portable");
                         });

/// Touches one by one, whose distances are told by other tests.
void touch(Front& front, FarStack& stack, MattsonList& list, const std::vector<Line>& lines) {
  const std::vector<std::uint16_t> groups(lines.size());
  const std::vector<std::uint32_t> once(lines.size(), 1);
  const std::vector<std::uint32_t> places(lines.size());
  for (std::size_t taken = 0; taken < lines.size();) {
    taken += front.take({&lines[taken], &groups[taken], &once[taken], &places[taken]}, lines.size() - taken);
    std::vector<std::uint32_t> distances(front.far().count);
    stack.enter(front.far(), distances);
    front.clear_far();
  }
  for (const Line line : lines) list.touch(line);
}

TEST_P(OnSweeps, TellEveryDistanceAndLeaveTheRightOrder) {
  const bool holds = rc::check([&] {
    Front front({.path = GetParam()});
    FarStack stack({.path = GetParam(), .window_touches = *rc::gen::element(1024u, 2048u, 65536u)});
    MattsonList list;
    std::vector<Line> first(8);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = Line{9000 + i};
    touch(front, stack, list, first);
    const auto rounds = *rc::gen::inRange(1, 8);
    for (int r = 0; r < rounds; ++r) {
      SweptStreams s = some_streams();
      s.leave.resize(s.come.size());
      std::iota(s.leave.begin(), s.leave.end(), std::uint16_t{0});
      // Some leave later than others that came after them.
      const auto changes = *rc::gen::inRange(0, 6);
      for (int c = 0; c < changes; ++c)
        std::swap(s.leave[*rc::gen::inRange<std::size_t>(0, s.leave.size())],
                  s.leave[*rc::gen::inRange<std::size_t>(0, s.leave.size())]);
      std::vector<std::uint32_t> distances(s.come.size());
      const auto lanes = front.lanes();
      ASSERT_TRUE(front.whole());
      if (stack.sweep({s.come, s.leave, s.first_regular, s.streams, s.periods}, lanes, distances)) {
        for (std::size_t i = 0; i < s.come.size(); ++i) RC_ASSERT(distances[i] == list.touch(s.come[i]));
        std::vector<Line> last;
        for (const std::uint16_t i : s.leave) {
          list.touch(s.come[i]);
          last.push_back(s.come[i]);
        }
        front.replace(std::span(last).last(Front::lines));
        RC_ASSERT(front.as_entered());
      } else {
        touch(front, stack, list, s.come);
      }
      std::vector<Line> between;
      const auto touches = *rc::gen::inRange<std::size_t>(0, 40);
      for (std::size_t i = 0; i < touches; ++i) between.emplace_back(*rc::gen::inRange<std::uint64_t>(0, 700));
      touch(front, stack, list, between);
    }
    std::vector<Line> order = stack.recency_order([](Line) { return true; });
    for (const Line line : front.recency_order()) order.push_back(line);
    RC_ASSERT(order.size() == list.distinct_lines());
    // Touched in this order, each is the one touched longest ago.
    for (const Line line : order) RC_ASSERT(list.touch(line) + 1 == list.distinct_lines());
  });
  EXPECT_TRUE(holds);
}

TEST(Sweep, NeedsRoomInTheWindow) {
  FarStack stack({.window_touches = 256});
  Front front(Front::Options{});
  MattsonList list;
  std::vector<Line> lines(8);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = Line{i};
  touch(front, stack, list, lines);
  std::vector<Line> come(1000);
  std::vector<std::uint16_t> leave(come.size());
  std::iota(leave.begin(), leave.end(), std::uint16_t{0});
  for (std::size_t i = 0; i < come.size(); ++i) come[i] = Line{100 + i};
  std::vector<std::uint32_t> distances(come.size());
  EXPECT_FALSE(stack.sweep({come, leave}, front.lanes(), distances));
  EXPECT_EQ(stack.distinct_lines(), 8u);
}

}  // namespace
}  // namespace cachescape::analyze
