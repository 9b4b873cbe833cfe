// Which lines there are, and who has touched them.
//
// Lines have numbers from 1 on. A group that touches new lines gives them numbers of a run of its own, so that what
// groups keep by number (line_table.hpp) lies together for those that one group alone uses.
//
// Time: a look-up per question. Memory: 8 bytes per line, 64 and more for each that several groups have touched.
// Single-threaded. Throws std::bad_alloc where memory runs out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/coherence/line_table.hpp"
#include "analyze/coherence/ownership.hpp"
#include "analyze/distance/last_touch.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

class LineDirectory {
 public:
  static constexpr std::uint32_t most_groups = 64;

  LineDirectory();
  ~LineDirectory();
  LineDirectory(const LineDirectory&) = delete;
  LineDirectory& operator=(const LineDirectory&) = delete;

  /// Of a line that the group touches, which has a number from now on.
  std::uint32_t number_of(Line line, std::uint32_t group) {
    std::uint32_t* at = numbers_.find(line.value);
    if (at == nullptr) [[unlikely]] {
      numbers_.make_room(line.value);
      at = numbers_.find(line.value);
    }
    if (*at == 0) [[unlikely]]
      *at = new_number(group);
    return *at;
  }

  /// The group touches a line: whether nobody else ever did.
  bool touch_alone(std::uint32_t number, std::uint32_t group, bool writes) {
    std::uint32_t& state = states_[number];
    const std::uint32_t alone = 2 * group + 2;
    if (state != 0 && (state | 1) != (alone | 1)) return false;
    state |= alone | static_cast<std::uint32_t>(writes);
    return true;
  }
  /// Precondition: somebody touched it. From now on nobody is alone with the line.
  Ownership& shared(std::uint32_t number) {
    std::uint32_t& state = states_[number];
    if (state < several) [[unlikely]]
      state = several + share((state - 2) / 2, (state & 1) != 0);
    return at(state - several);
  }

  /// What is known of a line comes nearer to the processor step by step: each uses what the one before asked for.
  void prefetch_number(Line line) const { numbers_.prefetch(line.value); }
  /// 0 where it has none.
  std::uint32_t peek_number(Line line) const {
    const std::uint32_t* const number = numbers_.peek(line.value);
    return number != nullptr ? *number : 0;
  }
  void prefetch_state(std::uint32_t number) const { __builtin_prefetch(states_.data() + number, 1); }
  void prefetch_ownership(std::uint32_t number) const { __builtin_prefetch(shared_so_far(number), 1); }
  /// Null where at most one group has touched the line.
  const Ownership* shared_so_far(std::uint32_t number) const {
    return states_[number] >= several ? &at(states_[number] - several) : nullptr;
  }

  std::uint64_t memory_bytes() const;

 private:
  static constexpr std::uint32_t ownerships_together = 512;
  /// States of lines: 0 = never touched, `several` + index of an ownership, or 2 × group + 2 + whether it was written.
  static constexpr std::uint32_t several = std::uint32_t{1} << 31;

  std::uint32_t new_number(std::uint32_t group);
  std::uint32_t share(std::uint32_t group, bool written);
  Ownership& at(std::uint32_t index) const {
    return ownerships_[index / ownerships_together][index % ownerships_together];
  }

  LastTouch numbers_;
  std::array<std::uint32_t, most_groups> next_{};  ///< by group: the number of its next new line
  std::vector<std::uint32_t> states_;              ///< by number
  Arena memory_;                                   ///< of ownerships
  std::vector<Ownership*> ownerships_;
  std::uint32_t shared_lines_ = 0;
};

}  // namespace cachescape::analyze
