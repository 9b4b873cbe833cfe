// Which thread touched each line last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "analyze/distance/last_touch.hpp"
#include "cachescape/quantity.hpp"

namespace cachescape::analyze {

/// Memory: that of LastTouch. Used by one thread at a time.
class LastToucher {
 public:
  /// So far the first thread was alone, and has touched these.
  explicit LastToucher(std::span<const Line> lines) : last_(shadow_slack_bytes) {
    for (const Line line : lines) touch(line, 0);
  }

  /// Whether another thread than this one touched the line last.
  bool touch(Line line, std::uint32_t thread) {
    std::uint32_t* at = last_.find(line.value);
    if (at == nullptr) [[unlikely]] {
      last_.make_room(line.value);
      at = last_.find(line.value);
    }
    const std::uint32_t before = *at;
    *at = thread + 1;
    if (before == 0) last_.add_lines(1);
    return before != 0 && before != thread + 1;
  }

  std::uint64_t memory_bytes() const { return last_.memory_bytes(); }

 private:
  static constexpr std::size_t shadow_slack_bytes = std::size_t{32} << 20;

  LastTouch last_;
};

}  // namespace cachescape::analyze
