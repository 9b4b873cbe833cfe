// A part of a recording: some of the accesses, by their number or by the time of their coming.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "observe/collect/record_decoder.hpp"

namespace cachescape::collect {

struct WindowLimits {
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t skip = 0;  ///< so many accesses first, of those inside the time
  std::uint64_t count = no_limit;
  double after = 0;  ///< seconds since recording began
  double seconds = std::numeric_limits<double>::infinity();

  bool everything() const { return skip == 0 && count == no_limit && !timed(); }
  bool timed() const { return after > 0 || seconds != std::numeric_limits<double>::infinity(); }
};

/// Hands on what lies in the window, as if there was nothing else: to the access by number, to a block of records by
/// time. Not for sampling by blocks, which counts executions before they come here.
class AccessWindow : public AccessSink {
 public:
  /// `clock` tells the seconds since recording began.
  AccessWindow(AccessSink& to, const WindowLimits& limits, std::function<double()> clock)
      : to_(to), limits_(limits), clock_(std::move(clock)) {}

  void take(const PackedBatch& batch) override;
  void take(const StridedRun& run) override;
  std::uint64_t unwanted() const override;
  void pass_over(ThreadId thread, const KindCounts& accesses, std::uint64_t bytes) override;
  /// Whether nothing of what will come is wanted.
  bool over() const { return limits_.count == 0 || (limits_.timed() && clock_() >= limits_.after + limits_.seconds); }

 private:
  struct Part {
    std::uint64_t begin, end;  ///< of the next accesses
  };
  /// The part of the next accesses that is inside; they are over then.
  Part next(std::uint64_t accesses);
  /// Accesses [begin, end) of a run, one by one.
  void expand(const StridedRun& run, std::uint64_t begin, std::uint64_t end);

  AccessSink& to_;
  WindowLimits limits_;  ///< what is left of them
  std::function<double()> clock_;
  mutable bool in_time_ = true;  ///< as of the last block of records
  PackedBatch part_;
};

}  // namespace cachescape::collect
