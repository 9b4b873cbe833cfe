// A stretch of a program's accesses, loops among them, on its way to the analyses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cachescape/packed_access.hpp"
#include "cachescape/strided_run.hpp"

namespace cachescape::analyze {

/// A loop whose accesses lie elsewhere.
struct Loop {
  std::uint64_t trips = 0;
  std::span<const StridedAccess> body;
};

/// Filled by one thread, then read by several.
class Stretch {
 public:
  /// Enough that handing it over costs little, few enough that it stays in a processor's cache.
  static constexpr std::size_t enough = std::size_t{1} << 14;

  bool empty() const { return pieces_.empty(); }
  bool full() const { return work_ >= enough; }
  void clear() {
    accesses_.clear();
    bodies_.clear();
    pieces_.clear();
    work_ = 0;
  }

  void add(std::uint32_t thread, std::span<const PackedAccess> accesses) {
    if (pieces_.empty() || pieces_.back().trips != 0 || pieces_.back().thread != thread)
      pieces_.push_back({thread, accesses_.size(), 0, 0});
    pieces_.back().count += accesses.size();
    work_ += accesses.size();
    accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  }
  /// Precondition: at least one trip.
  void add(std::uint32_t thread, std::uint64_t trips, std::span<const StridedAccess> body) {
    pieces_.push_back({thread, bodies_.size(), body.size(), trips});
    bodies_.insert(bodies_.end(), body.begin(), body.end());
    // A loop takes the time of about two iterations for every line it passes.
    work_ += body.size() * (2 + trips / 4);
  }

  /// Calls visit_accesses(thread, std::span<const PackedAccess>) and visit_loop(thread, Loop) in the order of events.
  template <class VisitAccesses, class VisitLoop>
  void for_each(VisitAccesses visit_accesses, VisitLoop visit_loop) const {
    for (const Piece& p : pieces_) {
      if (p.trips == 0) {
        visit_accesses(p.thread, std::span(accesses_).subspan(p.first, p.count));
      } else {
        visit_loop(p.thread, Loop{p.trips, std::span(bodies_).subspan(p.first, p.count)});
      }
    }
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for_each(visit, visit);
  }

 private:
  struct Piece {
    std::uint32_t thread;
    std::size_t first;
    std::size_t count;
    std::uint64_t trips;  ///< 0: accesses
  };
  std::vector<PackedAccess> accesses_;
  std::vector<StridedAccess> bodies_;
  std::vector<Piece> pieces_;
  std::size_t work_ = 0;
};

}  // namespace cachescape::analyze
